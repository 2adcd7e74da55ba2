package screen

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/evidence"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/sources"
)

// Status shows all runs, one a line; systems are those whose work is here, where it is over.
func Status(s Screen, runs []candidate.Summary, systems ...string) {
	if len(runs) == 0 {
		Nothing(s, systems)
		return
	}
	rows := make([][]string, 0, len(runs))
	for i := range runs {
		rows = append(rows, statusRow(s, &runs[i]))
	}
	s.table(rows)
	for i := range runs {
		if a := runs[i].Checked; a != nil {
			s.say("%s: %s\n", Clean(runs[i].Called()), a.Verdict)
			findings(s, &runs[i].Run, a)
			continue
		}
		doubts(s, &runs[i])
	}
}

// Nothing says that there is nothing to do; of finished runs it names those whose base lacks something of them.
// Who works with another system here begins new work there, not with a plan of ours.
func Nothing(s Screen, systems []string, unmerged ...candidate.Summary) {
	s.say("Nothing to resume in this repository.\n")
	if n := len(unmerged); n > 0 {
		ids := make([]string, n)
		for i := range unmerged {
			ids[i] = string(unmerged[i].Run.ID)
		}
		s.say("%s: %s\n", count(n, "run finished, not merged", "runs finished, not merged"), some(ids))
		s.Hint(fmt.Sprintf("use %s to merge %s", double("git resume merge %s", ids[0]), map[bool]string{true: "it", false: "one"}[n == 1]))
	}
	if len(systems) > 0 {
		s.Hint(fmt.Sprintf("new work begins in %s itself; use %s to see what is over", some(systems), double("git resume status --all")))
		return
	}
	s.Hint(fmt.Sprintf("use %s to begin a run, %s to see closed ones", double("git resume start PLAN"), double("git resume status --all")))
}

func statusRow(s Screen, m *candidate.Summary) []string {
	r := &m.Run
	if m.Damaged != "" {
		return []string{"unreadable", Clean(m.Called()), "", "", Clean(m.Damaged)}
	}
	if m.Vanished() && !r.Closed() {
		return []string{"ended", Clean(m.Called()), "", s.when(r.LastAt), goneWords(m)}
	}
	return []string{stateWord(m), Clean(m.Called()), position(m), s.when(r.LastAt), remark(s, m)}
}

// when is how long ago something was; empty for what is not known.
func (s Screen) when(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return Ago(s.Now.Sub(t))
}

// position is "4/7 login".
func position(m *candidate.Summary) string {
	r := &m.Run
	if m.Found != nil && m.Found.Listed != "" {
		return Clean(m.Found.Listed)
	}
	n, t := r.Current()
	if m.Found != nil && m.Found.Stands != "" {
		return Clean(m.Found.Stands)
	}
	if m.Found != nil && (t == nil || string(t.ID) != m.Found.Point.Task) {
		return foreignPosition(m)
	}
	if t == nil {
		return fmt.Sprintf("%d/%d", len(r.Tasks), len(r.Tasks))
	}
	return fmt.Sprintf("%d/%d %s", n, len(r.Tasks), Clean(string(t.ID)))
}

// foreignPosition is where work stands whose next step is none of its tasks.
func foreignPosition(m *candidate.Summary) string {
	done, skipped := 0, 0
	for _, t := range m.Run.Tasks {
		switch {
		case t.State == checkpoint.Done:
			done++
		case t.State == checkpoint.Skipped && m.Found.State != sources.Ended: // what was ended early left them out itself
			skipped++
		}
	}
	step := Clean(m.Found.Point.Task)
	if len(m.Run.Tasks) == 0 {
		return step
	}
	return strings.TrimSpace(fmt.Sprintf("%d/%d%s %s", done, len(m.Run.Tasks), alsoSkipped(skipped), step))
}

