package gitops

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/worktree"
)

// These are the names of the actions that end or continue an operation.
const (
	Continue = "continue"
	Skip     = "skip"
	Abort    = "abort"
	Quit     = "quit"
	// Keep makes the commit although it is empty, usually because the branch already contains its change.
	Keep = "keep"
	// PutBack puts a commit that is probably missing back into the todo list of a rebase, and continues. If the commit is certainly
	// missing, Continue does the same.
	PutBack = "put-back"
)

// Way is one action that the user can choose for an operation.
type Way struct {
	// Name is the name by which the user chooses the action. Text describes its effect.
	Name, Text string
	// Git lists git's own commands for the action, in the order in which they are run. It may be empty.
	Git [][]string
	// Shell is a shell command that a person could run instead, for an action that git has no command for. It may be
	// empty.
	Shell []string
	// Destroys means that the action can remove uncommitted changes.
	Destroys bool
}

// Ways lists the actions that the user can choose now, the best one first. Continue is included only if it is safe.
func (s *State) Ways() []Way {
	switch s.Op {
	case ongoing.StaleLock:
		return []Way{{Name: Continue, Text: "remove the locks; git-resume only moves them aside", Shell: append([]string{"rm"}, s.Files...)}}
	case ongoing.FilterBranch:
		return []Way{{Name: Abort, Text: "remove the folder of git filter-branch; git-resume only moves it aside", Shell: append([]string{"rm", "-r"}, s.Files...)}}
	case ongoing.HalfWorktree:
		if s.Whole {
			return []Way{{Name: Continue, Text: "remove the lock that was left; the worktree is complete",
				Git: [][]string{{"worktree", "unlock", s.Tree.WorkTree}}}}
		}
		return []Way{{Name: Continue, Text: "remove the unfinished worktree; git-resume only moves it aside",
			Git: [][]string{{"worktree", "remove", "-f", "-f", s.Tree.WorkTree}}}}
	case ongoing.Bisect:
		bad, good := s.Terms()
		ways := []Way{
			{Name: good, Text: "this commit is " + good, Git: [][]string{{"bisect", good}}},
			{Name: bad, Text: "this commit is " + bad, Git: [][]string{{"bisect", bad}}},
			{Name: Skip, Text: "this commit cannot be tested", Git: [][]string{s.Ongoing.Ways.Skip}},
			{Name: Abort, Text: "end the bisect and go back", Git: [][]string{s.Ongoing.Ways.Abort}},
		}
		if s.Found {
			slices.Reverse(ways)
		}
		return ways
	}
	if s.Stop == ongoing.StopClearing {
		return s.clearing()
	}
	var out []Way
	add := func(name, text string, args []string, destroys bool) {
		if args != nil {
			out = append(out, Way{Name: name, Text: text, Git: [][]string{args}, Destroys: destroys})
		}
	}
	if args, text := s.onward(); args != nil {
		add(Continue, text, args, false)
	}
	if s.Stop == ongoing.StopList && s.Crash.Repair != RepairDoubt {
		out = append(out, Way{Name: Continue, Text: "edit its todo list and continue",
			Git: [][]string{{"rebase", "--edit-todo"}, s.Ongoing.Ways.Continue}})
	}
	if s.Crash.Repair == RepairDoubt && s.Crash.Unlisted {
		out = append(out, Way{Name: PutBack, Text: "put " + s.Crash.Lost.ID.Short() + " back into the todo list and continue", Git: [][]string{s.Ongoing.Ways.Continue}})
	}
	if s.Crash.Empty {
		keep := Way{Name: Keep, Text: "record it as an empty commit", Git: [][]string{{"commit", "--allow-empty"}}}
		if s.Dir != "" {
			keep.Git = append(keep.Git, s.Ongoing.Ways.Continue)
		}
		out = append(out, keep)
	}
	if s.skippable() {
		add(Skip, skipText(s), s.Ongoing.Ways.Skip, true)
	}
	if s.Stop != ongoing.StopTorn && !s.lacksBranch() {
		add(Abort, abortText(s), s.Ongoing.Ways.Abort, true)
	}
	add(Quit, "end the operation here; HEAD and the files stay as they are", s.Ongoing.Ways.Quit, false)
	return out
}

// clearing offers to move aside the files that git left behind when an operation ended. If it is known how the operation ended, the action
// is Continue. Otherwise the action is Quit, because the user must decide whether the operation is over.
func (s *State) clearing() []Way {
	way := Way{Name: Continue, Text: "move git's leftover state aside; HEAD and the files stay as they are"}
	if s.Ended == "" {
		way.Name = Quit
	}
	return []Way{way}
}

