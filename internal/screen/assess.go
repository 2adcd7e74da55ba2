package screen

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/handler/compare"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/gitops"
	"github.com/git-resume/git-resume/internal/tasks"
	"github.com/git-resume/git-resume/worktree"
)

// Assessment shows what was found about a run before anybody is asked.
func Assessment(s Screen, a *assess.Assessment) {
	if a.Summary.Found != nil {
		foreign(s, a)
		return
	}
	r := &a.Summary.Run
	switch {
	case a.Verdict == candidate.Blocked && a.Going:
		s.headed(title(r), headline(s, &a.Summary)+", with "+inTheWay(a))
	case a.Verdict == candidate.Blocked:
		s.say("%s cannot continue yet: %s\n\n", title(r), inTheWay(a))
	case a.Verdict == candidate.Unrecoverable:
		s.say("%s cannot continue.\n\n", title(r))
	case a.Verdict == candidate.Partial:
		s.say("%s: %s\n\n", title(r), standing(a))
	default:
		s.headed(title(r), headline(s, &a.Summary))
	}
	if a.Verdict != candidate.Blocked && a.Verdict != candidate.Unrecoverable {
		m := a.Summary
		m.Checked = &a.Picture
		tasksAround(s, &m)
		s.say("\n")
	}
	findings(s, &a.Summary.Run, &a.Picture)
	planChange(s, a.NewPlan)
	if a.Verdict != candidate.Unrecoverable {
		around(s, a)
	}
}

// planChange says what a plan would change that the run shall follow.
func planChange(s Screen, p *assess.PlanChange) {
	if p == nil {
		return
	}
	var words []string
	for _, part := range []struct {
		mark  string
		tasks []string
	}{{"+", p.Added}, {"-", p.Removed}, {"~", p.Changed}} {
		for _, t := range part.tasks {
			words = append(words, part.mark+Clean(t))
		}
	}
	if len(words) == 0 {
		words = []string{"no task is added, removed or changed"}
	}
	s.row("plan", strings.Join(words, " "))
}

// standing says which finished tasks still stand and which must be done again.
func standing(a *assess.Assessment) string {
	var good, again []int
	for i, t := range a.Summary.Run.Tasks {
		if t.State != checkpoint.Done {
			continue
		}
		if _, bad := a.Summary.Invalid[t.ID]; bad {
			again = append(again, i+1)
		} else {
			good = append(good, i+1)
		}
	}
	redo := fmt.Sprintf("%s must be done again", tasksNamed(again))
	switch len(good) {
	case 0:
		return redo
	case 1:
		return tasksNamed(good) + " is still good, " + redo
	default:
		return tasksNamed(good) + " are still good, " + redo
	}
}

// tasksNamed is "task 3", "tasks 1-2" or "tasks 1, 2, 5-9".
func tasksNamed(numbers []int) string {
	if len(numbers) == 1 {
		return fmt.Sprintf("task %d", numbers[0])
	}
	var parts []string
	for i := 0; i < len(numbers); {
		last := i
		for last+1 < len(numbers) && numbers[last+1] == numbers[last]+1 {
			last++
		}
		switch last - i {
		case 0:
			parts = append(parts, fmt.Sprint(numbers[i]))
		default:
			parts = append(parts, fmt.Sprintf("%d-%d", numbers[i], numbers[last]))
		}
		i = last + 1
	}
	return "tasks " + strings.Join(parts, ", ")
}

// inTheWay counts what blocks, by its name if all of it is of one sort.
func inTheWay(a *assess.Assessment) string {
	n := blocking(&a.Picture)
	for _, f := range a.Findings {
		if f.Severity == candidate.Blocking && f.Code != candidate.FindConflict {
			return count(n, "problem to fix first", "problems to fix first")
		}
	}
	return count(n, "conflict", "conflicts")
}

func blocking(a *candidate.Picture) int {
	n := 0
	for _, f := range a.Findings {
		if f.Severity == candidate.Blocking {
			n++
		}
	}
	return n
}

// findings shows what is no longer as the run left it, worst first.
func findings(s Screen, r *checkpoint.Run, a *candidate.Picture) {
	for _, level := range []candidate.Severity{candidate.Blocking, candidate.Warning, candidate.Info} {
		told := map[candidate.Code]bool{}
		for _, f := range a.Findings {
			switch {
			case f.Severity != level || told[f.Code]:
			case grouped[f.Code] != [2]string{}:
				told[f.Code] = true
				group(s, r, a, f)
			default:
				finding(s, f)
			}
		}
	}
}