// remark is the last column: why a run stands as it does.
func remark(s Screen, m *candidate.Summary) string {
	r := &m.Run
	if m.Found != nil {
		return foreignRemark(m)
	}
	if Detail(m) == detailElsewhere {
		return elsewhereRemark(r)
	}
	switch m.State {
	case checkpoint.Running, checkpoint.Idle:
		return who(s, m)
	case checkpoint.Waiting:
		if q := r.Question(); q != nil {
			return s.Marks.Ask + " " + Clean(q.Question)
		}
	case checkpoint.FailedRun:
		if _, t := r.Current(); t != nil {
			return failure(t)
		}
	case checkpoint.Paused:
		return Clean(r.Cause)
	case checkpoint.Interrupted:
		if why := stopWords(m); why != "" {
			return why
		}
		return who(s, m)
	}
	if r.Rebuilt {
		return "rebuilt from commits"
	}
	return ""
}

// foreignRemark says why work of another system stands as it does, the worst doubt if there is one.
func foreignRemark(m *candidate.Summary) string {
	f := m.Found
	if m.Busy != "" {
		return Clean(m.Busy)
	}
	if len(f.Questions) > 0 && m.State == checkpoint.Waiting {
		return "? " + Clean(f.Questions[0].Text)
	}
	if f.Source == candidate.GitSource {
		return Clean(f.Cause)
	}
	for _, level := range []candidate.Severity{candidate.Blocking, candidate.Warning} {
		for _, d := range f.Doubts {
			if d.Severity == level {
				return Clean(d.Text)
			}
		}
	}
	placed := f.Listed != "" && (f.Cause != "" || strings.HasPrefix(f.Headline, f.Listed))
	if placed && m.State == checkpoint.Interrupted {
		return "" // its place says enough, and the line stays short
	}
	if f.Cause != "" {
		return Clean(f.Cause)
	}
	return Clean(f.Point.Reason)
}

// who names the process behind a run and what is known of it.
func who(s Screen, m *candidate.Summary) string {
	if len(m.Life.TaskPIDs) > 0 {
		return "its task lives on without its owner: " + strings.Trim(fmt.Sprint(m.Life.TaskPIDs), "[]")
	}
	a := m.Run.Driver
	if a == nil {
		a = m.Run.Owner
	}
	if m.Run.Rebuilt {
		return "rebuilt from commits"
	}
	if a == nil {
		return ""
	}
	name := fmt.Sprintf("%s %d", s.cut(Clean(program(a)), 24), a.PID)
	fate := m.Life.Driver
	if m.Run.Driver == nil {
		fate = m.Life.Owner
	}
	switch fate {
	case proc.Alive:
		if m.State == checkpoint.Idle && m.Run.Begun() {
			return name + " alive, silent"
		}
		return name
	case proc.Dead:
		return name + " is gone"
	default:
		return fmt.Sprintf("%s on %s, cannot be checked from here", name, Clean(a.Host))
	}
}

// program is the name of what runs: the agent if known, else the command's first word.
func program(a *checkpoint.Actor) string {
	if a.Agent != "" {
		return a.Agent
	}
	word, _, _ := strings.Cut(a.Command, " ")
	if i := strings.LastIndexByte(word, '/'); i >= 0 {
		word = word[i+1:]
	}
	if word == "" {
		return "process"
	}
	return word
}

func failure(t *checkpoint.Task) string {
	switch {
	case t.ExitCode != nil:
		return fmt.Sprintf("exit %d", *t.ExitCode)
	case t.Cause != "" && t.Until != "":
		return Clean(t.Cause + " until " + t.Until)
	case t.Cause != "":
		return causeWords(t.Cause)
	default:
		return Clean(t.Reason)
	}
}

