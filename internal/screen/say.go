package screen

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/handler/reporting"
	"github.com/git-resume/git-resume/internal/handler/start"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/staging"
	"github.com/git-resume/git-resume/worktree"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// Hint gives advice on stderr, if it is wanted.
func (s Screen) Hint(text string) {
	if s.Hints {
		s.OnErr().paragraph("  (", "   ", text+")")
	}
}

// Note says something on stderr that is not an error.
func (s Screen) Note(format string, args ...any) { s.warn(format+"\n", args...) }

// Ask puts a question on stderr; the answer is typed on the same line.
func (s Screen) Ask(format string, args ...any) { s.warn(format, args...) }

// Started says that a run begins. The worktree's path, which scripts want, is all that goes to stdout.
func Started(s Screen, st *staging.Started) {
	r := &st.Journal.Run
	n, t := r.Current()
	switch {
	case st.Again && r.Begun() && t != nil:
		s.Note("%s is open: going on at task %d of %d", title(r), n, len(r.Tasks))
	case st.Again:
		s.Note("%s was started before, and nothing is done yet", title(r))
	default:
		s.Note("started %s: %s from %s %s", r.ID, count(len(r.Tasks), "task", "tasks"), baseName(r), r.Base.Commit.Short())
	}
	s.path(st.Path)
	madeTree(s, st.Tree)
	Unpublished(s, st.Journal)
	if len(st.Commands) > 0 || st.Again {
		return
	}
	if t != nil {
		s.Hint(fmt.Sprintf("report with %s and %s", double("git resume task start %s", t.ID), double("git resume task done %s", t.ID)))
	} else {
		s.Hint(fmt.Sprintf("report with %s and %s", double("git resume task start ID --add"), double("git resume task done ID")))
	}
}

// FinishedBefore says that a plan which is started again was done already, although nobody was told.
func FinishedBefore(s Screen, st *staging.Started) {
	r := &st.Journal.Run
	s.Note("%s had finished when the command that ran it was killed: nothing is run again", title(r))
	if st.Path != "" {
		s.path(st.Path)
	}
	s.Hint(fmt.Sprintf("use %s to look, and add %s to run it once more", double("git resume review %s", r.ID), double("--new")))
}

// path prints a path that was asked for: byte for byte where a script takes it, and on a terminal so that nothing hides in it.
func (s Screen) path(path string) {
	if !s.Terminal {
		_, _ = io.WriteString(s.Out, path+"\n") // the stream remembers what could not be written
		return
	}
	shown, _ := quote.Escape(path)
	s.say("%s\n", shown)
}

func baseName(r *checkpoint.Run) string {
	if r.Base.Name == "" {
		return "commit"
	}
	return Clean(r.Base.Name)
}

// Unpublished warns that the notes ref could not be set; the record itself is safe.
func Unpublished(s Screen, j *journal.Journal) {
	if j.PublishError != nil {
		s.Note("warning: the journal is recorded but not published as notes: %s", Clean(j.PublishError.Error()))
	}
}

// verbs are the words for a report that was taken.
var verbs = map[reporting.Verb]string{
	reporting.Start: "started", reporting.Done: "done", reporting.Fail: "failed",
	reporting.Block: "blocked", reporting.Skip: "skipped", reporting.Reset: "reset",
}

// Reported says what came of a report.
func Reported(s Screen, v reporting.Verb, rep *reporting.Reported) {
	r := &rep.Journal.Run
	line := fmt.Sprintf("%s: task %d of %d, %s, %s", title(r), rep.Number, len(r.Tasks), Clean(string(rep.Task.ID)), verbs[v])
	switch {
	case rep.Already:
		line += " already"
	case rep.Made:
		line += " as " + rep.Commit.ID.Short()
	case rep.Commit.ID != "":
		line += " with " + rep.Commit.ID.Short()
	case v == reporting.Done:
		line += ", no changes to commit"
	}
	s.say("%s\n", line)
	aside(s, rep)
	if rep.Left > 0 {
		s.Note("%s uncommitted", count(rep.Left, "change stays", "changes stay"))
		if r.Here && !rep.Made && rep.Commit.ID == "" && v == reporting.Done {
			s.Hint("this run has no worktree of its own: name what belongs to the task, " + double("git resume task done %s PATH...", rep.Task.ID))
		}
	}
	if r.Finished {
		Finished(s, r)
	}
}

