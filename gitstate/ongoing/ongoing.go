package ongoing

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
)

// Stop says where an operation has stopped.
type Stop string

// The stops. They are derived only from git's files: whether a process is running is another question.
const (
	// StopConflict: git needs help with conflicts; Ongoing.Unmerged are the paths that are still unresolved.
	StopConflict Stop = "conflict"
	// StopEdit and StopBreak are stops that the user asked for.
	StopEdit  Stop = "edit"
	StopBreak Stop = "break"
	// StopReword: the commit is made, but its message was not accepted.
	StopReword Stop = "reword"
	// StopExec: a command failed or was interrupted; git cannot say which.
	StopExec Stop = "exec"
	// StopStarting: the list is written, but none of it is done.
	StopStarting Stop = "starting"
	// StopList: the user had not yet edited the list, or was doing so.
	StopList Stop = "list"
	// StopTorn: interrupted so early that git can only forget the operation.
	StopTorn Stop = "torn"
	// StopClearing: the operation had ended, and git was removing its state files; Ongoing.Ended says how it ended.
	StopClearing Stop = "clearing"
	// StopPatch: a patch does not apply, or was not tried yet; nothing of it was applied.
	StopPatch Stop = "patch"
	// StopEmptyPatch: a patch that changes nothing.
	StopEmptyPatch Stop = "empty patch"
	// StopMidway: interrupted in the middle of a step, at a point where git never stops by itself.
	StopMidway Stop = "midway"
	// StopReady: everything is resolved; git waits to be told to continue.
	StopReady Stop = "ready"
	// StopQuestion: the user must answer what a bisect cannot know.
	StopQuestion Stop = "question"
	// StopLeft: left behind by a process that has ended.
	StopLeft Stop = "left"
)

// Ongoing is one operation in one worktree, as its files describe it.
type Ongoing struct {
	Op   Operation
	Stop Stop
	// Dir is the folder of the operation's state, below the git dir; empty if it has none.
	Dir string
	// Step and Of say how far the operation is; if git does not record that, Of is zero and Left counts the remaining steps.
	Step, Of, Left int
	// Branch is the full name of the branch that the operation changes; empty if HEAD was detached.
	Branch refs.Name
	// Onto is the commit onto which a rebase goes, Orig the one from which it came.
	Onto, Orig object.ID
	// Unnoted: a rebase by patches was killed before its first stop, which is when git records its branch and its target.
	// Then they are read from HEAD's reflog; Orig is empty if that does not show it.
	Unnoted bool
	// Commit is the commit that git is working on, as git wrote it; it may be abbreviated.
	Commit string
	// Now is the command that was started last; Done are the commands that were started, and Todo those that follow.
	Now        Command
	Done, Todo []Command
	// Heads are the commits that are being merged.
	Heads []object.ID
	// Unmerged are the paths that are not resolved.
	Unmerged []string
	// Autostash is the stash that git made of the uncommitted changes before it started.
	Autostash object.ID
	// Since is when the operation's files last changed.
	Since time.Time
	// Ended says how the operation had ended, if Stop is StopClearing.
	Ended Ended
	// Files are lock files and folders that were left behind.
	Files []string
	Ways  Ways
}

// InAll finds the operations in progress in each of the worktrees; the map is keyed by git dir.
// If there are none, it starts no process, except one for all worktrees together if refs are kept in tables.
func InAll(ctx context.Context, r *gitstate.Repo, trees []locate.Place) (map[string][]Ongoing, error) {
	tables, err := pseudoRefs(ctx, r, trees)
	if err != nil {
		return nil, err
	}
	out := map[string][]Ongoing{}
	shared := r.Guard.RefLocks()
	for _, p := range trees {
		entries, err := os.ReadDir(p.GitDir)
		if err != nil {
			continue // not a worktree any more
		}
		x := &reading{ctx: ctx, repo: r.At(p), files: &files{dir: p.GitDir, names: map[string]bool{}, refs: tables[p.GitDir]}}
		for _, e := range entries {
			x.files.names[e.Name()] = true
		}
		if p.GitDir == p.CommonDir {
			x.shared = shared
		}
		found, err := x.all()
		x.repo.Close()
		if err != nil {
			return nil, err
		}
		if len(found) > 0 {
			out[p.GitDir] = found
		}
	}
	return out, nil
}

// In finds the operations in progress in this worktree.
func In(ctx context.Context, r *gitstate.Repo) ([]Ongoing, error) {
	all, err := InAll(ctx, r, []locate.Place{r.Place})
	return all[r.GitDir], err
}

// pseudoRefs asks git for the marks that are not files because refs are kept in tables: one call for all worktrees.
func pseudoRefs(ctx context.Context, r *gitstate.Repo, trees []locate.Place) (map[string]map[string]object.ID, error) {
	if !r.Refs.InTables() {
		return nil, nil
	}
	var names []string
	for _, p := range trees {
		prefix := "main-worktree/"
		if p.GitDir != p.CommonDir {
			prefix = "worktrees/" + filepath.Base(p.GitDir) + "/"
		}
		for _, name := range pseudoRefNames {
			names = append(names, prefix+name)
		}
	}
	out, err := r.Git(ctx, process.Call{Args: []string{"cat-file", "--batch-check=%(objectname)"}, Stdin: strings.NewReader(strings.Join(names, "\n") + "\n")})
	if err != nil {
		return nil, err
	}
	lines := strings.Split(string(out), "\n")
	found := map[string]map[string]object.ID{}
	for i, p := range trees {
		found[p.GitDir] = map[string]object.ID{}
		for j, name := range pseudoRefNames {
			if k := i*len(pseudoRefNames) + j; k < len(lines) && object.IsID(lines[k]) {
				found[p.GitDir][name] = object.ID(lines[k])
			}
		}
	}
	return found, nil
}

// pseudoRefNames are the names that are files in some repositories and table entries in others.
var pseudoRefNames = []string{"CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD", "AUTO_MERGE", "MERGE_AUTOSTASH", "NOTES_MERGE_PARTIAL"}

// all tests every mark in the table of operations.
func (x *reading) all() ([]Ongoing, error) {
	var out []Ongoing
	found := map[Operation]bool{}
	busy := false // an operation was found, and the marks that follow are part of it
	for _, m := range marks {
		if !x.files.has(m.file) || busy && m.op != Bisect && m.op != NotesMerge {
			continue
		}
		o, ok := m.read(x)
		if x.err != nil {
			return nil, x.err
		}
		if !ok {
			continue
		}
		if o.Op == "" {
			o.Op = m.op
		}
		if o.Ways.Continue == nil && o.Ways.Abort == nil {
			o.Ways = commandsOf(o.Op, m)
		}
		busy = busy || m.op != Bisect && m.op != NotesMerge
		if !found[o.Op] {
			out = append(out, o)
		}
		found[o.Op] = true
	}
	if o, ok := x.filterBranch(); ok {
		out = append(out, o)
	}
	locks := append(x.ownLocks(), x.shared...)
	slices.Sort(locks)
	switch locks = slices.Compact(locks); {
	case len(locks) == 0:
	case len(out) > 0 && out[0].Stop != StopQuestion && out[0].Op != FilterBranch:
		out[0].Files = append(out[0].Files, locks...) // left by the process that was interrupted in this operation
	default:
		out = append(out, x.lockOperation(locks))
	}
	return out, x.err
}

// commandsOf returns the commands of an operation: a series of reverts is found by the same mark as a series of picks.
func commandsOf(op Operation, m mark) Ways {
	if op != m.op {
		return sequencerCommands(string(op))
	}
	return m.ways
}