// doubts says what is wrong with the record of a run, below the table.
func doubts(s Screen, m *candidate.Summary) {
	r := &m.Run
	id := string(r.ID)
	if r.Unreadable > 0 {
		s.paragraph("", "  ", fmt.Sprintf("warning: %s: %s of the journal cannot be read; kept", id, count(r.Unreadable, "line", "lines")))
	}
	if r.Diverged {
		s.paragraph("", "  ", fmt.Sprintf("warning: %s: worked on in two places; both records are kept (%s)", id, unbroken(command("git resume log %s", id))))
	}
	if words := r.Unheard(); r.Ours() && len(words) > 0 && !r.Closed() {
		s.paragraph("", "  ", fmt.Sprintf("warning: %s: %s from elsewhere (%s)", id, count(r.Others.Lines, "record", "records"), unbroken(command("git resume log %s", id))))
	}
	if m.Rebuilt != "" {
		s.paragraph("", "  ", fmt.Sprintf("warning: %s: its journal cannot be read: %s", id, Clean(m.Rebuilt)))
	}
	if r.Rebuilt {
		s.paragraph("", "  ", fmt.Sprintf("warning: %s: its journal is not here; rebuilt from the trailers of its commits", id))
	}
	if r.Unknown > 0 {
		s.paragraph("", "  ", fmt.Sprintf("warning: %s: %s of a newer git-resume kept, not understood", id, count(r.Unknown, "event", "events")))
	}
	for _, t := range r.Tasks {
		if t.Found && !r.Rebuilt && t.LastSeq == 0 || t.Found && t.State == checkpoint.Done && m.State != checkpoint.FinishedRun && !r.Rebuilt {
			s.paragraph("", "  ", fmt.Sprintf("note: %s: task '%s' had landed as %s before it was recorded", id, Clean(string(t.ID)), t.Commit.Short()))
		}
	}
}

// Run shows one run with its tasks.
func Run(s Screen, m candidate.Summary) {
	r := &m.Run
	if m.Found != nil {
		foreignRun(s, m)
		return
	}
	if m.Vanished() && !r.Closed() {
		gone(s, &m)
		return
	}
	s.headed(title(r), headline(s, &m))
	listTasks(s, &m)
	s.say("\n")
	where := m.Path
	if where == "" && m.Checked != nil && m.Checked.Has(candidate.FindTreeMoved) {
		where = m.Checked.Tree.Path
	}
	if where == "" {
		where = Clean(r.Worktree) + " (not there)"
	}
	if r.Worktree != "" || m.Path != "" {
		s.where(where, onBranch(&m))
	}
	if r.Base.Name != "" {
		s.say("  base     %s %s\n", Clean(r.Base.Name), r.Base.Commit.Short())
	}
	if w := who(s, &m); w != "" && !r.Closed() {
		s.row("by", w)
	}
	if _, t := r.Current(); t != nil && !r.Closed() {
		s.row("next", nextTask(s, t))
	}
	if m.Checked != nil {
		s.say("  verdict  %s\n", m.Checked.Verdict)
		findings(s, &m.Run, m.Checked)
		return
	}
	doubts(s, &m)
}

// gone shows adopted work whose own system's state is not seen: only our record of it is left, and that knows no tasks.
func gone(s Screen, m *candidate.Summary) {
	s.paragraph("", "  ", title(&m.Run)+": "+goneWords(m))
	switch {
	case m.Hidden:
		s.Hint(fmt.Sprintf("use %s to see it again", double("git resume undo %s", m.Called())))
	case m.Lost && m.LostBranch != "":
		treeBack(s, m)
	}
	doubts(s, m)
}

// onBranch names the branch of a run; work of another system without one goes on in whatever is checked out.
func onBranch(m *candidate.Summary) string {
	if m.Found != nil && m.Run.Branch == "" {
		return ""
	}
	return "  (" + Clean(shortBranch(m.Run.Branch)) + ")"
}

func shortBranch(ref string) string {
	if ref == "" {
		return "detached HEAD"
	}
	return strings.TrimPrefix(ref, "refs/heads/")
}

// headed begins a screen: which work it is about, and how that stands.
func (s Screen) headed(name, stands string) {
	s.paragraph("", "  ", name+" "+stands)
	s.say("\n")
}

