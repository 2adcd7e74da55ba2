package screen

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/clone"
	"github.com/git-resume/git-resume/checkpoint/commit"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/checkpoint/owner"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/hooks"
	"github.com/git-resume/git-resume/internal/adopt"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/flock"
	"github.com/git-resume/git-resume/internal/handler/compare"
	"github.com/git-resume/git-resume/internal/handler/discard"
	"github.com/git-resume/git-resume/internal/handler/merge"
	"github.com/git-resume/git-resume/internal/handler/reporting"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/handler/start"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/tasks"
	"github.com/git-resume/git-resume/worktree"
	"github.com/git-resume/git-resume/worktree/place"
	"github.com/git-resume/git-resume/worktree/trash"
)

// Fault tells of an error: what, why, and which command helps.
func Fault(s Screen, err error) {
	var faults plan.Faults
	if errors.As(err, &faults) {
		planFaults(s, faults)
		return
	}
	s.warn("error: %s\n", oneOrMore(err.Error()))
	var kept *reporting.KeptError
	if errors.As(err, &kept) && kept.Snapshot != "" {
		s.warn("Nothing is lost: the changes are where they were, and saved as %s.\n", kept.Snapshot.Short())
	}
	for _, h := range Advice(err) {
		if s.Hints {
			s.warn("hint: %s\n", h)
		}
	}
	list(s, err)
}

// oneOrMore keeps the lines of a message, each made safe.
func oneOrMore(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i := range lines {
		lines[i] = Clean(lines[i])
	}
	return strings.Join(lines, "\n       ")
}

func planFaults(s Screen, faults plan.Faults) {
	for _, f := range faults {
		s.warn("error: %s\n", Clean(f.Error()))
		if f.Cure != "" && s.Hints {
			s.warn("hint: %s\n", Clean(f.Cure))
		}
	}
	s.warn("Nothing was started.\n")
}

// list shows the runs that an error speaks of.
func list(s Screen, err error) {
	var runs []candidate.Summary
	var amb *candidate.AmbiguousError
	var open *start.OpenWorkError
	var others *candidate.ElsewhereOnlyError
	var unnamed *resume.UnnamedError
	switch {
	case errors.As(err, &unnamed):
		runs = unnamed.Runs
	case errors.As(err, &amb):
		runs = amb.Runs
	case errors.As(err, &open):
		runs = open.Runs
	case errors.As(err, &others):
		runs = others.Runs
	default:
		return
	}
	side := s.OnErr()
	rows := make([][]string, 0, len(runs))
	for i := range runs {
		rows = append(rows, append([]string{" "}, statusRow(s, &runs[i])...))
	}
	side.table(rows)
}

// Advice gives, for each way out of an error, the command.
func Advice(err error) []string {
	if a := adviceOnRuns(err); a != nil {
		return a
	}
	if a := adviceOnElsewhere(err); a != nil {
		return a
	}
	if a := adviceOnTrees(err); a != nil {
		return a
	}
	if a := adviceOnTasks(err); a != nil {
		return a
	}
	return adviceOnGit(err)
}

// adviceOnTasks is about which task is meant, and what can be done with one that was interrupted.
func adviceOnTasks(err error) []string {
	var aim *resume.AimError
	var shelved *assess.ShelvedError
	var hand *assess.ByHandError
	switch {
	case errors.As(err, &hand):
		return []string{
			"these are too many to be kept apart from the task's; nothing was changed",
			fmt.Sprintf("commit or stash them in '%s', then repeat the command", Clean(hand.Path)),
		}
	case errors.As(err, &aim):
		return aimAdvice(aim)
	case errors.As(err, &shelved):
		return []string{
			"a clean tree would not be clean; nothing was changed",
			"continue on top of what is there with " + single("git resume %s --keep", shelved.Run),
			"or take it as the task's result with " + single("git resume %s --mark-done", shelved.Run),
		}
	}
	return nil
}

