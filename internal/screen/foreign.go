package screen

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/internal/adopt"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/handler/discard"
	"github.com/git-resume/git-resume/internal/sources"
)

// nameOf names a piece of work as people read it: our runs by name and four characters, others with their system.
func nameOf(m *candidate.Summary) string {
	if m.Found != nil {
		return fmt.Sprintf("%s (%s)", Clean(m.Run.Name), m.Source())
	}
	return title(&m.Run)
}

// Foreign shows work that another system began, before anybody is asked.
func foreign(s Screen, a *assess.Assessment) {
	m := &a.Summary
	f := m.Found
	if a.Verdict == candidate.Blocked {
		s.say("%s cannot continue yet: %s\n\n", nameOf(m), inTheWay(a))
	} else {
		s.headed(nameOf(m), foreignHeadline(s, m))
	}
	if f.Headline != "" {
		s.paragraph("  ", "  ", Clean(f.Headline))
		s.say("\n")
	}
	if len(m.Run.Tasks) > 0 {
		steps(s, m)
		s.say("\n")
	}
	findings(s, &a.Summary.Run, &a.WithoutQuestion().Picture)
	stateSource(s, m, "state")
	around(s, a)
	if f.Point.Task != "" {
		s.row("next", nextStep(f))
	}
	if f.Point.Reason != "" {
		s.row("", Clean(f.Point.Reason))
	}
	nextInput(s, f)
}

// stateSource names the state file of work whose system has one, and what that system advises at its age.
func stateSource(s Screen, m *candidate.Summary, name string) {
	f := m.Found
	path, _ := f.Protocol["state_source_path"].(string)
	if path == "" {
		return
	}
	s.row(name, s.cut(Clean(path), s.width()-len("  state    ")))
	age, _ := f.Protocol["state_age"].(string)
	if advice, _ := f.Protocol["recommendation"].(string); age != "" && advice != "" && m.Busy == "" { // how to resume is no advice while somebody may be at work
		s.row("age", Clean(strings.ToLower(age)+": "+lowerFirst(advice)))
	}
}

// stateSays is the word of a state for a story, or else where the workflow stands.
func stateSays(row map[string]any) string {
	if said := word(row["state_says"]); said != "" {
		return said
	}
	if place := word(row["state_place"]); place != "" {
		return "(" + place + ")"
	}
	return "-"
}

// nextInput names what the next step is given, where the system says so.
func nextInput(s Screen, f *sources.Found) {
	next, _ := f.Protocol["resume_from_phase"].(map[string]any)
	if inputs, _ := next["inputs"].([]string); len(inputs) > 0 {
		s.row("input", some(inputs))
	}
}

func lowerFirst(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToLower(text[:1]) + text[1:]
}

// nextIsNoTask: the next step, such as a review or a gate, stands in no list of tasks.
func nextIsNoTask(f *sources.Found) bool {
	return f.Point.Task != "" && !slices.ContainsFunc(f.Tasks, func(t sources.Task) bool { return t.ID == f.Point.Task })
}

// foreignTasksRow says what was made of another system's tasks; what nobody checked is not called valid.
func foreignTasksRow(a *assess.Assessment) string {
	if a.Summary.Found.State == sources.Corrupt {
		return unchecked + ": its state cannot be read"
	}
	text := unchecked + ": as its own system recorded them"
	n, done, skipped := 0, 0, 0
	for _, t := range a.Summary.Found.Tasks {
		switch {
		case t.Aside:
			continue
		case t.State == checkpoint.Done:
			done++
		case t.State == checkpoint.Skipped:
			skipped++
		}
		n++
	}
	if n > 0 {
		text = fmt.Sprintf("%s (%d of %d done%s)", text, done, n, alsoSkipped(skipped))
	}
	return text
}

// alsoSkipped is said after a number of finished tasks: what was skipped is not done.
func alsoSkipped(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d skipped", n)
}