// headline says how the run stands, in words.
func headline(s Screen, m *candidate.Summary) string {
	r := &m.Run
	ago := Long(s.Now.Sub(r.LastAt))
	n, t := r.Current()
	at := ""
	if t != nil {
		at = fmt.Sprintf(" at task %d of %d", n, len(r.Tasks))
	}
	switch m.State {
	case checkpoint.Interrupted:
		return fmt.Sprintf("stopped %s ago%s", ago, at) + because(stopWords(m))
	case checkpoint.FailedRun:
		return fmt.Sprintf("failed %s ago%s: %s", ago, at, failure(t))
	case checkpoint.Waiting:
		return fmt.Sprintf("has waited %s for you%s", ago, at)
	case checkpoint.Paused:
		return fmt.Sprintf("was paused %s ago%s", ago, at) + because(r.Cause)
	case checkpoint.Running:
		return fmt.Sprintf("is running%s, last report %s ago", at, ago)
	case checkpoint.Idle:
		if !r.Begun() {
			return fmt.Sprintf("was started %s ago; no task has begun", ago)
		}
		return fmt.Sprintf("is open%s, silent for %s", at, ago)
	default:
		return fmt.Sprintf("%s %s ago", m.State, ago)
	}
}

// stopWords say why a run stopped; empty if that is not known.
func stopWords(m *candidate.Summary) string {
	if m.Run.Cause != "" {
		return causeWords(m.Run.Cause)
	}
	return map[candidate.Ending]string{candidate.Restarted: "the machine was restarted", candidate.Killed: "killed"}[m.Ending]
}

func because(cause string) string {
	if cause == "" {
		return ""
	}
	return ": " + Clean(cause)
}

func nextTask(s Screen, t *checkpoint.Task) string {
	switch {
	case t.Question != "" && t.Answer == "" && (t.State == checkpoint.Blocked || t.Asks):
		return fmt.Sprintf("%s %s", s.Marks.Ask, Clean(t.Question))
	case t.Title != "":
		return fmt.Sprintf("%s: %s", Clean(string(t.ID)), Clean(t.Title))
	default:
		return Clean(string(t.ID))
	}
}

func listTasks(s Screen, m *candidate.Summary) { numbered(s, m, 0) }

// numbered lists tasks; before is how many stand before the first one shown.
// What does not fit beside the others, a title or what came of a task, goes on below the title.
func numbered(s Screen, m *candidate.Summary, before int) {
	r := &m.Run
	const most, idRoom, resultRoom = 34, 24, 30 // a title gets at least so much
	wide, number := 0, len(fmt.Sprint(before+len(r.Tasks)))
	titles, results := 0, 0
	for _, t := range r.Tasks {
		wide = max(wide, len([]rune(s.cut(Clean(string(t.ID)), idRoom))))
		titles = max(titles, len([]rune(Clean(t.Title))))
		if n := len([]rune(resultOf(m, t))); n <= resultRoom {
			results = max(results, n)
		}
	}
	indent := strings.Repeat(" ", len("  x     ")+number+wide)
	room := max(most, s.width()-len(indent)-len("  ")-results)
	if !s.Terminal {
		room = max(titles, 1)
	}
	titles = min(titles, room)
	for i, t := range r.Tasks {
		text, result := []string{Clean(t.Title)}, resultOf(m, t)
		if s.Terminal {
			text = wrap(text[0], room)
		}
		below := text[1:]
		if s.Terminal && len(indent)+titles+len("  ")+len([]rune(result)) > s.width() {
			below, result = append(below, wrap(result, s.width()-len(indent))...), ""
		}
		line := fmt.Sprintf("  %s %*d  %s  %s  %s", markOf(s, m, t), number, before+i+1,
			pad(s.cut(Clean(string(t.ID)), idRoom), wide), pad(text[0], titles), result)
		s.say("%s\n", strings.TrimRight(line, " "))
		for _, l := range below {
			s.say("%s%s\n", indent, l)
		}
	}
}

func markOf(s Screen, m *candidate.Summary, t checkpoint.Task) string {
	if _, again := m.Invalid[t.ID]; again && t.State == checkpoint.Done {
		return "!"
	}
	switch t.State {
	case checkpoint.Done:
		return s.Marks.Done
	case checkpoint.Active:
		return s.Marks.Active
	case checkpoint.Failed:
		return s.Marks.Fail
	case checkpoint.Blocked, sources.TaskWaiting, sources.TaskUnknown:
		return s.Marks.Ask
	case checkpoint.Skipped:
		return "-"
	default:
		return s.Marks.Open
	}
}