func aimAdvice(e *resume.AimError) []string {
	var out []string
	report, flag := single("git resume task skip %s", e.Task), single("git resume %s --skip=%s", e.Run, e.Now)
	if e.Flag == resume.FlagMarkDone {
		report, flag = single("git resume task done %s", e.Task), single("git resume %s --mark-done=%s", e.Run, e.Now)
	}
	if !e.Repeated {
		out = append(out, fmt.Sprintf("if it is meant, use %s in the run's worktree", report))
	}
	if e.Now != "" {
		out = append(out, fmt.Sprintf("the run stands at task '%s'; if that is meant, use %s", Clean(string(e.Now)), flag))
	}
	return append(out, "continue the run with "+single("git resume %s", e.Run))
}

func adviceOnRuns(err error) []string {
	var amb *candidate.AmbiguousError
	var open *start.OpenWorkError
	var none *candidate.NoneError
	var noTask *candidate.NoTaskError
	var state *reporting.StateError
	var closed *candidate.ClosedError
	var place *reporting.WrongPlaceError
	var untrusted *tasks.UntrustedError
	var doubt *tasks.DoubtError
	var tree *resume.TreeError
	var unready *reporting.NotReadyError
	var update *resume.UpdateError
	var lost *candidate.LostJournalError
	var unkept *resume.UnsavedError
	var scattered *candidate.ScatteredError
	var present *adopt.PresentError
	var nested *commit.NestedError
	switch changed := new(adopt.ChangedError); {
	case errors.As(err, &changed) && changed.Kept != "":
		return []string{
			"it stays as it is; nothing was undone",
			"see what it was before with " + single("git show %s", changed.Kept),
		}
	case errors.As(err, &nested) && nested.In != "":
		return []string{"commit it there, or name other paths"}
	case errors.As(err, &nested):
		return []string{"make a commit in it, or name other paths"}
	case errors.As(err, &present):
		return []string{"nothing was moved; take it away, then repeat the command"}
	case errors.As(err, &amb) && len(amb.Runs) > 0 && amb.Resume:
		return []string{"name one, as in " + single("git resume %s", amb.Runs[0].Run.ID)}
	case errors.As(err, &amb) && len(amb.Runs) > 0:
		return []string{"name one, as in " + single("git resume status %s", amb.Runs[0].Run.ID)}
	case errors.As(err, &open):
		return []string{
			"see where it stands with " + single("git resume status %s", open.Runs[0].Run.ID),
			"start another one beside it with '--new'",
		}
	case errors.As(err, &none):
		return []string{"see all runs with 'git resume status --all'"}
	case errors.As(err, &noTask):
		hints := []string{"see its tasks with " + single("git resume status %s", noTask.Run)}
		if noTask.Addable {
			hints = append(hints, "add a new task with '--add'")
		}
		return hints
	case errors.As(err, &unkept):
		return []string{
			"nothing was changed; a clean tree would lose " + strings.Join(unsaved(unkept.Left), ", "),
			"save or remove that, then repeat the command",
			"or go on with what is there: " + single("git resume %s --keep", unkept.Run),
		}
	case errors.As(err, &lost):
		return []string{"take it up first, as its commits tell it, with " + single("git resume %s --yes", lost.Run)}
	case errors.As(err, &scattered):
		return []string{"see them with " + single("git log --grep=%s", scattered.Run)}
	case errors.As(err, &unready):
		return []string{"make it ready with " + single("git resume %s", unready.Run)}
	case errors.As(err, &state) && state.Wants == "answer" && !state.Task.State.Closed():
		return []string{"it asks nothing; see what does with " + single("git resume status %s", state.Run)}
	case errors.As(err, &state):
		return []string{"make it open again with " + single("git resume task reset %s --run %s", state.Task.ID, state.Run)}
	case errors.As(err, &closed):
		return closedAdvice(closed)
	case errors.As(err, &place):
		return placeAdvice(place)
	case errors.As(err, &untrusted):
		return untrustedAdvice(untrusted)
	case errors.As(err, &doubt):
		return doubtAdvice(doubt)
	case errors.As(err, &update):
		return append(gitSays(update.Text),
			fmt.Sprintf("resolve it in '%s', 'git %s --continue' there, then %s", Clean(update.Path), update.How, single("git resume %s", update.Run)),
			fmt.Sprintf("or take it back there with 'git %s --abort'", update.How))
	case errors.As(err, &tree):
		return []string{"if it was moved, mend it with 'git worktree repair PATH'"}
	}
	return adviceOnOthers(err)
}