// ownFiles shows, one by one, the files that another system's work refers to and what its state and its documents say of each other.
func ownFiles(s Screen, a *assess.Assessment) {
	f := a.Summary.Found
	if f == nil {
		return
	}
	var rows [][]string
	const most = 30
	for i, n := range f.Needs {
		if i == most {
			rows = append(rows, []string{fmt.Sprintf("  and %s", count(len(f.Needs)-most, "more file", "more files"))})
			break
		}
		why := ""
		if n.For != "" {
			why = "for " + Clean(n.For)
		}
		rows = append(rows, []string{"  " + s.cut(Clean(n.Path), 50), fileWord(a, n), why})
	}
	if len(rows) > 0 {
		s.say("\n")
		s.table(append([][]string{{"  file", "now", "needed"}}, rows...))
	}
	said, _ := f.Protocol["status_consistency"].([]any)
	rows = nil
	for _, entry := range said[:min(most, len(said))] {
		row, _ := entry.(map[string]any)
		rows = append(rows, []string{"  " + word(row["story"]), stateSays(row), word(row["story_says"]), word(row["interpretation"])})
	}
	if len(rows) > 0 {
		s.say("\n")
		s.table(append([][]string{{"  story", "state says", "story says", ""}}, rows...))
	}
	if chain, ok := f.Protocol["dependencies"].(string); ok {
		s.say("\n")
		s.paragraph("", "  ", "Dependencies: "+Clean(chain))
	} else if len(said) > 0 {
		s.say("\nDependencies: none are named\n")
	}
}

func word(v any) string {
	text, _ := v.(string)
	return Clean(text)
}

// fileWord is what became of a file: it is missing, something was found about it, or it is there.
func fileWord(a *assess.Assessment, n sources.File) string {
	if n.Missing {
		return "missing"
	}
	for _, x := range a.Findings {
		if x.Path == n.Path && x.Severity > candidate.Info {
			return "see above"
		}
	}
	return "present"
}

func nextStep(f *sources.Found) string {
	text := Clean(f.Point.Task)
	if f.Point.Title != "" {
		text += ": " + Clean(f.Point.Title)
	}
	return text
}

func foreignHeadline(s Screen, m *candidate.Summary) string {
	at := ""
	if m.Found.Stands != "" {
		at = " at " + Clean(m.Found.Stands)
	} else if n, t := m.Run.Current(); t != nil && n > 0 {
		at = fmt.Sprintf(" at task %d of %d", n, len(m.Run.Tasks))
	} else if m.Found.Point.Task != "" {
		at = " at " + Clean(m.Found.Point.Task)
	}
	ago := ""
	if !m.Run.LastAt.IsZero() {
		ago = " " + Long(s.Now.Sub(m.Run.LastAt)) + " ago"
	}
	if ahead(s.Now, m.Run.LastAt) {
		ago = " at a time that is still to come (" + m.Run.LastAt.UTC().Format("2006-01-02 15:04 UTC") + ")"
	}
	switch m.State {
	case checkpoint.Interrupted:
		return "stopped" + ago + at + because(m.Found.Cause)
	case checkpoint.FailedRun:
		return "failed" + ago + at + because(m.Found.Cause)
	case checkpoint.Waiting:
		return "is waiting for you" + at
	case checkpoint.Paused:
		return "was paused" + ago + at
	case checkpoint.Running:
		return "may be running" + at
	case checkpoint.Idle:
		return "is open" + at + ", last sign" + ago
	default:
		return string(m.State) + ago
	}
}

// ahead: a time that is still to come, by more than two clocks may differ.
func ahead(now, t time.Time) bool { return t.After(now.Add(time.Minute)) }

// mostShown keeps a long list of tasks on one screen: what is around the resume point matters.
const mostShown = 40

// tasksAround lists the tasks where more than they matters on the screen.
func tasksAround(s Screen, m *candidate.Summary) {
	n, _ := m.Run.Current()
	all := m.Run.Tasks
	if len(all) <= mostShown {
		listTasks(s, m)
		return
	}
	from := min(max(0, n-mostShown/2), len(all)-mostShown)
	part := *m
	part.Run.Tasks = all[from : from+mostShown]
	if from > 0 {
		s.say("  … %s before\n", count(from, "task", "tasks"))
	}
	numbered(s, &part, from)
	if left := len(all) - from - mostShown; left > 0 {
		s.say("  … %s after\n", count(left, "task", "tasks"))
	}
}

// steps lists the steps of the work; what is settled within them is only counted.
func steps(s Screen, m *candidate.Summary) {
	own := *m
	own.Run.Tasks = nil
	for i, t := range m.Run.Tasks {
		if i >= len(m.Found.Tasks) || !m.Found.Tasks[i].Aside {
			own.Run.Tasks = append(own.Run.Tasks, t)
		}
	}
	tasksAround(s, &own)
	within(s, m.Found)
}