// Unadded names repositories that git could not put into a commit; they stay where they are.
func Unadded(s Screen, paths []string) {
	if len(paths) == 0 {
		return
	}
	what := "repositories without a commit, which cannot be added; commit in them, or ignore them"
	if len(paths) == 1 {
		what = "a repository without a commit, which cannot be added; commit in it, or ignore it"
	}
	s.Note("note: not in the commit: %s (%s)", some(paths), what)
}

// staged says where content is that was staged, and that no file and no commit has.
func staged(s Screen, rep *reporting.Reported) {
	if len(rep.Staged) > 0 && rep.StagedIn.ID != "" {
		s.Note("note: what was staged and is not in the files (%s) is saved as %s", some(rep.Staged), rep.StagedIn.Name())
	}
}

// aside passes on what hooks said and what could not be done.
func aside(s Screen, rep *reporting.Reported) {
	if out := strings.TrimSpace(rep.Commit.HookOutput); out != "" {
		for line := range strings.Lines(out) {
			s.warn("hook: %s\n", Clean(line))
		}
	}
	if rep.Commit.Unsigned != "" {
		s.Note("warning: the commit is not signed: %s", Clean(rep.Commit.Unsigned))
	}
	Unadded(s, rep.Commit.Unadded)
	staged(s, rep)
	if rep.Saved.ID != "" {
		s.Note("what is uncommitted (%s) is saved as %s", held(rep.Saved), rep.Saved.ID.Short())
		notSaved(s, rep.Saved.Left)
	}
	for _, id := range rep.Found {
		s.Note("note: task '%s' had landed before it was recorded; recorded now", Clean(string(id)))
	}
	Unpublished(s, rep.Journal)
}

// Finished says that a run is over.
func Finished(s Screen, r *checkpoint.Run) {
	text := fmt.Sprintf("%s finished: %s in %s", title(r), count(len(r.Tasks), "task", "tasks"), Long(r.LastAt.Sub(r.Started)))
	if r.Stops > 0 {
		text += ", " + count(r.Stops, "stop", "stops")
	}
	commits := 0
	for _, t := range r.Tasks {
		if t.Commit != "" {
			commits++
		}
	}
	if commits > 0 {
		text += ", " + count(commits, "commit", "commits")
	}
	s.say("%s\n", text)
	if r.Here || r.Merged != "" {
		return
	}
	merge := command("git resume merge %s", r.ID)
	if r.Base.Name == "" {
		merge = mergeByHand(r.Branch)
	}
	s.Hint(fmt.Sprintf("use %s to look, %s to merge", double("git resume review %s", r.ID), unbroken(quote.Between(`"`, merge))))
}

// mergeByHand is how git merges a branch.
func mergeByHand(branch string) string {
	return command("git merge %s", revision(shortBranch(branch)))
}

// Over says that a run has nothing to continue, and what can be done with it.
func Over(s Screen, m *candidate.Summary) {
	r := &m.Run
	switch {
	case r.Discarded:
		s.say("%s is discarded\n", title(r))
		s.Hint(fmt.Sprintf("use %s to get it back", double("git resume undo %s", r.ID)))
	case r.Superseded != "":
		s.say("%s was started again as %s\n", title(r), Clean(r.Superseded))
		s.Hint(fmt.Sprintf("use %s to go on there", double("git resume %s", r.Superseded)))
	default:
		Finished(s, r)
	}
}

// Checkpointed says what a checkpoint saved.
func Checkpointed(s Screen, rep *reporting.Reported) {
	r := &rep.Journal.Run
	if rep.Already {
		s.say("%s: nothing to commit\n", title(r))
		staged(s, rep)
		if rep.Left > 0 && r.Here {
			s.Hint("stage what belongs to the run, or name it: " + double("git resume checkpoint --commit PATH..."))
		}
		return
	}
	s.say("%s: checkpoint %s\n", title(r), rep.Commit.ID.Short())
	aside(s, rep)
	if rep.Left > 0 {
		s.Note("%s uncommitted", count(rep.Left, "change stays", "changes stay"))
	}
}

// Paused says that a run was stopped on purpose.
func Paused(s Screen, j *journal.Journal) {
	s.say("%s is paused; nothing continues it by itself\n", title(&j.Run))
	s.Hint(fmt.Sprintf("the next %s under %s goes on", double("git resume task start"), j.Run.ID.Suffix()))
}