// adviceOnElsewhere is about what was not recorded here.
func adviceOnElsewhere(err error) []string {
	var elsewhere *checkpoint.ElsewhereError
	var others *candidate.ElsewhereOnlyError
	var notHere *discard.NotHereError
	var onBranch *resume.HereError
	var unnamed *resume.UnnamedError
	var unconfirmed *tasks.UnconfirmedError
	switch {
	case errors.As(err, &unconfirmed):
		return []string{"have it run at a terminal, where it is asked for, with " + single("git resume %s", unconfirmed.Run)}
	case errors.As(err, &unnamed):
		first := &unnamed.Runs[0]
		drop := "or stop showing it in this clone with "
		if f := first.Found; f != nil && f.Worktree != "" && f.Branch != "" {
			drop = "or drop its worktree and branch, recoverably, and stop showing it with "
		}
		return []string{
			"nothing was started or changed; name it, as in " + single("git resume %s", first.Run.ID),
			drop + single("git resume --discard %s", first.Run.ID),
		}
	case errors.As(err, &elsewhere):
		return elsewhereAdvice(elsewhere.Run, elsewhere.Lack)
	case errors.As(err, &others):
		return elsewhereAdvice(others.Runs[0].Run.ID, others.Runs[0].Run.Lack)
	case errors.As(err, &notHere):
		return []string{fmt.Sprintf("see what was recorded with %s", single("git resume log %s", notHere.Run))}
	case errors.As(err, &onBranch):
		return []string{fmt.Sprintf("check it out with %s, then repeat the command", single("git switch %s", shortBranch(onBranch.Branch)))}
	}
	return nil
}

// elsewhereAdvice says how a person takes a run over.
func elsewhereAdvice(id checkpoint.RunID, lack checkpoint.Lack) []string {
	see := fmt.Sprintf("see it with %s", single("git resume status %s", id))
	if lack == checkpoint.LackJournal {
		return []string{see, fmt.Sprintf("rebuild it from its commits with %s", single("git resume %s --yes", id))}
	}
	if lack == checkpoint.LackKey {
		return []string{see, fmt.Sprintf("find out what is wrong with the key of this user with %s", single("git resume doctor"))}
	}
	out := []string{see, fmt.Sprintf("take it over with %s", single("git resume %s --takeover", id))}
	if lack == checkpoint.LackSignature {
		out = append(out, fmt.Sprintf("take over all runs that an older version recorded here with %s", single("git resume trust --all-here")))
	}
	return out
}

// adviceOnOthers: somebody else is at it, or may be.
func adviceOnOthers(err error) []string {
	var held *owner.HeldError
	var unchecked *reporting.UncheckedError
	var stuck *flock.StuckError
	var working *adopt.AtWorkError
	var option *adopt.OptionError
	var inUse *discard.InUseError
	var living *worktree.LivingError
	var busy *trash.BusyError
	var gone *trash.DiscardedError
	var lost *discard.LostTreeError
	switch {
	case errors.As(err, &lost) && lost.Branch != "":
		return []string{"get the worktree back with " + single("git worktree add -f %s %s", lost.Path, shortBranch(lost.Branch)) + ", then repeat the command"}
	case errors.As(err, &gone):
		return []string{"nothing is lost: get it back with " + single("git -C %s resume undo %s", gone.Home, gone.Run)}
	case errors.As(err, &option):
		return optionAdvice(option)
	case errors.As(err, &stuck) && stuck.PID > 0:
		return []string{fmt.Sprintf("look at it with 'ps -o pid,stat,command -p %d'; if it was stopped, let it go on with 'kill -CONT %d'", stuck.PID, stuck.PID)}
	case errors.As(err, &stuck):
		return []string{"another git-resume may have been stopped: let it go on, or end it"}
	case errors.As(err, &working):
		return []string{
			"see where it stands with " + single("git resume status %s", working.Key),
			"only if you are sure that nobody is, repeat the command with '--force'",
		}
	case errors.As(err, &inUse):
		return inUseAdvice(inUse)
	case errors.As(err, &living):
		return []string{"wait until it ends, and repeat the command"}
	case errors.As(err, &busy):
		return []string{"wait a moment, then see where it stands with " + single("git resume status %s", busy.Run)}
	case errors.As(err, &held):
		return heldAdvice(held)
	case errors.As(err, &unchecked):
		return []string{
			fmt.Sprintf("the last record is from %s", unchecked.Last.UTC().Format("2006-01-02 15:04:05Z")),
			"only if that process is gone, repeat the command with " + single("--takeover --run %s", unchecked.Run),
		}
	}
	return nil
}