// onward returns git's arguments to continue the operation, and a text about them. It returns nil if continuing is not safe.
func (s *State) onward() (args []string, text string) {
	w := s.Ongoing.Ways
	switch {
	case len(s.Unmerged) > 0 && s.Stop == ongoing.StopConflict && s.Op != ongoing.NotesMerge, s.Crash.Repair == RepairDoubt:
		return nil, ""
	case s.Op == ongoing.NotesMerge && s.marked():
		return nil, ""
	case s.Stop == ongoing.StopTorn, s.Stop == ongoing.StopList:
		return nil, ""
	case s.Stop == ongoing.StopPatch && s.Crash.Repair == RepairNothing:
		return nil, ""
	case s.Crash.Empty:
		return nil, ""
	case s.Crash.Repair == RepairSkip:
		return w.Skip, "the commit was already made; continue after it"
	case s.Crash.Repair == RepairFinish && s.Op == ongoing.Merge:
		return w.Quit, "the merge is done; remove git's leftover state"
	case s.Crash.Repair == RepairMessage:
		return w.Continue, "make the merge commit"
	case s.Crash.Repair == RepairFinish && s.Dir == "rebase-apply":
		return w.Skip, "let git finish it"
	case s.Crash.Repair == RepairPutBack && s.Crash.Command.Commit != "":
		return w.Continue, "put " + s.Crash.Lost.ID.Short() + " back into the todo list and continue"
	case s.Stop == ongoing.StopEmptyPatch:
		return w.Continue, "record the empty patch as a commit"
	case s.RunsAgain():
		return w.Continue, "continue; this 'exec' line is run again"
	case s.Stop == ongoing.StopExec:
		return w.Continue, "continue; this 'exec' line is not run again"
	}
	return w.Continue, "continue"
}

// RunsAgain reports whether git will run the current 'exec' line again when it continues. It will if the next line of its todo list is the
// same.
func (s *State) RunsAgain() bool {
	return s.Stop == ongoing.StopExec && len(s.Todo) > 0 && s.Todo[0].Line == s.Now.Line
}

// triesAgain reports whether git has put the current commit back into its todo list. It does so if it could not start to pick the commit,
// for example because an untracked file is in the way. So does git-resume when it repairs the list.
func (s *State) triesAgain() bool {
	return s.Dir == "rebase-merge" && s.Now.Picks() && len(s.Todo) > 0 && s.Todo[0].Line == s.Now.Line && len(s.Unmerged) == 0
}

// skippable reports whether the current commit or patch can still be skipped. After the commit is made, it cannot: git would keep the
// commit and discard other changes. Nor can it if git will pick the commit again: git would skip only the failed attempt.
func (s *State) skippable() bool {
	if s.lacksBranch() || s.triesAgain() {
		return false
	}
	switch s.Stop {
	case ongoing.StopConflict, ongoing.StopReady, ongoing.StopPatch, ongoing.StopEmptyPatch:
		return s.Crash.Repair != RepairSkip
	case ongoing.StopMidway:
		return s.Crash.Loses() && !s.Crash.Unlisted
	}
	return false
}

// lacksBranch reports whether it is unknown to which branch the operation should return.
func (s *State) lacksBranch() bool { return s.Unnoted && s.Orig == "" }

func skipText(s *State) string {
	if s.Op == ongoing.Am || s.Dir == "rebase-apply" {
		return "skip this patch"
	}
	return "skip this commit"
}

func abortText(s *State) string {
	switch s.Op {
	case ongoing.SquashMerge, ongoing.StashPop, ongoing.FilesMerge:
		return "undo it; other changes stay"
	case ongoing.NotesMerge:
		return "discard the merge of notes"
	}
	if s.Stays {
		return "end the operation; the commits that were made stay"
	}
	return "go back to where it started"
}

// marked reports whether files of a notes merge still contain conflict markers. Git would commit these markers.
func (s *State) marked() bool {
	return slices.ContainsFunc(s.Unmerged, func(name string) bool {
		return strings.Contains("\n"+ongoing.Text(s.Tree.GitDir, name), "\n<<<<<<< ")
	})
}

