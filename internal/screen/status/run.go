package status

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/screen/words"
	"github.com/git-resume/git-resume/internal/sources"
)

// who describes the process that works or last worked on a run, or returns "".
func who(s page.Page, m *candidate.Summary) string {
	if len(m.Life.TaskPIDs) > 0 {
		return "its task (pid " + strings.Trim(fmt.Sprint(m.Life.TaskPIDs), "[]") + ") is still running although git-resume died"
	}
	a := m.Run.Driver
	// Show the owner if the last reporting process is unknown, or if it is dead while somebody holds the run's lock.
	if a == nil || m.Life.OwnerLock && m.Life.Driver == proc.Dead {
		a = m.Run.Owner
	}
	if m.Run.Rebuilt {
		return "rebuilt from commits"
	}
	if a == nil {
		return ""
	}
	name := s.Cut(quote.Clean(words.Program(a)), 24)
	if a.PID != 0 { // without a process id, only the session of a coding agent is known
		name += fmt.Sprintf(" %d", a.PID)
	}
	fate := m.Life.Driver
	if a == m.Run.Owner {
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
		return fmt.Sprintf("%s on %s, cannot be checked from here", name, quote.Clean(a.Host))
	}
}

// elapsed returns how long the active task has been running, or "" if there is no such task or it has just started.
func elapsed(s page.Page, m *candidate.Summary) string {
	t := candidate.ActiveTask(m)
	if t == nil {
		return ""
	}
	d := s.Now.Sub(t.Started)
	if d < time.Second || t.Command == "" && d < time.Minute {
		return ""
	}
	return phrase.Long(d)
}

// progress returns how long the task has been running, and the last line of its output.
func progress(s page.Page, m *candidate.Summary) string {
	text := ""
	if since := elapsed(s, m); since != "" {
		text = ", for " + since
	}
	if m.Run.Paused {
		text += ", then paused"
	}
	if m.Output != "" {
		text += ": " + s.Cut(quote.Clean(m.Output), s.Width())
	}
	return text
}

// doubts prints warnings and notes about a run, for example about problems with its journal.
func doubts(s page.Page, m *candidate.Summary) {
	r := &m.Run
	id := string(r.ID)
	if r.Unreadable > 0 {
		s.Paragraph("", "  ", fmt.Sprintf("warning: %s: %s of the journal cannot be read, but all of its text is still stored", id, phrase.Count(r.Unreadable, "line", "lines")))
	}
	if r.Diverged {
		s.Paragraph("", "  ", fmt.Sprintf("warning: %s: two clones worked on it independently; both records are kept (%s)", id, phrase.Unbroken(quote.Command("git resume log %s", id))))
	}
	if words := r.Unheard(); r.Ours() && len(words) > 0 && !r.Closed() {
		s.Paragraph("", "  ", fmt.Sprintf("warning: %s: its journal has %s from another clone or user; see them with %s", id, phrase.Count(r.Others.Lines, "record", "records"), phrase.Unbroken(quote.Command("git resume log %s", id))))
	}
	shared(s, m)
	if r.Lent != nil && !r.Closed() {
		s.Paragraph("", "  ", fmt.Sprintf("note: %s: lent as branch %s %s; pull that branch, then end the loan with %s", id, quote.Name(r.Lent.Branch), phrase.Ago(s.Now.Sub(r.Lent.At)),
			phrase.Unbroken(quote.Command("git resume %s --takeover", id))))
	}
	if m.Rebuilt != "" {
		s.Paragraph("", "  ", fmt.Sprintf("warning: %s: its journal cannot be read: %s", id, quote.Clean(m.Rebuilt)))
	}
	if r.Rebuilt {
		s.Paragraph("", "  ", fmt.Sprintf("warning: %s: its journal is missing; its state was rebuilt from the trailers of its commits", id))
	}
	if r.Unknown > 0 {
		s.Paragraph("", "  ", fmt.Sprintf("warning: %s: its journal has %s of a newer git-resume, ignored but kept", id, phrase.Count(r.Unknown, "event", "events")))
	}
	for _, t := range r.Tasks {
		if t.Found && !r.Rebuilt && t.LastSeq == 0 || t.Found && t.State == checkpoint.Done && m.State != checkpoint.FinishedRun && !r.Rebuilt {
			s.Paragraph("", "  ", fmt.Sprintf("note: %s: the end of task '%s' was not recorded, but its commit %s was found", id, quote.Clean(string(t.ID)), t.Commit.Short()))
		}
	}
}