// grouped are findings about single files that are told together, with the words for one of them and for more.
var grouped = map[candidate.Code][2]string{
	candidate.FindInput:    {"file this run reads changed on %s since it stopped", "files this run reads changed on %s since it stopped"},
	candidate.FindSameFile: {"file changed here and on %s, in other places", "files changed here and on %s, in other places"},
	candidate.FindManifest: {"list of dependencies changed on %s", "lists of dependencies changed on %s"},
}

// group tells of all files of one kind of finding, with what was done to each, and who did.
func group(s Screen, r *checkpoint.Run, a *candidate.Picture, like candidate.Finding) {
	var rows [][]string
	for _, f := range a.Findings {
		if f.Code != like.Code || f.Severity != like.Severity {
			continue
		}
		row := []string{"             " + s.cut(Clean(f.Path), 36)}
		if f.By != nil {
			row = append(row, fmt.Sprintf("+%d -%d", f.By.Added, f.By.Deleted),
				fmt.Sprintf("%s, %s", s.cut(Clean(f.By.Author), 20), s.when(f.By.When)), f.By.Commit.Short())
		}
		rows = append(rows, row)
	}
	words := grouped[like.Code]
	s.say("  %-8s %s\n", levels[like.Severity], fmt.Sprintf(count(len(rows), words[0], words[1]), Clean(baseName(r))))
	const most = 8
	more := len(rows) - most
	s.table(rows[:min(most, len(rows))])
	if more > 0 {
		s.say("             and %d more\n", more)
	}
}

// levels are the words for how grave a finding is.
var levels = map[candidate.Severity]string{candidate.Blocking: "blocked", candidate.Warning: "warning", candidate.Info: "info"}

// needsPath reports whether a finding's text does not name its file itself: what readers of other systems doubt does.
func needsPath(f candidate.Finding) bool {
	return f.Path != "" && !strings.HasPrefix(f.Text, f.Path) && !strings.HasPrefix(f.Text, path.Base(f.Path)+" ")
}

func finding(s Screen, f candidate.Finding) {
	word := levels[f.Severity]
	switch f.Code {
	case candidate.FindConflict:
		word = "conflict "
	case candidate.FindBranchLost:
		word = "missing"
	}
	text := Clean(f.Text)
	if needsPath(f) {
		text = s.cut(Clean(f.Path), 60) + "  " + text
	}
	s.row(word, text)
	const indent = "             "
	if f.Code == candidate.FindUntrusted { // whoever approves them must have seen all
		for _, line := range commandLines(f.More, indent, s.width()) {
			s.say("%s\n", line)
		}
		return
	}
	if f.Code == candidate.FindPlanChanged { // a command stays whole, to be copied
		for _, m := range f.More {
			s.say("%s%s\n", indent, Clean(m))
		}
		return
	}
	const most = 6
	for i, m := range f.More {
		if i == most {
			s.say("%sand %d more\n", indent, len(f.More)-most)
			break
		}
		s.paragraph(indent, indent, Clean(m))
	}
}

// around says where the run works, what was compared, saved and comes next.
func around(s Screen, a *assess.Assessment) {
	r := &a.Summary.Run
	if a.Tree.Path != "" {
		s.where(a.Tree.Path, onBranch(&a.Summary))
	}
	if since := sinceWords(a, Clean(r.Base.Name)); since != "" {
		s.row("since", since)
	}
	if a.Snapshot.ID != "" {
		if held(a.Snapshot) != noContent {
			saved(s, "saved", savedNames(a), "as "+a.Snapshot.Name())
		}
		for _, what := range unsaved(a.Snapshot.Left) {
			s.row("unsaved", what+", kept in place")
		}
	} else if len(a.Uncommitted) > 0 {
		saved(s, "unsaved", some(a.Uncommitted), "")
	}
	switch a.Point.Kind {
	case tasks.StepRun:
		s.say("  next     %s\n", firstLine(s, a.Point.Task.Run))
	case tasks.StepReport:
		if a.Summary.Found != nil {
			return // it says why, too
		}
		if _, t := r.Current(); t != nil {
			s.row("next", nextTask(s, t))
		}
	}
}

// firstLine is the beginning of a command; what is left out is at its end, where that can be seen.
func firstLine(s Screen, command string) string {
	text, more, _ := strings.Cut(strings.TrimSpace(command), "\n")
	shown, _ := quote.Escape(text)
	runes := []rune(shown)
	width := s.width() - len("  next     ") - len(" …")
	switch {
	case s.Terminal && len(runes) > width:
		return string(runes[:width]) + " …"
	case more != "":
		return shown + " …"
	}
	return shown
}