func adviceOnTrees(err error) []string {
	var data *discard.DataError
	var mid *trash.MidOperationError
	var locked *worktree.LockedError
	var taken *worktree.PathTakenError
	var branch *worktree.BranchTakenError
	var lost *worktree.NotRegisteredError
	var half *worktree.UnfinishedError
	var link *place.LinkError
	var swapped *place.SwappedError
	var unmerged *merge.MergeError
	var managed *hooks.ManagedError
	var nowhere *site.NotCheckedOutError
	var moved *discard.BaseMovedError
	var baseless *merge.BaselessError
	var none *discard.NothingToUndoError
	switch {
	case errors.As(err, &data):
		return []string{
			"they are " + some(data.Files),
			"copy away what you need, then " + single("git resume --discard %s --force", data.Run),
		}
	case errors.As(err, &mid):
		return []string{"finish or abort it first; 'git status' there says how", "or go on with '--force': its state is kept and comes back with undo"}
	case errors.As(err, &locked):
		return []string{"if that lock is not needed any more: " + single("git worktree unlock %s", locked.Path)}
	case errors.As(err, &taken) && taken.Health == worktree.Missing:
		return []string{fmt.Sprintf("another branch is registered there; forget that with %s and 'git worktree prune --expire=now'", single("git worktree unlock %s", taken.Path))}
	case errors.As(err, &taken) && taken.Health == worktree.Plain:
		return moveAway(taken.Path)
	case errors.As(err, &taken):
		return []string{"move it away, or choose another place with the setting resume.worktreeDir"}
	case errors.As(err, &branch):
		return []string{"see where it stands with " + single("git log -1 %s", revision(branch.Branch))}
	case errors.As(err, &lost) && lost.Now != "":
		return []string{"it was moved; mend its registration with " + single("git worktree repair %s", lost.Now)}
	case errors.As(err, &lost) && lost.Of != "":
		return []string{
			fmt.Sprintf("nothing there was touched: it is a worktree of '%s', of which this repository seems to be a copy", Clean(lost.Of)),
			"go on there with " + single("git -C %s resume", lost.Path),
		}
	case errors.As(err, &lost):
		return moveAway(lost.Path)
	case errors.As(err, &half) && half.Files[0] == half.Path:
		return moveAway(half.Path)
	case errors.As(err, &half):
		return takeOut(half)
	case errors.As(err, &link):
		return []string{
			"if the link is not needed, remove it with " + single("rm %s", link.Link) + ", then repeat the command",
			"for runs of its own, git resume can use another folder: set resume.worktreeDir",
		}
	case errors.As(err, &swapped):
		return []string{"find out what changes that folder, then repeat the command"}
	case errors.As(err, &managed):
		return managedAdvice(managed)
	case errors.As(err, &unmerged):
		return mergeAdvice(unmerged)
	case errors.As(err, &baseless):
		return []string{"where you want it, merge it with " + quote.Between("'", mergeByHand(baseless.Branch))}
	case errors.As(err, &nowhere):
		return []string{fmt.Sprintf("check it out with %s, then merge again", single("git switch %s", nowhere.Base))}
	case errors.As(err, &moved):
		return movedAdvice(moved)
	case errors.As(err, &none):
		return undoAdvice(none)
	case errors.Is(err, discard.ErrNothingToUndo):
		return []string{"see what was done here with 'git resume log'"}
	}
	return nil
}

// undoAdvice is for who has undone everything.
func undoAdvice(e *discard.NothingToUndoError) []string {
	var out []string
	if e.Again != "" {
		out = append(out, "take the last undo back with "+single("git resume undo --redo %s", e.Again))
	}
	if e.Made != "" {
		out = append(out, fmt.Sprintf("to continue made the worktree %s; drop it, recoverably, with %s", Clean(e.Made), single("git resume --discard %s", e.Of)))
	}
	if e.Run == "" {
		return append(out, "see what was done here with 'git resume log'")
	}
	return append(out, "see what was done with "+single("git resume log %s", e.Run))
}