// shared prints at which remote a run is shared, and who had its lease when the remote was last asked. It does not contact the remote.
func shared(s page.Page, m *candidate.Summary) {
	seen := m.Seen
	if seen == nil || m.Run.Closed() {
		return
	}
	who := "nobody has its lease"
	switch {
	case seen.Free || seen.Lease == 0:
	case seen.Ours:
		who = fmt.Sprintf("this clone has its lease (number %d)", seen.Lease)
	case seen.By == "":
		who = fmt.Sprintf("somebody else has its lease (number %d)", seen.Lease)
	default:
		who = fmt.Sprintf("%s has its lease (number %d)", quote.Clean(seen.By), seen.Lease)
	}
	s.Paragraph("", "  ", fmt.Sprintf("note: %s: shared at %s; %s, as seen there %s", m.Run.ID, quote.Name(seen.Remote), who, phrase.Ago(s.Now.Sub(seen.At))))
}

// Run prints one run with its tasks.
func Run(s page.Page, m candidate.Summary) {
	r := &m.Run
	if m.Found != nil {
		foreignRun(s, m)
		return
	}
	if m.Vanished() && !r.Closed() {
		runWithoutState(s, &m)
		return
	}
	s.Headed(words.Title(r), words.Headline(&m, s.Now))
	listTasks(s, &m)
	s.Say("\n")
	where := m.Path
	if where == "" && m.Checked != nil && m.Checked.Has(candidate.FindTreeMoved) {
		where = m.Checked.Tree.Path
	}
	if where == "" {
		where = quote.Clean(r.Worktree) + " (not there)"
	}
	if r.Worktree != "" || m.Path != "" {
		s.Where(where, words.OnBranch(&m))
	}
	if r.Base.Name != "" {
		s.Say("  base     %s %s\n", quote.Clean(r.Base.Name), r.Base.Commit.Short())
	}
	if w := who(s, &m); w != "" && !r.Closed() {
		s.Row("by", w)
	}
	if since := elapsed(s, &m); since != "" {
		s.Row("elapsed", since)
	}
	if m.Output != "" {
		s.Row("output", quote.Clean(m.Output))
	}
	if _, t := r.Current(); t != nil && !r.Closed() {
		s.Row("next", Next(s, t))
	}
	if m.Checked != nil {
		s.Say("  verdict  %s\n", m.Checked.Verdict)
		Findings(s, &m.Run, m.Checked)
		return
	}
	doubts(s, &m)
}

// runWithoutState prints work of another system whose state files are missing. Only the journal of git-resume is left, and it contains no
// tasks.
func runWithoutState(s page.Page, m *candidate.Summary) {
	s.Paragraph("", "  ", words.Title(&m.Run)+": "+words.Gone(m))
	switch {
	case m.Hidden:
		s.Hint(fmt.Sprintf("use %s to see it again", phrase.Double("git resume undo %s", m.Called())))
	case m.Lost && m.LostBranch != "":
		TreeBack(s, m)
	}
	doubts(s, m)
}

func Next(s page.Page, t *checkpoint.Task) string {
	switch {
	case t.Question != "" && t.Answer == "" && (t.State == checkpoint.Blocked || t.Asks):
		return fmt.Sprintf("%s %s", s.Marks.Ask, quote.Clean(t.Question))
	case t.Title != "":
		return fmt.Sprintf("%s: %s", quote.Clean(string(t.ID)), quote.Clean(t.Title))
	default:
		return quote.Clean(string(t.ID))
	}
}