// sinceWords says what changed on the base, under the name that is given for it.
func sinceWords(a *assess.Assessment, base string) string {
	r := &a.Summary.Run
	switch {
	case a.Summary.Found != nil && !a.ComparedBase():
		return "" // nothing was compared
	case r.Base.Name == "" || r.Closed() || a.Conflicts == nil && a.Has(candidate.FindCannotTell, candidate.FindBaseGone):
		return ""
	case a.Conflicts == nil:
		return fmt.Sprintf("nothing has changed on %s", base)
	case len(a.Conflicts.Conflicts) == 0:
		return fmt.Sprintf("no overlap with what changed on %s (%s checked)", base, count(a.Touched, "file", "files"))
	default:
		return fmt.Sprintf("%s touched here, compared with %s", count(a.Touched, "file", "files"), base)
	}
}

// WaysOut names the command for each way out of a stop.
func WaysOut(s Screen, a *assess.Assessment, d assess.Decision) {
	ways := waysOut(a, d)
	if len(ways) == 0 {
		return
	}
	if a.Snapshot.ID != "" && held(a.Snapshot) != noContent {
		s.warn("\nNothing was changed; uncommitted work is saved as\n  %s\nOne of:\n", a.Snapshot.Name())
	} else {
		s.warn("\nNothing was changed. One of:\n")
	}
	s.ways(ways)
}

// ways lists commands, each with what it does. A command stays whole, to be copied.
func (s Screen) ways(ways [][2]string) {
	width := 0
	for _, w := range ways {
		width = max(width, len([]rune(w[0])))
	}
	for _, w := range ways {
		if width+len([]rune(w[1]))+len("    ") <= s.width() {
			s.warn("  %s  %s\n", pad(w[0], width), w[1])
			continue
		}
		s.warn("  %s\n", w[0])
		s.OnErr().paragraph("      ", "      ", w[1])
	}
}

// where names a worktree as the user would reach it from here.
func (s Screen) where(path, branch string) {
	shown := Clean(s.near(path))
	if shown == "." {
		shown = "this folder"
	}
	if s.Terminal && len("  where    ")+len([]rune(shown+branch)) > s.width() { // each on a line of its own
		s.row("where", s.cut(shown, s.width()-len("  where    ")))
		if branch != "" {
			s.row("", strings.TrimSpace(branch))
		}
		return
	}
	s.say("  where    %s%s\n", shown, branch)
}

// near is a path as seen from where the user stands, if that is shorter.
func (s Screen) near(path string) string {
	if rel, err := filepath.Rel(s.Dir, path); err == nil && s.Dir != "" && len(rel) < len(path) {
		return rel
	}
	return path
}

// saved names files, and where they are kept.
func saved(s Screen, word, names, as string) {
	s.row(word, strings.TrimSpace(names+" "+as))
}

// again is the command that goes on with what was said already and one flag more.
func again(id string, d assess.Decision, flag string) string {
	format, values := "git resume %s", []any{id}
	for _, g := range d.Given {
		if slices.Contains(strings.Fields(flag), g) {
			continue
		}
		name, value, valued := strings.Cut(g, "=")
		format += " " + name
		if valued {
			format, values = format+" %s", append(values, value)
		}
	}
	return command(format+" "+flag, values...)
}

