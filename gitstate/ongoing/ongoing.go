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

// Stop says where an operation stands.
type Stop string

// The stops. Only what git's files say counts here: whether a process is at work is another question.
const (
	// StopConflict: git asked for help with paths; Ongoing.Unmerged are those that are left.
	StopConflict Stop = "conflict"
	// StopEdit and StopBreak are stops that the user asked for.
	StopEdit  Stop = "edit"
	StopBreak Stop = "break"
	// StopReword: the commit is made, and its message was not accepted.
	StopReword Stop = "reword"
	// StopExec: a command failed or was cut off; git cannot tell which.
	StopExec Stop = "exec"
	// StopStarting: the list is written and nothing of it done.
	StopStarting Stop = "starting"
	// StopList: the user was still to change the list, or was doing so.
	StopList Stop = "list"
	// StopTorn: cut off so early that git can only forget it.
	StopTorn Stop = "torn"
	// StopClearing: it had ended, and git was removing its notes; Ongoing.Ended says how.
	StopClearing Stop = "clearing"
	// StopPatch: a patch does not apply, or was not tried yet; nothing of it was taken.
	StopPatch Stop = "patch"
	// StopEmptyPatch: a patch that changes nothing.
	StopEmptyPatch Stop = "empty patch"
	// StopMidway: in the middle of a step, at a point where git never rests.
	StopMidway Stop = "midway"
	// StopReady: nothing is unresolved; git waits to be told to go on.
	StopReady Stop = "ready"
	// StopQuestion: the user must say what a bisect cannot know.
	StopQuestion Stop = "question"
	// StopLeft: left behind by a process that is gone.
	StopLeft Stop = "left"
)

// Ongoing is one operation in one worktree, as its files tell.
type Ongoing struct {
	Op   Operation
	Stop Stop
	// Dir is the folder of its state, below the git dir; empty where it has none.
	Dir string
	// Step and Of say how far it is; Of is zero where git does not record it, Left then counts what remains.
	Step, Of, Left int
	// Branch is the full name of the branch that it works for; empty if HEAD was detached.
	Branch refs.Name
	// Onto is where a rebase goes, Orig where it came from.
	Onto, Orig object.ID
	// Unnoted: a rebase by patches was killed before its first stop, when git notes its branch and where it goes.
	// They are read from HEAD's log then; Orig is empty where that does not tell.
	Unnoted bool
	// Commit is the commit in question, as git wrote it; it may be shortened.
	Commit string
	// Now is the command that was begun last; Done and Todo are what was begun, and what comes.
	Now        Command
	Done, Todo []Command
	// Heads are what is being merged.
	Heads []object.ID
	// Unmerged are the paths that are not resolved.
	Unmerged []string
	// Autostash is what git put aside before it began.
	Autostash object.ID
	// Since is when its files last changed.
	Since time.Time
	// Ended is how it had ended, with StopClearing.
	Ended Ended
	// Files are lock files and folders that were left behind.
	Files []string
	Ways  Ways
}

// InAll reads what is under way in each of the worktrees, by their git dirs.
// Where nothing is, no process is started; only where refs are kept in tables one is, for all worktrees together.
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

// In reads what is under way in this worktree.
func In(ctx context.Context, r *gitstate.Repo) ([]Ongoing, error) {
	all, err := InAll(ctx, r, []locate.Place{r.Place})
	return all[r.GitDir], err
}

// pseudoRefs asks git for the marks that are no files where refs are kept in tables: one call for all worktrees.
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
		for _, name := range pseudo {
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
		for j, name := range pseudo {
			if k := i*len(pseudo) + j; k < len(lines) && object.IsID(lines[k]) {
				found[p.GitDir][name] = object.ID(lines[k])
			}
		}
	}
	return found, nil
}

// pseudo are the names that are files in some repositories and entries of a table in others.
var pseudo = []string{"CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD", "AUTO_MERGE", "MERGE_AUTOSTASH", "NOTES_MERGE_PARTIAL"}

// all goes through the table.
func (x *reading) all() ([]Ongoing, error) {
	var out []Ongoing
	found := map[Operation]bool{}
	busy := false // one of git's own is under way: what follows is a part of it
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
			o.Ways = wayOf(o.Op, m)
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
		out[0].Files = append(out[0].Files, locks...) // left by whoever was in the middle of it
	default:
		out = append(out, x.locked(locks))
	}
	return out, x.err
}

// wayOf gives the commands of an operation: a series of reverts is seen by the same mark as one of picks.
func wayOf(op Operation, m mark) Ways {
	if op != m.op {
		return waysOf(string(op))
	}
	return m.ways
}
