// Package outcome prints what a command did, for example that a run was started, a task ended or a run was merged.
package outcome

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/handler/merge"
	"github.com/git-resume/git-resume/internal/handler/reporting"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/screen/words"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/staging"
	"github.com/git-resume/git-resume/worktree"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// Started prints that a run was started, or that it was already open. It prints only the path of the worktree on stdout, so that scripts
// can read it.
func Started(s page.Page, st *staging.Started) {
	r := &st.Journal.Run
	n, t := r.Current()
	switch {
	case st.Again && r.Begun() && t != nil:
		s.Note("%s is open: continuing at task %d of %d", words.Title(r), n, len(r.Tasks))
	case st.Again && r.Begun():
		s.Note("%s is open, but all of its tasks are done or skipped", words.Title(r))
	case st.Again:
		s.Note("%s was already started, but no task has started", words.Title(r))
	default:
		s.Note("started %s: %s from %s %s", r.ID, phrase.Count(len(r.Tasks), "task", "tasks"), words.BaseName(r), r.Base.Commit.Short())
	}
	s.Path(st.Path)
	madeTree(s, st.Tree)
	Unpublished(s, st.Journal)
	if len(st.Commands) > 0 || st.Again {
		return
	}
	if t != nil && t.Asks {
		s.Hint("answer its first question with " + phrase.Double("git resume answer --run %s %s TEXT", r.ID.Suffix(), t.ID))
	} else if t != nil {
		s.Hint(fmt.Sprintf("report with %s and %s", phrase.Double("git resume task start %s", t.ID), phrase.Double("git resume task done %s", t.ID)))
	} else {
		s.Hint(fmt.Sprintf("report with %s and %s", phrase.Double("git resume task start ID --add"), phrase.Double("git resume task done ID")))
	}
}

// FinishedBefore prints that the plan has already been executed. This happens if an earlier command was killed after the last task.
func FinishedBefore(s page.Page, st *staging.Started) {
	r := &st.Journal.Run
	s.Note("%s had already finished when the earlier command was killed, so nothing is run again", words.Title(r))
	if st.Path != "" {
		s.Path(st.Path)
	}
	s.Hint(fmt.Sprintf("use %s to see the result, or repeat the command with %s to start another run", phrase.Double("git resume review %s", r.ID), phrase.Double("--new")))
}

// Unpublished warns that the journal could not be copied to the notes ref. The journal itself is complete.
func Unpublished(s page.Page, j *journal.Journal) {
	if j.PublishError != nil {
		s.Note("warning: the journal is written, but its notes ref could not be updated: %s", quote.Clean(j.PublishError.Error()))
	}
}

// verbs holds the word for each report, for example "started".
var verbs = map[reporting.Verb]string{
	reporting.Add: "added", reporting.Start: "started", reporting.Done: "done", reporting.Fail: "failed",
	reporting.Block: "blocked", reporting.Skip: "skipped", reporting.Reset: "reset",
}

// Reported prints what a report changed.
func Reported(s page.Page, v reporting.Verb, rep *reporting.Reported) {
	r := &rep.Journal.Run
	line := fmt.Sprintf("%s: task %d of %d, %s, %s", words.Title(r), rep.Number, len(r.Tasks), quote.Clean(string(rep.Task.ID)), verbs[v])
	switch {
	case rep.Already:
		line += " already"
	case rep.Made:
		line += " as " + rep.Commit.ID.Short()
	case rep.Commit.ID != "":
		line += " with " + rep.Commit.ID.Short()
	case v == reporting.Done && rep.Left > 0:
		line += ", nothing committed"
	case v == reporting.Done:
		line += ", no changes to commit"
	}
	s.Say("%s\n", line)
	if rep.Unanswered != "" {
		s.Note("note: its question is closed without an answer: %s", quote.Clean(rep.Unanswered))
		s.Hint("ask it again with " + phrase.Double("git resume task block %s --ask QUESTION", rep.Task.ID))
	}
	reportNotes(s, rep)
	if rep.Task.Reported {
		s.Note("the result of this task is added to %s after its worker has ended", quote.Clean(words.ShortBranch(r.Branch)))
	}
	if rep.Left > 0 {
		text := phrase.Count(rep.Left, "change stays", "changes stay") + " uncommitted"
		if len(rep.Others) > 0 {
			text += ", from before the task: " + phrase.Some(rep.Others)
		}
		s.Note("%s", text)
		if r.Here && !rep.Made && rep.Commit.ID == "" && v == reporting.Done && !r.Finished {
			s.Hint(fmt.Sprintf("to commit files of the task, use %s and name them: %s", phrase.Double("git resume task reset %s", rep.Task.ID), phrase.Double("git resume task done %s PATH...", rep.Task.ID)))
		}
	}
	if r.Finished {
		Finished(s, r)
	}
}