func waysOut(a *assess.Assessment, d assess.Decision) [][2]string {
	id := a.Summary.Called()
	drop := [2]string{command("git resume --discard %s", id), "drop the run, recoverably"}
	if a.Summary.Found != nil {
		drop[1] = "hide it in this clone (can be undone)"
		if a.Summary.Found.Worktree != "" && a.Summary.Found.Branch != "" {
			drop[1] = "hide it, and drop its worktree (can be undone)"
		}
	}
	if a.Summary.Found != nil && (d.Why == assess.WhyConflicts || d.Why == assess.WhyUnrecoverable) {
		if ways := treeWays(a, drop); ways != nil {
			return ways
		}
		return append(despite(a, id, d), foreignWays(a)...)
	}
	switch d.Why {
	case assess.WhyConflicts:
		if ways := treeWays(a, drop); ways != nil {
			return ways
		}
		out := [][2]string{{command("git resume review %s", id), "look at what it built"}}
		if a.Has(candidate.FindConflict, candidate.FindCannotTell) {
			out = append(out, pastConflicts(a, id, d)...)
		}
		if n, t := a.Summary.Run.Current(); t != nil && t.State == checkpoint.Active && a.Snapshot.ID != "" && a.SettingAsideHelps() {
			out = append(out, [2]string{command("git resume %s --from %s", id, t.ID), fmt.Sprintf("set task %d's edits aside and redo it", n)})
		}
		return append(out, drop)
	case assess.WhyBusy:
		out := [][2]string{{command("git resume status %s", id), "see who works on it"}}
		if a.Summary.Found != nil && !a.Summary.Run.HandedAt.IsZero() {
			out = append(out, [2]string{command("git resume %s --print", id), "see the brief again, and hand nothing over"})
		}
		if pids := a.Summary.Life.TaskPIDs; len(pids) > 0 {
			out = append(out, [2]string{"kill " + strings.Trim(fmt.Sprint(pids), "[]"), "end its task; what it did is then looked at"})
		}
		if d.Flag != "" {
			out = append(out, [2]string{again(id, d, d.Flag), "only if you are sure"})
		}
		if l := a.Summary.Life; l.Driver == proc.Alive && !l.Held() {
			out = append(out, [2]string{command("git resume pause %s", id), "take it from its worker; then continue it"})
		}
		return out
	case assess.WhyUnrecoverable:
		out := [][2]string{{command("git resume %s --restart", id), "start again from task 1; keeps all"}}
		if n := a.Redo; n > 1 && n <= len(a.Summary.Run.Tasks) {
			task := a.Summary.Run.Tasks[n-1].ID
			out = append(out, [2]string{command("git resume %s --from %s", id, task), fmt.Sprintf("branch at %s again, redo from task %d", a.Survivor.Short(), n)})
		}
		return append(out, drop)
	case assess.WhyDecision:
		if a.Has(candidate.FindElsewhere, candidate.FindLinesMissing) { // nothing else is done about it before
			return [][2]string{{command("git resume log %s", id), "see what was recorded, and by whom"}, {command("git resume %s --takeover", id), "take it over; then it can be continued here"}}
		}
		ways := decisionWays(a, d, drop)
		if len(unsaved(a.Snapshot.Left)) > 0 { // there is no way to a clean tree that keeps all
			ways = slices.DeleteFunc(ways, func(w [2]string) bool { return w[1] == flagMeans["--retry"] })
		}
		if a.Has(candidate.FindRebuilt) { // it must have a journal before it can be dropped
			ways = ways[:len(ways)-1]
		}
		return ways
	}
	return nil
}

// chooses is the command that does an alternative.
func chooses(m *candidate.Summary, name string) string {
	return command("git resume %s --choose %s", m.Called(), shownName(m, name))
}

// shownName is the name of an alternative as people see it; those of our own runs are plain words already.
func shownName(m *candidate.Summary, name string) string {
	if m.Found == nil {
		return name
	}
	return sources.ShownName(name)
}

// foreignWays are what the work's own system lets somebody do about it, but to go on as if nothing were in the way.
func foreignWays(a *assess.Assessment) [][2]string {
	var out [][2]string
	for _, alt := range a.Summary.Alternatives() {
		if alt.Name != sources.Continue {
			out = append(out, [2]string{chooses(&a.Summary, alt.Name), Clean(alt.Text)})
		}
	}
	return out
}

// pastConflicts are the ways to continue although the same lines changed elsewhere.
func pastConflicts(a *assess.Assessment, id string, d assess.Decision) [][2]string {
	var out [][2]string
	if a.Conflicts != nil { // git merges only what has an ancestor in common
		out = append(out, [2]string{again(id, d, "--update"), "merge the base into it; you resolve"})
	}
	return append(out, [2]string{again(id, d, "--despite-conflicts"), "continue on the old base, merge later"})
}

// despite are the ways to continue another system's work where nothing but a conflict with its base is in the way.
func despite(a *assess.Assessment, id string, d assess.Decision) [][2]string {
	if d.Why != assess.WhyConflicts || !a.OnlyConflicts() {
		return nil
	}
	return pastConflicts(a, id, d)
}