// Same reports whether the operation looks as it did in the earlier state "was".
func (s *State) Same(was *State) bool {
	return s.Op == was.Op && s.Stop == was.Stop && s.Commit == was.Commit && s.Now == was.Now && s.Crash.Repair == was.Crash.Repair &&
		slices.Equal(s.Done, was.Done) && slices.Equal(s.Todo, was.Todo) && slices.Equal(s.Unmerged, was.Unmerged)
}

// All finds the operations in all worktrees of the repository, and the worktrees that were never completed. The argument "trees" has the
// registered worktrees.
func All(ctx context.Context, repo *gitstate.Repo, table proc.Table, trees []gitstate.Linked) ([]State, error) {
	var places []locate.Place
	for _, l := range trees {
		if !l.Missing {
			places = append(places, l.Place)
		}
	}
	out, err := Look(ctx, repo, table, places)
	if err != nil {
		return nil, err
	}
	halves, err := halfMade(ctx, repo, trees)
	half := func(s State) bool {
		return slices.ContainsFunc(halves, func(h State) bool { return h.Tree.GitDir == s.Tree.GitDir })
	}
	return append(slices.DeleteFunc(out, half), halves...), err // an unfinished worktree is reported as a whole, so leave out the operations and locks in it
}

// Find finds the operations in one worktree. If the creation of the worktree itself was interrupted, Find reports only that.
func Find(ctx context.Context, repo *gitstate.Repo, table proc.Table, at locate.Place) ([]State, error) {
	all, err := halfMade(ctx, repo, repo.Linked())
	all = slices.DeleteFunc(all, func(s State) bool { return s.Tree.GitDir != at.GitDir })
	if err != nil || len(all) > 0 {
		return all, err
	}
	return Look(ctx, repo, table, []locate.Place{at})
}

// halfMade returns the worktrees whose "git worktree add" was not finished. It leaves out the worktrees of git-resume's own runs, because
// the runs handle them.
func halfMade(ctx context.Context, repo *gitstate.Repo, registered []gitstate.Linked) ([]State, error) {
	if !slices.ContainsFunc(registered, suspect) {
		return nil, nil
	}
	trees, err := worktree.Find(ctx, repo)
	if err != nil {
		return nil, err
	}
	var out []State
	for _, t := range trees {
		ours := ofRun(ctx, repo, t)
		if t.Health != worktree.Incomplete && !(t.Health == worktree.Usable && t.LockReason == initializing) || ours || t.Admin == "" {
			continue
		}
		s := State{Tree: locate.Place{GitDir: t.Admin, CommonDir: repo.CommonDir, WorkTree: t.Path}}
		s.Op, s.Stop, s.Branch, s.Since = ongoing.HalfWorktree, ongoing.StopLeft, t.Branch, changed(t.Admin)
		s.Whole = t.Health == worktree.Usable
		s.Life = proc.Dead
		if process.AtWork(repo.Place, repo.Guard) {
			s.Life = proc.Alive
		}
		out = append(out, s)
	}
	return out, nil
}

// ofRun reports whether the worktree was being created by a run of git-resume. The text of the lock shows this. Without a lock, the folder
// below .git/worktrees must be named after a run.
func ofRun(ctx context.Context, repo *gitstate.Repo, t worktree.Tree) bool {
	if _, ours := t.LockedBy(); ours {
		return true
	}
	id := checkpoint.RunID(filepath.Base(t.Admin))
	if run, place, ok := strings.Cut(string(id), "."); ok && strings.Trim(place, "0123456789") == "" {
		id = checkpoint.RunID(run) // the worktree was made for tasks that a run executes in parallel
	}
	if !id.Valid() {
		return false
	}
	at, err := repo.Refs.Ref(ctx, checkpoint.JournalRef(id))
	return err == nil && at != ""
}

// initializing is the English text that git writes into the lock of a worktree that it is creating. In other languages the text differs, so
// the function "suspect" also checks whether the index is missing.
const initializing = "initializing"

// suspect reports whether the registration of a worktree looks damaged or incomplete.
func suspect(l gitstate.Linked) bool {
	if l.Main() {
		return false
	}
	info, err := os.Lstat(filepath.Join(l.GitDir, "commondir"))
	if err != nil || info.Size() == 0 || l.Missing && l.WorkTree == "" || l.LockReason == initializing {
		return true
	}
	if !l.Locked {
		return false
	}
	_, err = os.Lstat(filepath.Join(l.GitDir, "index"))
	return err != nil
}

func changed(path string) time.Time {
	info, err := os.Lstat(path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}