// Unadded lists nested repositories that git could not add to the commit.
func Unadded(s page.Page, paths []string) {
	if len(paths) == 0 {
		return
	}
	what := "repositories without a commit, which cannot be added; commit in them, or ignore them"
	if len(paths) == 1 {
		what = "a repository without a commit, which cannot be added; commit in it, or ignore it"
	}
	s.Note("note: not in the commit: %s (%s)", phrase.Some(paths), what)
}

// outside lists changed files outside a sparse checkout that git could not add to the commit.
func outside(s page.Page, paths []string) {
	if len(paths) > 0 {
		s.Note("note: not in the commit: %s (outside the sparse checkout; git before 2.34 cannot add such files)", phrase.Some(paths))
	}
}

// staged prints where staged content was saved if it differs from the files. Otherwise it prints nothing.
func staged(s page.Page, rep *reporting.Reported) {
	if len(rep.Staged) > 0 && rep.StagedIn.ID != "" {
		s.Note("note: staged content that differs from the files in the worktree (%s) is saved as %s", phrase.Some(rep.Staged), words.SavedAs(rep.StagedIn.Label()))
	}
}

// reportNotes prints the output of git hooks, and warnings such as an unsigned commit.
func reportNotes(s page.Page, rep *reporting.Reported) {
	if out := strings.TrimSpace(rep.Commit.HookOutput); out != "" {
		for line := range strings.Lines(out) {
			s.Warn("hook: %s\n", quote.Clean(line))
		}
	}
	if rep.Commit.Author != "" {
		s.Note("note: git does not see your own settings in this environment, so git-resume read the author of the commit from them itself: %s", quote.Clean(rep.Commit.Author))
	}
	if rep.Commit.Unsigned != "" {
		s.Note("warning: the commit is not signed: %s", quote.Clean(rep.Commit.Unsigned))
	}
	Unadded(s, rep.Commit.Unadded)
	outside(s, rep.Commit.Outside)
	staged(s, rep)
	if rep.Saved.ID != "" {
		s.Note("uncommitted changes (%s) are saved as %s", words.Held(rep.Saved), words.SavedAs(rep.Saved.Label()))
		NotSaved(s, rep.Saved.Left)
	}
	for _, id := range rep.Found {
		s.Note("note: task '%s' was committed, but not recorded as done; it is recorded now", quote.Clean(string(id)))
	}
	Unpublished(s, rep.Journal)
}

// Finished prints that a run is finished.
func Finished(s page.Page, r *checkpoint.Run) {
	tally, commits := words.TallyOf(r.Tasks), 0
	for _, t := range r.Tasks {
		if t.Commit != "" {
			commits++
		}
	}
	took := ""
	if ended := endOf(r); !ended.IsZero() {
		took = " in " + phrase.Long(ended.Sub(r.Started))
	}
	tasks := phrase.Count(len(r.Tasks), "task", "tasks")
	text := words.Title(r) + " finished: " + tasks + took
	if tally.Done < len(r.Tasks) { // somebody skipped tasks, or ended the run early
		text = fmt.Sprintf("%s finished%s: %d of %s done%s", words.Title(r), took, tally.Done, tasks, tally.Besides())
	}
	if r.Stops > 0 {
		text += ", " + phrase.Count(r.Stops, "stop", "stops")
	}
	if commits > 0 {
		text += ", " + phrase.Count(commits, "commit", "commits")
	}
	s.Say("%s\n", text)
	if r.Here || r.MergedWhole() {
		return
	}
	merge := quote.Command("git resume merge %s", r.ID)
	if r.Base.Name == "" {
		merge = words.MergeByHand(r.Branch)
	}
	s.Hint(fmt.Sprintf("use %s to look, %s to merge", phrase.Double("git resume review %s", r.ID), phrase.Unbroken(quote.Between(`"`, merge))))
}

// endOf returns when a run finished. If something else happened to the run after that, such as a merge, it returns when the last task
// ended. The result is zero if no task has ended.
func endOf(r *checkpoint.Run) (at time.Time) {
	if r.LastEvent == checkpoint.RunFinished {
		return r.LastAt
	}
	for _, t := range r.Tasks {
		if t.Ended.After(at) {
			at = t.Ended
		}
	}
	return at
}