// treeWays are the ways out where the worktree itself is in the way; none if it is not.
func treeWays(a *assess.Assessment, drop [2]string) [][2]string {
	path := a.Tree.Path
	then := "then go on with: " + unbroken(command("git resume %s", a.Summary.Run.ID))
	switch {
	case a.Has(candidate.FindTreeMoved) && a.Has(candidate.FindOperation, candidate.FindOtherBranch): // one thing after the other
		return [][2]string{{command("git worktree repair %s", path), then}}
	case a.Has(candidate.FindTreePlace) && a.Link != "":
		return [][2]string{{command("rm %s", a.Link), "remove the link if it is not needed; " + then}}
	case a.Has(candidate.FindTreeForeign) && a.Tree.Of != "":
		return [][2]string{{command("git -C %s resume", path), "go on there; this repository seems to be a copy"}}
	case a.Has(candidate.FindTreeForeign) && a.Tree.Taken:
		return [][2]string{{command("git worktree move %s %s.mine", path, path), then}}
	case a.Has(candidate.FindTreeForeign):
		return [][2]string{{command("mv %s %s.mine", path, path), then}}
	case a.Has(candidate.FindOperation):
		drop[0] = command("git resume --discard %s --force", a.Summary.Run.ID)
		look := command("git resume %s", fmt.Sprintf("git:%s@%s", a.Tree.Operation, gitops.Where(treePlace(a))))
		return [][2]string{{look, "finish or abort it; " + then}, drop}
	case a.Has(candidate.FindOtherBranch):
		r := &a.Summary.Run
		back := command("git -C %s switch %s", path, shortBranch(r.Branch))
		if a.Has(candidate.FindBranchDeleted) { // or renamed; what it was renamed to stays
			back = command("git -C %s switch -c %s %s", path, shortBranch(r.Branch), r.Head.Short())
		}
		return [][2]string{{back, then}, drop}
	}
	return nil
}

// treePlace is where the run's worktree is registered.
func treePlace(a *assess.Assessment) locate.Place {
	if filepath.Base(filepath.Dir(a.Tree.Admin)) == "worktrees" {
		return locate.Place{GitDir: a.Tree.Admin}
	}
	return locate.Place{GitDir: a.Tree.Admin, CommonDir: a.Tree.Admin}
}

func decisionWays(a *assess.Assessment, d assess.Decision, drop [2]string) [][2]string {
	id := a.Summary.Called()
	if strings.HasPrefix(d.Flag, "git ") {
		return [][2]string{{d.Flag, "after reading them"}, drop}
	}
	var out [][2]string
	for flag := range strings.SplitSeq(d.Flag, " or ") {
		out = append(out, [2]string{again(id, d, flag), flagMeans[flag]})
	}
	if alts := a.Summary.Alternatives(); a.Summary.Found != nil && len(alts) > 0 {
		out[0][1] = "continue anyway"
		if alts[0].Name == sources.Continue {
			out[0][1] = Clean(alts[0].Text)
		}
		out = append(out, foreignWays(a)...)
	}
	if !a.Preflighted { // who has just read every check is not sent there
		out = append(out, [2]string{command("git resume %s --preflight", id), "see every check"})
	}
	return append(out, drop)
}

var flagMeans = map[string]string{
	"--yes":                    "continue anyway",
	"--mode=interactive --yes": "continue anyway",
	"--retry":                  "run it again from a clean tree; all is saved",
	"--keep":                   "run it again on top of what it left",
	"--mark-done":              "take what it left as its result",
}

// Preflight shows every check, whatever came of it, and every file that the run touched.
func Preflight(s Screen, a *assess.Assessment, files []compare.FileState) {
	r := &a.Summary.Run
	PreflightTitle(s, title(r))
	if f := a.Summary.Found; f != nil && f.Headline != "" {
		s.paragraph("  ", "  ", Clean(f.Headline))
	}
	for _, c := range checks {
		fine := c.fine
		switch say := fineWords[c.name]; {
		case a.Summary.Found != nil:
			fine = foreignFine(a, c.name)
		case say != nil:
			fine = say(a, files)
		}
		check(s, a, c.name, fine, c.codes)
	}
	otherFindings(s, a)
	ageRow(s, a)
	if a.Snapshot.ID != "" {
		checkRow(s, "info", "uncommitted", strings.TrimSuffix(savedNames(a), ",")+"; saved in a snapshot")
	}
	fileTable(s, a, files)
	ownFiles(s, a)
	s.say("\n")
	s.paragraph("", "      ", remaining(a))
	warnings := 0
	for _, f := range a.Findings {
		if f.Severity == candidate.Warning {
			warnings++
		}
	}
	risk := "low"
	if blocking(&a.Picture) > 0 {
		risk = "high"
	} else if warnings > 0 {
		risk = "medium"
	}
	s.say("Risk: %s (%s, %s)\n", risk, count(warnings, "warning", "warnings"), count(blocking(&a.Picture), "blocking finding", "blocking findings"))
}

// PreflightTitle begins a pre-flight report.
func PreflightTitle(s Screen, name string) {
	first, now := "Pre-flight for "+name, s.Now.Format("2 Jan 2006 15:04")
	room := min(s.width(), columns) - len([]rune(first)) - len(now)
	if room < 1 {
		s.say("%s\n  %s\n", first, now)
		return
	}
	s.say("%s%s%s\n", first, strings.Repeat(" ", room), now)
}