// within counts what is settled within the steps of the work, by its system's own words.
func within(s Screen, f *sources.Found) {
	var phases []string
	words, counts := map[string][]string{}, map[string]int{}
	for _, t := range f.Tasks {
		if !t.Aside {
			continue
		}
		word := strings.ReplaceAll(Clean(t.Raw), "_", " ")
		if !slices.Contains(phases, t.Phase) {
			phases = append(phases, t.Phase)
		}
		if counts[t.Phase+" "+word]++; counts[t.Phase+" "+word] == 1 {
			words[t.Phase] = append(words[t.Phase], word)
		}
	}
	for _, p := range phases {
		var parts []string
		for _, w := range words[p] {
			parts = append(parts, fmt.Sprintf("%d %s", counts[p+" "+w], w))
		}
		s.paragraph(fmt.Sprintf("  %-9s ", Clean(p)), "            ", strings.Join(parts, ", "))
	}
}

// Alternatives lists what can be done, by number, for somebody who is asked to choose.
func Alternatives(s Screen, alts []sources.Alternative) {
	width := 0
	for _, a := range alts {
		width = max(width, len(sources.ShownName(a.Name)))
	}
	s.warn("\n")
	for i, a := range alts {
		first := fmt.Sprintf("  %d  %s  ", i+1, pad(sources.ShownName(a.Name), width))
		for _, l := range wrap(Clean(a.Text), s.width()-len(first)) {
			s.warn("%s\n", strings.TrimRight(first+l, " "))
			first = strings.Repeat(" ", len(first))
		}
	}
}

// AtWork warns somebody who is about to be asked whether to do something all the same.
func AtWork(s Screen, w *adopt.AtWorkError) {
	s.OnErr().paragraph("", "", "Somebody may be at work on it ("+Clean(w.Sign)+"), and this gets in their way.")
}

// ForeignOver says that nothing is left to do.
func ForeignOver(s Screen, m *candidate.Summary) {
	f := m.Found
	if f.State == sources.Ended && f.Headline != "" { // the system's own word, and its reason
		s.Note("%s: %s; nothing is left to continue", nameOf(m), Clean(f.Headline))
	} else {
		s.Note("%s is %s; nothing is left to continue", nameOf(m), f.State)
	}
	s = s.OnErr()
	ForeignWarnings(s, f)
	if f.Offers(sources.CleanUp) {
		s.Hint(fmt.Sprintf("use %s to clean up", double("git resume %s --choose %s", m.Called(), sources.CleanUp)))
	}
}

// ForeignWarnings says what is wrong with the state of foreign work, as far as it matters.
func ForeignWarnings(s Screen, f *sources.Found) {
	for _, d := range f.Doubts {
		if d.Severity > candidate.Info {
			finding(s, candidate.Finding{Severity: d.Severity, Text: d.Text, Path: d.Path})
		}
	}
}

// Vanished says that the state of another system's work is not seen, why, and how it comes back; last is what was done here last, if anything.
func Vanished(s Screen, m *candidate.Summary, last *discard.Undoing) {
	s.Note("%s: %s", title(&m.Run), goneWords(m))
	if m.Lost && m.LostBranch != "" {
		treeBack(s, m)
		return
	}
	if last != nil {
		UndoHint(s, m, last)
	}
}

// goneWords says why the state of adopted work is not seen.
func goneWords(m *candidate.Summary) string {
	switch {
	case m.Hidden:
		return "it is hidden in this clone"
	case m.Lost && m.LostBranch != "":
		return "its worktree was deleted; branch " + Clean(shortBranch(m.LostBranch)) + " is still there"
	case m.Lost:
		return "its worktree was deleted, and its state with it"
	}
	return "its system's state is not here any more"
}

// treeBack says how a deleted worktree is made again.
func treeBack(s Screen, m *candidate.Summary) {
	s.Hint(fmt.Sprintf("use %s to get the worktree back", double("git worktree add -f %s %s", m.Run.Worktree, shortBranch(m.LostBranch))))
}

// UndoHint names the last change that was made here to such work, and how to take it back.
func UndoHint(s Screen, m *candidate.Summary, u *discard.Undoing) {
	s.Hint(fmt.Sprintf("use %s to take back %s", double("git resume undo %s", m.Called()), changeWords(&u.What)))
}