// moveAway is for what may be somebody's own and stands in the way.
func moveAway(path string) []string {
	return []string{
		"nothing there was touched",
		fmt.Sprintf("move it away with %s, then repeat the command", single("mv %s %s.mine", path, path)),
	}
}

// takeOut is for files in half a worktree: the rest is put aside by itself, once they are safe.
func takeOut(e *worktree.UnfinishedError) []string {
	out := []string{"nothing there was touched; take out what is yours, then repeat the command"}
	const most = 5
	for _, name := range e.Files[:min(most, len(e.Files))] {
		from, to := e.Path+"/"+name, e.Path+"."+path.Base(name)
		out = append(out, "take it out with "+single("mv %s %s", from, to))
	}
	if more := len(e.Files) - most; more > 0 {
		out = append(out, fmt.Sprintf("and %s", count(more, "more file", "more files")))
	}
	return out
}

// gitSays repeats git's own words, line by line.
func gitSays(text string) []string {
	var out []string
	for line := range strings.Lines(strings.TrimSpace(text)) {
		out = append(out, "git says: "+strings.TrimSpace(Clean(line)))
	}
	return out
}

func mergeAdvice(e *merge.MergeError) []string {
	out := gitSays(e.Text)
	abort := "or go back to where it began with " + single("git -C %s merge --abort", e.Path)
	switch {
	case e.Half:
		return append(out, fmt.Sprintf("resolve it in '%s' and 'git merge --continue', or 'git merge --abort'", Clean(e.Path)))
	case e.Waits:
		return append(out, "finish it with "+single("git -C %s merge --continue", e.Path), abort)
	case e.Uncommitted:
		return append(out, "repair that, then finish the merge with "+single("git resume merge %s", e.Run), abort)
	case len(e.Left) > 0:
		return append(out, "not as before: "+some(e.Left), "see it with "+single("git -C %s status", e.Path)+", repair that, and merge again")
	}
	return append(out, "nothing was changed; repair that and merge again")
}

// movedAdvice takes all of a merge back by new commits: more was built on it, so that the branch itself cannot move.
func movedAdvice(e *discard.BaseMovedError) []string {
	switch {
	case e.Redo:
		return []string{"merge it again with " + single("git resume merge %s", e.Run)}
	case e.Own:
		return []string{"take the merge back with " + single("git revert -m 1 %s", e.Want.Short())}
	case e.Straight:
		return []string{"take all commits of the run back with " + single("git revert --no-edit %s", e.From.Short()+".."+e.Want.Short())}
	}
	// With a merge among them they cannot be reverted one by one: this merges the way back from the run's end to its beginning.
	return []string{
		"take everything that the run changed back with " + single("git merge-recursive %s -- HEAD %s", e.Want.Short(), e.From.Short()),
		"then record that with 'git commit'",
	}
}

func untrustedAdvice(e *tasks.UntrustedError) []string {
	out := []string{
		"read all of it with " + single("git resume trust %s --dry-run", e.Run),
		"approve it with " + single("git resume trust %s", e.Run),
	}
	return append(append(out, "it would run:"), commandLines(e.Commands, "    ", columns-len("hint: "))...)
}

func doubtAdvice(e *tasks.DoubtError) []string {
	again := func(flag string) string {
		if e.Line {
			return fmt.Sprintf("by repeating the line with '%s'", flag)
		}
		return "with " + single("git resume %s "+flag, e.Run)
	}
	out := []string{
		"run it again from a clean tree " + again("--retry"),
		"run it again on top of what is there " + again("--keep"),
		"take it as done with " + single("git resume task done %s --run %s", e.Task, e.Run),
	}
	switch rest := unsaved(e.Unsaved); {
	case e.Here:
		out = out[1:] // the tree is the user's
	case len(rest) > 0:
		out[0] = fmt.Sprintf("a clean tree would lose %s, which is in no snapshot: save or remove that first, then run it again %s",
			strings.Join(rest, ", "), again("--retry"))
	}
	if e.Moved {
		out = append([]string{"there are commits since it began; they stay"}, out...)
	}
	if len(e.Changes) > 0 {
		out = append([]string{"it left " + some(e.Changes)}, out...)
	}
	if e.Saved != "" {
		what := "what is uncommitted"
		if len(e.Unsaved) > 0 {
			what = "what else is uncommitted"
		}
		out = append([]string{fmt.Sprintf("nothing is lost: %s is saved as %s", what, e.Saved.Short())}, out...)
	}
	return out
}