// Answered says that an answer is stored.
func Answered(s Screen, j *journal.Journal, id checkpoint.TaskID) {
	s.say("%s: answer to '%s' stored\n", title(&j.Run), Clean(string(id)))
	if j.Run.Finished {
		Finished(s, &j.Run)
	}
}

// Log shows the events of a run, one a line.
func Log(s Screen, id checkpoint.RunID, lines []checkpoint.Line) {
	bad := 0
	for _, l := range lines {
		if l.Bad {
			bad++
			s.say("%s\n", "unreadable  "+s.cut(Clean(l.Text), 66))
			continue
		}
		s.say("%s\n", logLine(l.Event))
		for _, why := range l.Event.Reasons { // why it was judged to be safe
			indent := strings.Repeat(" ", len("2006-01-02 15:04:05  "))
			s.paragraph(indent, indent, Clean(why))
		}
	}
	if bad > 0 {
		s.Note("warning: %s of %s cannot be read; kept", count(bad, "line", "lines"), id)
	}
}

func logLine(e checkpoint.Event) string {
	parts := []string{e.At.UTC().Format("2006-01-02 15:04:05"), pad(Clean(string(e.Event)), 14)}
	add := func(s string) {
		if s != "" {
			parts = append(parts, Clean(s))
		}
	}
	add(string(e.Task))
	add(e.Commit.Short())
	if e.Event == checkpoint.Snapshot || e.Event == checkpoint.RunDiscarded || e.Event == checkpoint.RunActed {
		add(e.Tree.Short()) // what was kept
	}
	if e.Found {
		add("found by its commit")
	}
	if e.Event == checkpoint.RunActed {
		e.Name = sources.ShownName(e.Name)
	}
	add(e.Name)
	add(e.Cause)
	if e.ExitCode != nil {
		add(fmt.Sprintf("exit %d", *e.ExitCode))
	}
	add(e.Until)
	if e.Event == checkpoint.RunResumed {
		add("after " + Long(time.Duration(e.Silent)*time.Second))
		add(e.Verdict)
	}
	add(e.Text)
	if e.Epoch > 0 {
		add(fmt.Sprintf("claim %d", e.Epoch))
	}
	if e.Actor != nil {
		add(fmt.Sprintf("by %s %d on %s", program(e.Actor), e.Actor.PID, e.Actor.Host))
	}
	return strings.Join(parts, "  ")
}

// History shows all runs, closed ones too; keep is how long what was discarded can be brought back.
func History(s Screen, runs []candidate.Summary, keep time.Duration) {
	if len(runs) == 0 {
		s.say("No run was ever started in this repository.\n")
		return
	}
	rows := make([][]string, 0, len(runs))
	for i := range runs {
		m := &runs[i]
		row := []string{string(m.Run.ID), string(m.State), position(m), Ago(s.Now.Sub(m.Run.LastAt))}
		rows = append(rows, append(row, becameOf(s, m, keep)))
	}
	s.table(rows)
}

// becameOf is the last column of the history: how a run stopped, or what is left of it.
func becameOf(s Screen, m *candidate.Summary, keep time.Duration) string {
	r := &m.Run
	switch m.State {
	case checkpoint.Discarded:
		return "kept until " + r.LastAt.Add(keep).In(s.Now.Location()).Format("2 Jan 2006")
	case checkpoint.Interrupted, checkpoint.FailedRun:
		why := remark(s, m)
		if _, t := r.Current(); t != nil && stopWords(m) != "" {
			why += " at " + Clean(string(t.ID))
		}
		return why
	}
	var parts []string
	if r.Merged != "" {
		parts = append(parts, "merged")
	}
	if r.Stops > 0 {
		parts = append(parts, count(r.Stops, "stop", "stops"))
	}
	return strings.Join(parts, ", ")
}

// madeTree says what came along into a new worktree and what did not.
func madeTree(s Screen, c *worktree.Created) {
	if c == nil {
		return
	}
	if c.Inside {
		s.Note("warning: the worktree lies inside the repository, since nothing can be made beside it")
	}
	if c.Husk != "" {
		s.Note("note: what a cut-off start had left was put aside as %s", Clean(c.Husk))
	}
	if len(c.Brought) > 0 {
		s.Note("taken along: %s", some(c.Brought))
	}
	if len(c.Differs) > 0 {
		s.Note("warning: edited from another version than the one in the new worktree: %s", some(c.Differs))
	}
	if len(c.Missing) > 0 {
		s.Note("not in the new worktree, since they are not committed: %s", some(c.Missing))
		s.Hint("--take brings them along")
	}
	if len(c.MissingIgnored) > 0 {
		s.Note("not in the new worktree, since they are ignored: %s", some(c.MissingIgnored))
		s.Hint("the setting resume.copyIgnored names those to copy")
	}
}