// Proposal shows which files an alternative changes.
func Proposal(s Screen, p *adopt.Proposal) {
	s.say("%s of %s", sources.ShownName(p.Wish.Name), nameOf(&p.Summary))
	if len(p.Changes) == 0 {
		s.say(" changes no file\n")
		return
	}
	s.say(":\n")
	for _, c := range p.Changes {
		at := Clean(changedAt(s, p, c))
		switch {
		case c.To != "":
			s.say("  move     %s -> %s\n", at, Clean(c.To))
		case c.Gone:
			s.say("  remove   %s\n", at)
		case c.Was == nil:
			s.say("  write    %s\n", at)
			written(s, string(c.Now))
		default:
			s.say("  change   %s\n", at)
			lineChanges(s, string(c.Was), string(c.Now))
		}
	}
}

// changedAt names a file; where several worktrees hold one of that name, with its worktree.
func changedAt(s Screen, p *adopt.Proposal, c sources.Change) string {
	twice := slices.ContainsFunc(p.Changes, func(o sources.Change) bool { return o.Path == c.Path && o.Tree != c.Tree })
	if !twice {
		return c.Path
	}
	return s.near(filepath.Join(c.Tree, filepath.FromSlash(c.Path)))
}

// written shows what goes into a new file, where that is no more than a line or two.
func written(s Screen, text string) {
	const most = 3
	if lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n"); len(lines) <= most {
		wholly(s, "+ ", lines)
	}
}

// lineChanges shows the lines that differ, where there are few: a state file is edited in a word or two.
func lineChanges(s Screen, was, now string) {
	a, b := strings.Split(was, "\n"), strings.Split(now, "\n")
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	a, b = onlyDiffering(a, b)
	const most = 12
	if len(a)+len(b) > 2*most {
		s.say("             %s %s %s\n", count(len(a), "line", "lines"), map[bool]string{true: "becomes", false: "become"}[len(a) == 1], count(len(b), "line", "lines"))
		return
	}
	wholly(s, "- ", a)
	wholly(s, "+ ", b)
}

// onlyDiffering leaves out the lines that both have, in their order; of very long texts nothing is left out.
func onlyDiffering(a, b []string) (goes, comes []string) {
	const most = 600
	if len(a) > most || len(b) > most {
		return a, b
	}
	same := make([][]int, len(a)+1) // the length of what the rests have in common
	for i := range same {
		same[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if same[i][j] = max(same[i+1][j], same[i][j+1]); a[i] == b[j] {
				same[i][j] = same[i+1][j+1] + 1
			}
		}
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			i, j = i+1, j+1
		case same[i+1][j] >= same[i][j+1]:
			goes = append(goes, a[i])
			i++
		default:
			comes = append(comes, b[j])
			j++
		}
	}
	return append(goes, a[i:]...), append(comes, b[j:]...)
}

// wholly shows lines of a file that are about to go or to come, with nothing left out.
func wholly(s Screen, mark string, lines []string) {
	for _, l := range lines {
		shown, _ := wholeLines(mark, l, "           ", s.width())
		for _, line := range shown {
			s.say("%s\n", line)
		}
	}
}

// Acted says what was done, and how to get it back.
func Acted(s Screen, p *adopt.Proposal) {
	s.say("Done: %s of %s\n", sources.ShownName(p.Wish.Name), nameOf(&p.Summary))
	s.say("To take it back: %s\n", command("git resume undo %s", p.Summary.Called()))
	f := p.Summary.Found
	switch {
	case p.Wish.Name == sources.StartFresh && f.Again != "":
		s.say("Start it in its own system: %s\n", Clean(f.Again))
	case p.Wish.Name == sources.StartFresh && f.Command != "":
		s.say("Begin again in its own system: %s\n", Clean(f.Command))
	case p.Wish.Name == sources.CleanUp && f.Again != "":
		s.say("To start again from scratch in its own system: %s\n", Clean(f.Again))
	}
}

// OrHere says that work which stands at its beginning again can be continued here too.
func OrHere(s Screen, m *candidate.Summary) {
	s.say("Or continue with it here: %s\n", command("git resume %s", m.Called()))
}

// ForeignDoubts says what is wrong with the state of foreign work, and in which file.
func ForeignDoubts(s Screen, m *candidate.Summary) {
	for _, d := range m.Found.Doubts {
		finding(s, candidate.Finding{Severity: d.Severity, Text: d.Text, Path: d.Path})
	}
}

// Hiding says what a discard does to work that has no worktree of its own.
func Hiding(s Screen, f *sources.Found) {
	s.say("This hides %s in this clone; no file of it is changed or moved\n", Clean(f.Key()))
}