func placeAdvice(e *reporting.WrongPlaceError) []string {
	switch e.What {
	case "branch":
		return []string{"go back to it with " + single("git switch %s", e.Want)}
	case "operation":
		return []string{"finish or abort it first; 'git status' says how"}
	}
	if e.Want == "" {
		return []string{"it has none yet; make it with " + single("git resume %s", e.Run)}
	}
	return []string{"go there with " + single("cd %s", e.Want)}
}

func closedAdvice(e *candidate.ClosedError) []string {
	if e.Superseded != "" {
		return []string{"another run took its place; see it with " + single("git resume status %s", e.Superseded)}
	}
	out := []string{"see what it did with " + single("git resume log %s", e.ID)}
	if e.State == checkpoint.Discarded {
		out = append(out, "get it back with "+single("git resume undo %s", e.ID))
	}
	return out
}

// inUseAdvice names who works in a worktree that was to be dropped.
func inUseAdvice(e *discard.InUseError) []string {
	var out, pids []string
	for _, p := range e.By[:min(len(e.By), maxLiving)] {
		out = append(out, fmt.Sprintf("process %d is '%s'", p.PID, commandOf(p)))
		pids = append(pids, fmt.Sprint(p.PID))
	}
	return append(out, fmt.Sprintf("wait until it ends, or end it with 'kill %s'", strings.Join(pids, " ")),
		"or repeat the command with '--force': what is written meanwhile is kept and named")
}

// maxLiving is how many processes are named.
const maxLiving = 5

// commandOf is a process's command line, as long as it is of use.
func commandOf(p proc.Process) string {
	const most = 60
	text := []rune(Clean(strings.Join(p.Args, " ")))
	if len(text) > most {
		text = append(text[:most-1], '…')
	}
	return string(text)
}

// Living names the processes that work in a worktree.
func Living(at []proc.Process) string {
	var lines []string
	for _, p := range at[:min(len(at), maxLiving)] {
		lines = append(lines, fmt.Sprintf("Process %d works in it: %s", p.PID, commandOf(p)))
	}
	if more := len(at) - maxLiving; more > 0 {
		lines = append(lines, fmt.Sprintf("and %s", count(more, "other", "others")))
	}
	return strings.Join(lines, "\n")
}

func heldAdvice(e *owner.HeldError) []string {
	out := []string{"see it with " + single("git resume status %s", e.Run)}
	if e.Task && len(e.PIDs) > 0 {
		return append(out, "wait until it ends; what it did is then looked at before anything else runs",
			fmt.Sprintf("or end it with 'kill %s'", strings.Trim(fmt.Sprint(e.PIDs), "[]")))
	}
	if e.By != nil && e.By.PID > 0 {
		out = append(out, fmt.Sprintf("process %d is '%s'; wait for it or stop it", e.By.PID, Clean(e.By.Command)))
		if e.Reports {
			out = append(out, "or take the run from it with "+single("git resume pause %s", e.Run)+", then repeat the command")
		}
	}
	return out
}