// Over prints why a run cannot be continued, for example because it is discarded, and what the user can do with it.
func Over(s page.Page, m *candidate.Summary) {
	r := &m.Run
	switch {
	case r.Discarded:
		with := ""
		if text := words.LeftOpen(m); text != "" {
			with = ", with " + text
		}
		s.Tell("%s is discarded%s", words.Title(r), with)
		s.Hint(fmt.Sprintf("use %s to get it back", phrase.Double("git resume undo %s", r.ID)))
	case r.Superseded != "":
		s.Say("%s was started again as %s\n", words.Title(r), quote.Clean(r.Superseded))
		s.Hint(fmt.Sprintf("use %s to continue there", phrase.Double("git resume %s", r.Superseded)))
	default:
		Finished(s, r)
	}
}

// Checkpointed prints what a checkpoint saved.
func Checkpointed(s page.Page, rep *reporting.Reported) {
	r := &rep.Journal.Run
	if rep.Already {
		s.Say("%s: nothing to commit\n", words.Title(r))
		staged(s, rep)
		if rep.Left > 0 && r.Here {
			s.Hint("stage the files that belong to the run, or name them: " + phrase.Double("git resume checkpoint --commit PATH..."))
		}
		return
	}
	s.Say("%s: checkpoint %s\n", words.Title(r), rep.Commit.ID.Short())
	reportNotes(s, rep)
	if rep.Left > 0 {
		s.Note("%s uncommitted", phrase.Count(rep.Left, "change stays", "changes stay"))
	}
}

// Answered prints that an answer was stored.
func Answered(s page.Page, j *journal.Journal, id checkpoint.TaskID) {
	s.Say("%s: answer to '%s' stored\n", words.Title(&j.Run), quote.Clean(string(id)))
	if j.Run.Finished {
		Finished(s, &j.Run)
	}
}

// AnsweredAlive prints that the worker of a run is still there, so that the run was not continued after an answer.
func AnsweredAlive(s page.Page, m *candidate.Summary) {
	worker := "its worker"
	if d := m.Run.Driver; d != nil && d.PID > 0 {
		worker = fmt.Sprintf("%s (%s)", words.Process(d.PID), quote.Clean(words.Program(d)))
	}
	s.Note("The run was not continued here, because %s is still working on it; tell it that there is an answer.", worker)
	s.OnErr().Hint("it can read the answer with " + phrase.Double("git resume %s --print", m.Run.ID))
}

// madeTree prints warnings about a new worktree, and which files were copied into it.
func madeTree(s page.Page, c *worktree.Created) {
	if c == nil {
		return
	}
	if c.Inside {
		s.Note("warning: the worktree is inside the repository, because nothing can be created beside it")
	}
	if c.Husk != "" {
		s.Note("note: files left by an interrupted start were moved to %s", quote.Clean(c.Husk))
	}
	if len(c.Brought) > 0 {
		s.Note("taken along: %s", phrase.Some(c.Brought))
	}
	if len(c.Differs) > 0 {
		s.Note("warning: you edited these files, but the new worktree starts from another version of them: %s", phrase.Some(c.Differs))
	}
	if len(c.Missing) > 0 {
		s.Note("not in the new worktree, because they are not committed: %s", phrase.Some(c.Missing))
		s.Hint("--take copies them")
	}
	if len(c.MissingIgnored) > 0 {
		s.Note("not in the new worktree, because they are ignored: %s", phrase.Some(c.MissingIgnored))
		s.Hint("the setting resume.copyIgnored lists the files to copy")
	}
}

// Saved prints what a snapshot contains, what it could not include, and whether the text was recorded.
func Saved(s page.Page, v *staging.Saved) {
	r := &v.Journal.Run
	text := ""
	switch {
	case v.Text == "":
	case v.Snapshot.ID == "":
		text = ", so the text was not recorded"
	case v.Known:
		text = ", which has this text already"
	default:
		text = "; the text was recorded with it"
	}
	switch {
	case v.Snapshot.ID == "" && !slices.ContainsFunc(v.Snapshot.Left, func(l snapshot.Omission) bool { return l.Kind != snapshot.Ignored }):
		s.Say("%s: there are no uncommitted changes%s\n", words.Title(r), text)
		return
	case v.Snapshot.ID == "":
		s.Say("%s: nothing was saved%s\n", words.Title(r), text)
	case !v.Snapshot.Made:
		s.Say("%s: nothing has changed since the newest snapshot %s%s\n", words.Title(r), v.Snapshot.Label(), text)
	default:
		s.Say("%s: saved %s as %s\n", words.Title(r), words.Held(v.Snapshot), words.SavedAs(v.Snapshot.Label()))
	}
	NotSaved(s, v.Snapshot.Left)
}