// some names the first few of many.
func some(names []string) string {
	const most = 5
	shown := make([]string, 0, most)
	for _, n := range names[:min(most, len(names))] {
		shown = append(shown, Clean(n))
	}
	text := strings.Join(shown, ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Saved says what a snapshot holds and what it does not.
func Saved(s Screen, v *staging.Saved) {
	r := &v.Journal.Run
	switch {
	case v.Snapshot.ID == "":
		s.say("%s: nothing is uncommitted\n", title(r))
		return
	case !v.Snapshot.Made:
		s.say("%s: the newest snapshot %s holds exactly this\n", title(r), v.Snapshot.ID.Short())
	default:
		s.say("%s: saved %s as %s\n", title(r), held(v.Snapshot), v.Snapshot.ID.Short())
	}
	notSaved(s, v.Snapshot.Left)
}

const noContent = "no content"

// held names what is in a snapshot: of a repository inside the tree only its commit is, and of some files nothing.
func held(snap snapshot.Snapshot) string {
	left := byKind(snap.Left)
	out := slices.Concat(left[snapshot.Nested], left[snapshot.Large], left[snapshot.Unreadable])
	names := slices.DeleteFunc(slices.Clone(snap.Paths), func(p string) bool { return slices.Contains(out, strings.TrimSuffix(p, "/")) })
	if len(names) == 0 && len(out) > 0 {
		return noContent
	}
	for i, name := range names {
		if slices.Contains(snap.Deleted, name) { // nothing of it is in place
			names[i] = name + " (deleted)"
		}
	}
	return some(names)
}

// unsaved says what of the user's work is in no snapshot, and why; ignored files are counted elsewhere.
func unsaved(left []snapshot.Left) []string {
	var out []string
	for _, k := range []struct {
		kind snapshot.LeftKind
		why  string
	}{
		{snapshot.Nested, "a repository of its own"}, {snapshot.Large, "larger than resume.maxFile"}, {snapshot.Unreadable, "cannot be read"},
	} {
		if names := byKind(left)[k.kind]; len(names) > 0 {
			out = append(out, fmt.Sprintf("%s (%s)", some(names), k.why))
		}
	}
	return out
}

func byKind(left []snapshot.Left) map[snapshot.LeftKind][]string {
	by := map[snapshot.LeftKind][]string{}
	for _, l := range left {
		by[l.Kind] = append(by[l.Kind], strings.TrimSuffix(l.Path, "/"))
	}
	return by
}

// notSaved names what was not saved.
func notSaved(s Screen, left []snapshot.Left) {
	by := byKind(left)
	for _, k := range []snapshot.LeftKind{snapshot.Ignored, snapshot.Nested, snapshot.Large, snapshot.Unreadable} {
		if len(by[k]) > 0 {
			s.Note("not saved (%s): %s", k, some(by[k]))
		}
	}
}

// OpenAlready shows open work that a start may have meant, and what can be done about it.
func OpenAlready(s Screen, e *start.OpenWorkError) {
	s.Note("%s:", e.Error())
	list(s, e)
	s.warn("\n  c  continue it\n  r  look at what was built\n  m  merge it\n  f  start again from the beginning; what was built is kept\n  b  start another one beside it\n  q  leave all as it is\n")
}

// savedNames says which files a snapshot holds. One of a worktree that other work shares holds theirs as well:
// only the work's own are named, and the others counted.
func savedNames(a *assess.Assessment) string {
	f := a.Summary.Found
	if f == nil || f.Worktree != "" || len(a.Snapshot.Paths) == 0 {
		return held(a.Snapshot)
	}
	own := a.Snapshot
	own.Paths = slices.DeleteFunc(slices.Clone(own.Paths), func(p string) bool { return !f.Holds(p) })
	others := len(a.Snapshot.Paths) - len(own.Paths)
	switch {
	case others == 0:
		return held(own)
	case len(own.Paths) == 0:
		return count(others, "uncommitted file of this worktree, not of this work,", "uncommitted files of this worktree, none of this work,")
	}
	return held(own) + ", and " + count(others, "uncommitted file of this worktree that is not of this work,", "uncommitted files of this worktree that are not of this work,")
}