// checkRow is one row of a pre-flight report: what came of a check, which one, and what was seen.
func checkRow(s Screen, result, name, text string) {
	first := fmt.Sprintf("  %-11s %-12s ", result, name)
	words := strings.Split(text, " ")
	for i, w := range words {
		if strings.Contains(w, "/") && !strings.Contains(w, noBreak) { // a path cannot be broken
			words[i] = s.cut(w, s.width()-len(first))
		}
	}
	s.paragraph(first, strings.Repeat(" ", len(first)), strings.Join(words, " "))
}

// unchecked is the result of a check that nobody made; it is never called ok.
const unchecked = "not checked"

func ageRow(s Screen, a *assess.Assessment) {
	age, advice := "ok", ""
	switch {
	case a.Summary.Run.LastAt.IsZero():
		checkRow(s, unchecked, "age", "nothing tells when it was last worked on")
		return
	case ahead(s.Now, a.Summary.Run.LastAt):
		checkRow(s, unchecked, "age", "it says that it was last worked on at a time that is still to come")
		return
	case a.Has(candidate.FindStale):
		age = candidate.Warning.String()
		if a.Summary.Found != nil {
			advice = "; review it before you continue"
		}
	}
	checkRow(s, age, "age", fmt.Sprintf("%s (%s)%s", Long(a.Silent), a.Age, advice))
}

// checks are the rows of the pre-flight report: what is fine if none of the codes was found.
var checks = []struct {
	name, fine string
	codes      []candidate.Code
}{
	{"repository", "no rebase, merge or bisect under way", []candidate.Code{candidate.FindOperation}},
	{"worktree", "present, registered, on its branch", []candidate.Code{candidate.FindTreeMissing, candidate.FindTreeMoved, candidate.FindTreeForeign, candidate.FindTreePlace, candidate.FindOtherBranch}},
	{"branch", "where the last record saw it", []candidate.Code{candidate.FindBranchDeleted, candidate.FindBranchLost, candidate.FindBranchRewrote, candidate.FindBranchForeign}},
	{"checkpoints", "all readable; trailers and notes agree", []candidate.Code{candidate.FindDamaged, candidate.FindDiverged, candidate.FindRebuilt, candidate.FindLanded}},
	{"owner", "nobody works on it", []candidate.Code{candidate.FindAlive, candidate.FindMaybeAlive, candidate.FindIdle, candidate.FindUnchecked, candidate.FindPaused}},
	{"base", "where the last record saw it", []candidate.Code{candidate.FindBaseMoved, candidate.FindBaseGone, candidate.FindBaseRewritten}},
	{"files", "no overlap with what changed elsewhere", []candidate.Code{candidate.FindConflict, candidate.FindExpected, candidate.FindSameFile, candidate.FindInput, candidate.FindManifest, candidate.FindCannotTell}},
	{"tasks", "every result is valid, none was cut off", []candidate.Code{candidate.FindInvalid, candidate.FindPartly, candidate.FindByHand, candidate.FindAttemptsUsedUp, candidate.FindQuestion}},
	{"plan", "as the run adopted it, commands approved", []candidate.Code{candidate.FindPlanChanged, candidate.FindUntrusted}},
	{"others", "no other run does the same work", []candidate.Code{candidate.FindSameWork}},
}

// fineWords say more than "fine" where the run knows more.
var fineWords = map[string]func(*assess.Assessment, []compare.FileState) string{
	"worktree": func(a *assess.Assessment, _ []compare.FileState) string {
		return "present, registered, on " + Clean(shortBranch(a.Summary.Run.Branch))
	},
	"checkpoints": func(a *assess.Assessment, _ []compare.FileState) string {
		return count(a.Summary.Run.Events, "record", "records") + " readable; trailers and notes agree"
	},
	"owner": func(a *assess.Assessment, _ []compare.FileState) string {
		r := &a.Summary.Run
		if last := cmp.Or(r.Driver, r.Owner); last != nil {
			return fmt.Sprintf("process %d (%s) is gone; the lock is free", last.PID, Clean(program(last)))
		}
		return "nobody works on it"
	},
	"plan": func(a *assess.Assessment, _ []compare.FileState) string {
		if len(a.Plan.Tasks) == 0 {
			return "none: its tasks are reported"
		}
		return "as adopted: every need exists, no cycle, commands approved"
	},
	"files": func(a *assess.Assessment, files []compare.FileState) string {
		if len(files) == 0 {
			return "none touched yet"
		}
		here, base, same := 0, 0, 0
		for _, f := range files {
			switch {
			case f.Here != compare.Same:
				here++
			case f.Base != compare.Same:
				base++
			default:
				same++
			}
		}
		return fmt.Sprintf("%d touched: %d as committed, %d not committed, %d changed on %s", len(files), same, here, base, Clean(baseName(&a.Summary.Run)))
	},
}