// NotSaved lists the files that were not saved.
func NotSaved(s page.Page, left []snapshot.Omission) {
	by := words.ByKind(left)
	for _, k := range []snapshot.LeftKind{snapshot.Ignored, snapshot.Nested, snapshot.Large, snapshot.Unreadable} {
		if len(by[k]) > 0 {
			s.Note("not saved (%s): %s", k, phrase.Some(by[k]))
		}
	}
}

// Merged prints that a run was merged into its base, or that it had been merged before.
func Merged(s page.Page, m *merge.Merged) {
	r := &m.Journal.Run
	switch {
	case m.Already:
		s.Say("%s is already in %s\n", words.Title(r), quote.Clean(m.Base))
	case m.Finished:
		s.Say("finished the merge of %s into %s as %s\n", words.Title(r), quote.Clean(m.Base), m.Commit.Short())
	case m.Squash:
		s.Say("squashed %s into %s as %s\n", words.Title(r), quote.Clean(m.Base), m.Commit.Short())
	default:
		s.Say("merged %s into %s as %s\n", words.Title(r), quote.Clean(m.Base), m.Commit.Short())
	}
	if n := len(m.Uncommitted); n > 0 {
		s.Note("not in the merge: %s in %s (%s)", phrase.Count(n, "uncommitted file", "uncommitted files"), quote.Clean(s.Near(m.At)), phrase.Some(m.Uncommitted))
	}
	if m.Since > 0 {
		s.Note("merged up to %s; %s came meanwhile", m.Tip.Short(), phrase.Count(m.Since, "commit", "commits"))
		s.Hint("merge what came with " + phrase.Double("git resume merge %s", words.Called(r)))
	} else if r.Finished {
		s.Hint("discard the run and its worktree with " + phrase.Double("git resume --discard %s", words.Called(r)))
	}
}

// StillOpen prints after a merge that the rest of another system's work is not built yet, and how to continue it.
func StillOpen(s page.Page, key string, f *sources.Found) {
	unit := f.Unit()
	left := phrase.Count(f.OpenTasks(), unit+" is", unit+"s are") + " still open"
	if f.Worktree != "" {
		left += "; its worktree and its branch stay for " + map[bool]string{true: "it", false: "them"}[f.OpenTasks() == 1]
	}
	s.Note("%s", left)
	s.Hint("continue with " + phrase.Double("git resume %s", key))
}

// LeftOut prints which tasks of a finished run are not done. It prints nothing if all are.
func LeftOut(s page.Page, r *checkpoint.Run) {
	by := map[checkpoint.TaskState][]string{}
	for _, t := range r.Tasks {
		by[t.State] = append(by[t.State], string(t.ID))
	}
	text := fmt.Sprintf("%d of %s done", len(by[checkpoint.Done]), phrase.Count(len(r.Tasks), "task", "tasks"))
	for _, state := range []checkpoint.TaskState{checkpoint.Failed, checkpoint.Skipped} {
		if ids := by[state]; len(ids) > 0 {
			text += fmt.Sprintf(", %s: %s", state, phrase.Some(ids))
		}
	}
	if len(by[checkpoint.Done]) < len(r.Tasks) {
		s.Note("note: %s was finished with %s", words.Title(r), text)
	}
}

// Handed prints the state of the run after the user's hand-off command, or the coding agent, has ended.
func Handed(s page.Page, j *journal.Journal, h *resume.Handed) {
	r := &j.Run
	if r.Finished {
		Finished(s.OnErr(), r)
		return
	}
	if h.Agent != "" {
		agentEnded(s, r, h)
	} else if h.Code != 0 {
		s.Note("'%s' ended with code %d", s.OnErr().Cut(quote.Clean(h.Command), 60), h.Code)
	}
	if n, t := r.Current(); t != nil {
		s.Note("Stopped at task %d of %d, nothing lost; continue with: %s", n, len(r.Tasks), quote.Command("git resume %s", r.ID))
	}
}

// Repaired prints what was repaired before the run continued.
func Repaired(s page.Page, steps []assess.Repair) {
	for _, m := range steps {
		s.Note("done: %s", m)
	}
}