func adviceOnGit(err error) []string {
	var hook *commit.HookError
	var taken *journal.TakenError
	var key *clone.KeyError
	var busy *refs.BusyError
	var git *process.Error
	var bad *refs.BadError
	var base *merge.BaselessError
	var commit *compare.NoCommitError
	var late *process.LimitError
	if a := adviceOnDisk(err); a != nil {
		return a
	}
	switch {
	case errors.As(err, &late):
		return []string{"nothing was written by it; find out what holds it up with " + single("git %s", (&process.Error{Args: late.Args}).Command()) + ", then repeat the command"}
	case errors.As(err, &hook):
		return append(hookLines(hook.Output), "mend it and repeat the command, or skip the hooks with '--no-verify'")
	case errors.As(err, &key):
		return []string{fmt.Sprintf("if nobody else has read it, make it private with %s", single("chmod 600 %s", key.Path)),
			"otherwise remove it: a new one is made, and each run must be taken over"}
	case errors.As(err, &taken):
		return []string{fmt.Sprintf("look at it with %s, and rename or delete it if it is not needed", single("git show-ref %s", taken.Ref))}
	case errors.As(err, &busy):
		return []string{"another git process may be at work; if none is, remove the lock file that the message names"}
	case errors.Is(err, site.ErrUnborn):
		return []string{"make a first commit with 'git commit --allow-empty -m start'"}
	case errors.Is(err, locate.ErrNotRepository):
		return []string{"go into one, or make one with 'git init'"}
	case errors.Is(err, past.ErrShallow):
		return []string{"get the rest of the history with 'git fetch --unshallow', or name a commit to compare with by '--base COMMIT'"}
	case errors.Is(err, past.ErrUnrelated):
		return []string{"name a commit to compare with by '--base COMMIT'"}
	case errors.As(err, &commit) && commit.Several:
		return []string{"write more of its id"}
	case errors.As(err, &commit):
		return []string{"see the branches with 'git branch --all'"}
	case errors.Is(err, site.ErrNoWorkTree):
		return []string{"go into one; 'git worktree list' shows them"}
	case errors.As(err, &base):
		return []string{"see the branches with 'git branch --all'"}
	case errors.As(err, &bad) && bad.Ref == "HEAD":
		return []string{"it must name a branch, as in 'ref: refs/heads/main'; write that into the file HEAD of the git directory"}
	case errors.As(err, &bad):
		return []string{"see what else is damaged with 'git fsck'"}
	case errors.As(err, &git) && strings.Contains(git.Text, "did not match any files"):
		return []string{"paths are meant from the current directory; see what changed with 'git status'"}
	case errors.As(err, &git) && strings.Contains(git.Text, "index.lock"):
		return []string{"another git process may be at work in this worktree; if none is, remove the lock file that the message names"}
	}
	return nil
}

// adviceOnDisk is for what stands between us and the files.
func adviceOnDisk(err error) []string {
	var path *fs.PathError
	var old *process.TooOldError
	var refused *gitstate.RefusedError
	switch {
	case errors.As(err, &refused) && refused.Way != "":
		return []string{fmt.Sprintf("if you trust whoever can write there, let git work in it with '%s'", Clean(refused.Way))}
	case errors.As(err, &old):
		return []string{"see which one is meant with 'git version', and put a newer one first on PATH"}
	case proc.IsMissing(err):
		return []string{"install git, or put its folder on PATH"}
	case errors.Is(err, syscall.ENOSPC) || strings.Contains(err.Error(), "No space left on device"):
		return []string{"make room, then repeat the command; 'git count-objects -vH' says what the repository takes"}
	case errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS):
		if errors.As(err, &path) {
			return []string{"see whose it is with " + single("ls -ld %s", filepath.Dir(path.Path))}
		}
		var link *os.LinkError
		if errors.As(err, &link) {
			return []string{"see whose it is with " + single("ls -ld %s", filepath.Dir(link.New))}
		}
		return []string{"what the message names must be writable for you"}
	}
	return nil
}

func hookLines(output string) []string {
	var out []string
	for line := range strings.Lines(strings.TrimSpace(output)) {
		out = append(out, "it said: "+Clean(line))
		if len(out) == 5 {
			break
		}
	}
	return out
}

// managedAdvice shows the lines that belong into another tool's file, and the command that adds them.
func managedAdvice(e *hooks.ManagedError) []string {
	out := []string{fmt.Sprintf("add this to %s:", Clean(e.File))}
	if e.Fit {
		out[0] = fmt.Sprintf("fit this into %s, which has such a part already:", Clean(e.File))
	}
	for _, l := range e.Lines {
		out = append(out, "  "+l)
	}
	if !e.Fit {
		out = append(out, "or let it be added with 'git resume hooks install --manager'")
	}
	return out
}