// foreignFine says what was looked at in another system's work; nothing where nothing was.
func foreignFine(a *assess.Assessment, check string) string {
	f := a.Summary.Found
	switch {
	case check == "repository" && a.Tree.Health == worktree.Usable:
		return "no rebase, merge or bisect under way"
	case check == "worktree" && f.Worktree != "":
		return "present and registered"
	case check == "branch" && a.Tip() != "":
		return fmt.Sprintf("%s is at %s", Clean(shortBranch(f.Branch)), a.Tip().Short())
	case check == "owner" && a.Written > 0 && a.Written < candidate.Quiet:
		return "no process of it was seen; its state changed " + Long(a.Written) + " ago"
	case check == "owner":
		return "no process of it, and no change in the last minutes, was seen"
	case check == "base" && f.Base != "" && f.Branch != "" && !a.ComparedBase():
		return unchecked + ": there is no branch yet that could be compared with " + Clean(f.Base)
	case check == "base" && a.ComparedBase():
		return "nothing new on " + Clean(f.Base)
	case check == "files" && a.ComparedBase():
		return "no overlap with what changed on the base"
	case check == "tasks" && (a.Has(sources.DoubtPhaseInvalid) || f.Rebuilt):
		return "" // another row says which must be done again, or from what they were put together
	case check == "tasks":
		return foreignTasksRow(a)
	}
	return ""
}

// otherFindings shows what no row asks about: the doubts that a source has about its own system's state.
func otherFindings(s Screen, a *assess.Assessment) {
	for _, f := range a.Findings {
		asked := f.Code == candidate.FindStale
		for _, c := range checks {
			asked = asked || slices.Contains(c.codes, f.Code)
		}
		if !asked {
			checked(s, f, "state")
		}
	}
}

func check(s Screen, a *assess.Assessment, name, fine string, codes []candidate.Code) {
	found := false
	for _, f := range a.Findings {
		for _, c := range codes {
			if f.Code != c {
				continue
			}
			found = true
			checked(s, f, name)
		}
	}
	if found || fine == "" {
		return
	}
	if text, ok := strings.CutPrefix(fine, unchecked+": "); ok {
		checkRow(s, unchecked, name, text)
		return
	}
	checkRow(s, "ok", name, fine)
}

func checked(s Screen, f candidate.Finding, name string) {
	text := Clean(f.Text)
	if needsPath(f) {
		text = s.cut(Clean(f.Path), 40) + "  " + text
	}
	checkRow(s, f.Severity.String(), name, text)
}

// fileTable says of each file in play what became of it, those first that are not the same everywhere.
func fileTable(s Screen, a *assess.Assessment, files []compare.FileState) {
	if len(files) == 0 {
		return
	}
	base, compared := Clean(baseName(&a.Summary.Run)), a.ComparedBase()
	text := "Its files: what changed since its last commit"
	if f := a.Summary.Found; f != nil && f.Worktree == "" { // it shares the worktree with other work
		text = "Files of its worktree, of this work or not: what changed since the last commit"
	}
	if compared {
		text += ", and on " + base + " since it started"
	}
	s.say("\n")
	s.paragraph("", "", text)
	var rows [][]string
	const most = 30
	left := 0
	for _, moved := range []bool{true, false} {
		for _, f := range files {
			if (f.Here != compare.Same || f.Base != compare.Same) != moved {
				continue
			}
			if len(rows) == most {
				left++
				continue
			}
			row := []string{"  " + s.cut(Clean(f.Path), 40), hereWords[f.Here]}
			if compared {
				row = append(row, fmt.Sprintf(baseWords[f.Base], base))
			}
			rows = append(rows, row)
		}
	}
	s.table(rows)
	if left > 0 {
		s.say("  and %s\n", count(left, "more file", "more files"))
	}
}

// hereWords say what was done to a file in the worktree since the run's last commit, baseWords what on the base since the run started.
var (
	hereWords = map[compare.Difference]string{
		compare.Same: "as committed", compare.Edited: "edited, not committed", compare.Added: "new, not committed", compare.Removed: "deleted, not committed",
	}
	baseWords = map[compare.Difference]string{
		compare.Same: "not changed on %s", compare.Edited: "changed on %s too", compare.Added: "added on %s too", compare.Removed: "deleted on %s",
	}
)