// Hidden says how to see something again; without a journal only the setting tells of it.
func Hidden(s Screen, f *sources.Found, j *journal.Journal) {
	again := command("git config --local --unset resume.ignore %s", "^"+regexp.QuoteMeta(f.Key())+"$")
	if j != nil {
		again = command("git resume undo %s", j.Run.ID)
	}
	s.say("Hidden. To see it again: %s\n", again)
}

// StillHidden answers who wants to hide something twice.
func StillHidden(s Screen, r *checkpoint.Run) {
	s.say("%s is already hidden in this clone\n", Clean(r.Source+":"+r.SourceID))
	s.say("To see it again: %s\n", command("git resume undo %s", r.ID))
}

// ForeignQuestion shows what foreign work waits for.
func ForeignQuestion(s Screen, m *candidate.Summary) {
	f := m.Found
	q := f.Questions[0]
	s.say("\n")
	text := Clean(q.Text)
	if id := Clean(q.Task); !strings.Contains(text, id) && slices.ContainsFunc(f.Tasks, func(t sources.Task) bool { return t.ID == q.Task }) {
		text = id + ": " + text
	}
	s.paragraph("  ? ", "    ", text)
	for i, o := range q.Options {
		s.paragraph(fmt.Sprintf("      %d  ", i+1), "         ", Clean(o))
	}
	if n := len(f.Questions) - 1; n > 0 {
		s.say("  %s after this one.\n", count(n, "more question", "more questions"))
	}
}

// ContinueHint says after an action how the work is continued.
func ContinueHint(s Screen, m *candidate.Summary) {
	s.Hint(fmt.Sprintf("use %s to continue", double("git resume %s", m.Called())))
}

// NextQuestion says after an answer what is asked next.
func NextQuestion(s Screen, m *candidate.Summary) {
	s.say("%s: %s\n", count(len(m.Found.Questions), "more question waits", "more questions wait"), Clean(m.Found.Questions[0].Text))
	s.Hint(fmt.Sprintf("use %s to answer", double("git resume %s --choose answer --answer TEXT", m.Called())))
}

// ForeignCommands names the command for each alternative where nobody can be asked: a number would be of no use there.
func ForeignCommands(s Screen, m *candidate.Summary) {
	var ways [][2]string
	for _, a := range m.Alternatives() {
		way := [2]string{chooses(m, a.Name), Clean(a.Text)}
		if a.Name == sources.Answer {
			way[0] = answers(m)
		}
		ways = append(ways, way)
	}
	if len(ways) > 0 {
		s.warn("\nOne of:\n")
		s.ways(ways)
	}
	if c := m.Found.Command; c != "" && !m.Found.Offers(sources.Answer) {
		s.Hint("answer it in its own system: " + unbroken(Clean(c)))
	}
}

// answers is the command that answers the question which work waits for.
func answers(m *candidate.Summary) string {
	answer := "TEXT"
	if len(m.Found.Questions) > 0 && len(m.Found.Questions[0].Options) > 0 {
		answer = "1"
	}
	return command("git resume %s --choose answer --answer %s", m.Called(), answer)
}

// foreignRun shows one piece of foreign work with its tasks.
func foreignRun(s Screen, m candidate.Summary) {
	f := m.Found
	s.headed(nameOf(&m), foreignHeadline(s, &m))
	if f.Headline != "" {
		s.paragraph("  ", "  ", Clean(f.Headline))
		s.say("\n")
	}
	steps(s, &m)
	word := Clean(f.Status)
	if word == "" { // it has no word for it, only evidence
		word = string(f.State)
	}
	s.say("\n")
	s.row("state", word+" in "+s.cut(Clean(f.Root), 60))
	stateSource(s, &m, "source")
	if m.Path != "" {
		s.where(m.Path, "")
	}
	if f.Branch != "" {
		s.say("  branch   %s\n", Clean(shortBranch(f.Branch)))
	}
	if f.Point.Task != "" {
		s.row("next", nextStep(f))
	}
	if f.Point.Reason != "" {
		s.row("", Clean(f.Point.Reason))
	}
	nextInput(s, f)
	if f.From != "" {
		s.row("last", s.when(m.Run.LastAt)+", from "+Clean(f.From))
	}
	if m.Checked != nil {
		s.say("  verdict  %s\n", m.Checked.Verdict)
		findings(s, &m.Run, m.Checked)
		return
	}
	for _, d := range f.Doubts {
		finding(s, candidate.Finding{Severity: d.Severity, Text: d.Text, Path: d.Path})
	}
}