// blockedBy is what a task of another system waits for, where somebody wrote that down.
func blockedBy(m *candidate.Summary, id checkpoint.TaskID) string {
	if m.Found == nil {
		return ""
	}
	for _, q := range m.Found.Questions {
		if q.Task == string(id) && !strings.Contains(q.Text, q.Task) { // one that only names the task says no more
			return ": " + Clean(q.Text)
		}
	}
	return ""
}

// resultOf is the word beside the mark: what came of a task.
func resultOf(m *candidate.Summary, t checkpoint.Task) string {
	if m.Found != nil && t.Reason != "" && slices.ContainsFunc(m.Found.Tasks, func(f sources.Task) bool { return f.Aside && f.ID == string(t.ID) }) {
		return strings.ReplaceAll(Clean(t.Reason), "_", " ") // what is no step is in a state that only its system has a word for
	}
	switch t.State {
	case checkpoint.Done:
		text := "done"
		if t.Commit != "" {
			text = t.Commit.Short()
		}
		if mv, ok := m.Moved[t.ID]; ok {
			text += movedText(mv)
		}
		if t.Found {
			text += ", found by its commit"
		}
		if why, ok := m.Invalid[t.ID]; ok {
			text = "again: " + Clean(why.String())
		}
		return text
	case checkpoint.Active:
		if a := m.Checked; a != nil && a.CutOff != nil && a.CutOff.ID == t.ID && len(a.Uncommitted) > 0 {
			return "begun; " + count(len(a.Uncommitted), "file", "files") + " uncommitted, kept"
		}
		if m.Found != nil {
			return "in progress"
		}
		return "begun"
	case checkpoint.Failed:
		why := failure(&t)
		if m.Found != nil && slices.Contains([]string{"", "failed", "taskfailed"}, sources.FoldWord(why)) { // its word says no more than the mark
			return "failed"
		}
		return "failed: " + why
	case checkpoint.Blocked:
		return "blocked" + blockedBy(m, t.ID)
	case checkpoint.Skipped:
		return "skipped"
	case sources.TaskWaiting:
		return "waits for somebody"
	case sources.TaskUnknown:
		switch t.Reason {
		case "":
			return "not known"
		case sources.UnreadableWord:
			return "not known: its record cannot be read"
		}
		return "is called '" + Clean(t.Reason) + "'"
	default:
		return ""
	}
}

func movedText(mv evidence.Moved) string {
	if mv.Now == "" {
		return ", no longer on the branch"
	}
	return fmt.Sprintf(", now %s (same %s)", mv.Now.Short(), mv.By)
}

// Task shows one task of a run.
func Task(s Screen, m candidate.Summary, t checkpoint.Task) {
	s.say("%s of %s\n\n", Clean(string(t.ID)), title(&m.Run))
	row := func(name, value string) {
		if value != "" {
			s.say("  %-9s %s\n", name, Clean(value))
		}
	}
	row("title", t.Title)
	row("state", string(t.State))
	if t.Attempts > 0 {
		row("attempts", fmt.Sprint(t.Attempts))
	}
	row("commit", string(t.Commit))
	if mv, ok := m.Moved[t.ID]; ok {
		row("now", strings.TrimPrefix(movedText(mv), ", "))
	}
	if why, ok := m.Invalid[t.ID]; ok {
		row("valid", "no: "+why.String())
	} else if t.State == checkpoint.Done && !m.Run.Closed() {
		row("valid", "yes")
	}
	if t.Found {
		row("evidence", "a commit with this run's trailers; it was not recorded")
	}
	if t.State == checkpoint.Done {
		row("doubt", t.Reason)
	}
	if !t.Started.IsZero() {
		row("started", t.Started.UTC().Format("2006-01-02 15:04:05Z"))
	}
	if !t.Ended.IsZero() {
		row("ended", t.Ended.UTC().Format("2006-01-02 15:04:05Z"))
	}
	row("failure", failure(&t))
	row("question", t.Question)
	for i, o := range t.Options {
		row(fmt.Sprint("  ", i+1), o)
	}
	row("answer", t.Answer)
}