// Task prints one task of a run.
func Task(s page.Page, m candidate.Summary, t checkpoint.Task) {
	s.Say("%s of %s\n\n", quote.Clean(string(t.ID)), words.Title(&m.Run))
	row := func(name, value string) {
		if value != "" {
			s.Say("  %-9s %s\n", name, quote.Clean(value))
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
		row("evidence", "a commit with this run's trailers; the task was not recorded as done")
	}
	if t.State == checkpoint.Done {
		row("doubt", t.Reason)
	}
	if !t.Started.IsZero() {
		row("started", phrase.Moment(t.Started, s.Now.Location()))
	}
	if !t.Ended.IsZero() {
		row("ended", phrase.Moment(t.Ended, s.Now.Location()))
	}
	if why := words.Failure(&t); m.Found == nil || sources.MeaningOf(why) == sources.MeansUnknown { // a status word alone gives no reason
		row("failure", why)
	}
	row("question", t.Question)
	for i, o := range t.Options {
		row(fmt.Sprint("  ", i+1), o)
	}
	row("answer", t.Answer)
}

// TreeBack prints how to restore a deleted worktree.
func TreeBack(s page.Page, m *candidate.Summary) {
	s.Hint(fmt.Sprintf("use %s to get the worktree back", phrase.Double("git worktree add -f %s %s", m.Run.Worktree, words.ShortBranch(m.LostBranch))))
}

// foreignRun prints one piece of another system's work with its tasks.
func foreignRun(s page.Page, m candidate.Summary) {
	f := m.Found
	head := words.ForeignHeadline(&m, s.Now)
	if m.State == checkpoint.Running && m.Busy != "" {
		head += ": " + quote.Clean(m.Busy)
	}
	s.Headed(words.Name(&m), head)
	if told := m.Headline(); told != "" {
		s.Paragraph("  ", "  ", quote.Clean(told))
		s.Say("\n")
	}
	Steps(s, &m, Roomy)
	word := quote.Clean(f.Status)
	if word == "" { // the other system stored no word for the state
		word = string(f.State)
	} else {
		word = "'" + word + "' is written"
	}
	s.Say("\n")
	s.Row("state", word+" in "+s.Cut(quote.Clean(f.Root), 60))
	StateSource(s, &m, "source")
	if m.Path != "" {
		s.Where(m.Path, "")
	}
	if f.Branch != "" {
		s.Say("  branch   %s\n", quote.Clean(words.ShortBranch(f.Branch)))
	}
	if f.Point.Task != "" {
		s.Row("next", words.NextStep(f))
	}
	if f.Point.Reason != "" {
		s.Row("", quote.Clean(f.Point.Reason))
	}
	NextInput(s, f)
	Questions(s, f)
	if f.From != "" {
		s.Row("last", lastSign(s, &m))
	}
	if text := words.Evidence(&m); text != "" {
		s.Row("evidence", text)
	}
	if m.Checked != nil {
		s.Say("  verdict  %s\n", m.Checked.Verdict)
		Findings(s, &m.Run, m.Checked)
		return
	}
	for _, d := range f.Doubts {
		Finding(s, candidate.Finding{Severity: d.Severity, Said: d.Text, Path: d.Path})
	}
	for _, missing := range candidate.Missing(f) {
		Finding(s, missing)
	}
	if m.Handed {
		s.Hint(fmt.Sprintf("use %s to undo the handover if nobody has started the work", phrase.Double("git resume undo %s", words.Called(&m.Run))))
	}
}

// Questions prints the open questions of another system's work. It does not print a text that is only the reason why a task is blocked.
func Questions(s page.Page, f *sources.Found) {
	const most = 9
	word, shown := "asks", 0
	for i, q := range f.Questions {
		if q.Block {
			continue
		}
		if shown++; shown > most {
			s.Row(word, fmt.Sprintf("and %d more", len(f.Questions)-i))
			return
		}
		text := quote.Clean(q.Text)
		if about := cmp.Or(q.About, q.Task); about != "" {
			text += " (" + quote.Clean(about) + ")"
		}
		s.Row(word, text)
		word = ""
	}
}

// StateSource prints the path of another system's state file, the advice of that system about an old state if there is one, and a recorded
// mode that is not taken over.
func StateSource(s page.Page, m *candidate.Summary, name string) {
	f := m.Found
	path, _ := f.Protocol["state_source_path"].(string)
	if path == "" {
		return
	}
	s.Row(name, s.Cut(quote.Clean(path), s.Width()-len("  state    ")))
	age, _ := f.Protocol["state_age"].(string)
	if advice, _ := f.Protocol["recommendation"].(string); age != "" && advice != "" && m.Busy == "" && !f.Active.After(m.Run.LastAt) { // no advice if somebody may be working, or if git-resume itself changed the state last
		s.Row("age", quote.Clean(strings.ToLower(age)+": "+words.LowerFirst(advice)))
	}
	if sources.FoldWord(f.Mode) == "autopilot" { // git-resume takes only the modes that ask more from a state file
		s.Row("mode", "its state records '"+quote.Clean(f.Mode)+"'; git-resume asks all the same, unless you add --auto")
	}
}

// NextInput prints the input files of the next step, if the other system names them.
func NextInput(s page.Page, f *sources.Found) {
	if inputs := Inputs(f); len(inputs) > 0 {
		s.Row("input", phrase.Some(inputs))
	}
}

// Inputs returns the input of the next step, if the other system names it.
func Inputs(f *sources.Found) []string {
	next, _ := f.Protocol["resume_from_phase"].(map[string]any)
	inputs, _ := next["inputs"].([]string)
	return inputs
}

// lastSign returns when another system's work was last active, and where this time was found. If git-resume itself changed the work later,
// lastSign names the time of that change instead of where the first time was found.
func lastSign(s page.Page, m *candidate.Summary) string {
	f := m.Found
	switch {
	case words.Ahead(s.Now, m.Run.LastAt):
		return "in the future, according to " + quote.Clean(f.From)
	case f.Active.After(m.Run.LastAt.Add(time.Second)):
		return s.When(m.Run.LastAt) + "; git-resume changed the files of this work " + s.When(f.Active)
	}
	return s.When(m.Run.LastAt) + ", from " + quote.Clean(f.From)
}