// remaining lists what is left to do, in order.
func remaining(a *assess.Assessment) string {
	var left []string
	if f := a.Summary.Found; f != nil {
		switch {
		case f.State == sources.Corrupt || f.State == sources.Unknown:
			return "Plan: not known"
		case a.Verdict == candidate.Blocked || a.Verdict == candidate.Unrecoverable:
			return "Plan: nothing continues before what is blocking above is put right"
		case nextIsNoTask(f):
			left = append(left, Clean(f.Point.Task))
		}
	}
	for i, t := range a.Summary.Run.Tasks {
		if f := a.Summary.Found; f != nil && i < len(f.Tasks) && f.Tasks[i].Aside {
			continue
		}
		if t.State != checkpoint.Done && t.State != checkpoint.Skipped {
			left = append(left, Clean(string(t.ID)))
		}
	}
	if len(left) == 0 {
		return "Plan: nothing is left to do"
	}
	const most = 12
	if len(left) > most {
		left = append(left[:most], fmt.Sprintf("… %d more", len(left)-most))
	}
	return "Plan: " + strings.Join(left, " → ")
}

// Handed says where the run stands after the user's own tool had it.
func Handed(s Screen, j *journal.Journal, h *resume.Handed) {
	r := &j.Run
	if r.Finished {
		Finished(s.OnErr(), r)
		return
	}
	if h.Code != 0 {
		s.Note("'%s' ended with code %d", s.OnErr().cut(Clean(h.Command), 60), h.Code)
	}
	if n, t := r.Current(); t != nil {
		s.Note("Stopped at task %d of %d, nothing lost; continue with: %s", n, len(r.Tasks), command("git resume %s", r.ID))
	}
}

// Mended says what was put right before the run went on.
func Mended(s Screen, steps []assess.Mend) {
	for _, m := range steps {
		s.Note("done: %s", m)
	}
}

// Several lists the candidates to choose from; what is older than stale is only counted, unless all of it is.
func Several(s Screen, runs []candidate.Summary, stale time.Duration) (shown []candidate.Summary) {
	for _, m := range runs {
		if s.Now.Sub(m.Run.LastAt) <= stale {
			shown = append(shown, m)
		}
	}
	old := len(runs) - len(shown)
	if len(shown) == 0 {
		shown, old = runs, 0
	}
	s.warn("%s in this repository\n\n", count(len(runs), "run is open", "runs are open"))
	numberedRuns(s.OnErr(), shown)
	if old > 0 {
		s.warn("  %d older than %s (git resume status --all)\n", old, Long(stale))
	}
	return shown
}

// numberedRuns numbers the runs. Where one of them is known by its kind and subject, each has a second line for that.
func numberedRuns(s Screen, shown []candidate.Summary) {
	listed := slices.ContainsFunc(shown, func(m candidate.Summary) bool { return m.Found != nil && m.Found.Listed != "" })
	rows := [][]string{{"    ", "run", "source", "state", "at", "last", "check"}}
	for i := range shown {
		m := &shown[i]
		rows = append(rows, []string{fmt.Sprintf("%4d", i+1), Clean(string(m.Run.ID)), m.Source(), string(m.State), position(m), s.when(m.Run.LastAt), checkWord(m)})
	}
	if !listed {
		s.table(rows)
		return
	}
	for i := range rows {
		rows[i] = slices.Delete(rows[i], 4, 5)
	}
	width := 0
	if s.Terminal {
		width = s.width()
	}
	for i, lines := range tableRows(rows, width) {
		for _, line := range lines {
			s.say("%s\n", line)
		}
		if i > 0 {
			s.paragraph("      ", "      ", position(&shown[i-1]))
		}
	}
}

// checkWord sums up in a word or two what is known against a candidate.
func checkWord(m *candidate.Summary) string {
	if a := m.Checked; a != nil {
		switch n := blocking(a); {
		case a.Verdict == candidate.Warnings:
			return count(warnings(a), "warning", "warnings")
		case a.Verdict == candidate.Blocked && n > 0:
			return count(n, "conflict", "conflicts")
		}
		return string(a.Verdict)
	}
	if m.Found == nil {
		return ""
	}
	n := 0
	for _, d := range m.Found.Doubts {
		if d.Severity == candidate.Blocking {
			return Clean(d.Text)
		}
		if d.Severity == candidate.Warning {
			n++
		}
	}
	if n > 0 {
		return count(n, "warning", "warnings")
	}
	return ""
}

func warnings(a *candidate.Picture) int {
	n := 0
	for _, f := range a.Findings {
		if f.Severity == candidate.Warning {
			n++
		}
	}
	return n
}
