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

// Stop says at which point an operation has stopped.
type Stop string

// The values of Stop. They are read from git's files only, which do not show whether a git process is still running.
const (
	// StopConflict means that the user must resolve conflicts. Ongoing.Unmerged lists the unresolved paths.
	StopConflict Stop = "conflict"
	// StopEdit and StopBreak are stops that the user asked for.
	StopEdit  Stop = "edit"
	StopBreak Stop = "break"
	// StopReword means that the commit is made, but git or a hook did not accept its new message.
	StopReword Stop = "reword"
	// StopExec means that a command failed, was interrupted or left changes. git does not record which of these.
	StopExec Stop = "exec"
	// StopStarting means that the list of commands is written, but no command has run.
	StopStarting Stop = "starting"
	// StopList means that the user had not finished editing the list of commands.
	StopList Stop = "list"
	// StopTorn means that important state files are missing or damaged, for example because git was killed very early.
	// Such an operation cannot be continued.
	StopTorn Stop = "torn"
	// StopClearing means that most state files are gone. Usually git was removing them after the operation had ended. Ongoing.Ended says
	// how it ended, as far as that is known.
	StopClearing Stop = "clearing"
	// StopPatch means that a patch does not apply or was not tried yet. Nothing of the patch is in the index.
	StopPatch Stop = "patch"
	// StopEmptyPatch means that the patch is empty.
	StopEmptyPatch Stop = "empty patch"
	// StopMidway is a point at which git does not stop by itself. Either git was killed there, or git is still running, or the user has
	// committed one of several picks or reverts by hand.
	StopMidway Stop = "midway"
	// StopReady means that everything is resolved and the user only has to continue.
	StopReady Stop = "ready"
	// StopQuestion means that a bisect is waiting for the user to say whether a commit is good or bad.
	StopQuestion Stop = "question"
	// StopLeft means that there are files which git normally removes, such as locks.
	StopLeft Stop = "left"
)

// Ongoing is one operation in one worktree, as its state files describe it.
type Ongoing struct {
	Op   Operation
	Stop Stop
	// Dir is the folder of the operation's state files, below the git dir. It is empty if there is no such folder.
	Dir string
	// Step and Of say how far the operation has come ("step 2 of 4"). If git does not record this, the field Of is zero. Left
	// counts the remaining steps, if git lists them.
	Step, Of, Left int
	// Branch is the full name of the branch or notes ref to which the operation belongs. It is empty if HEAD was
	// detached, or if the branch is not known.
	Branch refs.Name
	// Onto is the commit onto which a rebase moves the branch. Orig is the commit from which the operation started, as
	// far as git records it. For an am, Orig is the commit to which "git am --abort" expects HEAD to point.
	Onto, Orig object.ID
	// Unnoted means that a rebase with the apply backend was killed before git recorded the branch and its target. Then
	// Branch, Onto and Orig are read from HEAD's reflog, and are empty if it does not show them.
	Unnoted bool
	// Commit is the commit that git is working on, such as the one that is being picked or merged. It may be an abbreviated id.
	Commit string
	// Now is the current command of a rebase or of a series of picks. In a rebase, Done lists the commands that were started, and Now is
	// the last of them. Todo lists the commands in git's todo list. In a series of picks, Now is the first command of Todo.
	Now        Command
	Done, Todo []Command
	Heads      []object.ID
	// Unmerged lists the paths that are not resolved.
	Unmerged []string
	// Autostash is the stash in which git saved uncommitted changes before the operation. It is empty
	// if there is none.
	Autostash object.ID
	// Since is the time when the operation's files last changed.
	Since time.Time
	// Ended says how the operation ended, if Stop is StopClearing.
	Ended Ended
	// Files lists lock files and folders that were left behind.
	Files []string
	Ways  Ways
}

// InAll finds the operations in progress in each of the worktrees. The keys of the map are git dirs. If there are no operations, it
// usually starts no process. With reftables, it always starts one process for all worktrees together.
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
			continue // the git dir cannot be read, most often because the worktree is gone
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

// pseudoRefs asks git for the pseudo refs that are in reftables instead of files. It needs one call for all worktrees.
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

// pseudoRefNames are the refs that are files in some repositories and reftable entries in others.
var pseudoRefNames = []string{"CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD", "AUTO_MERGE", "MERGE_AUTOSTASH", "NOTES_MERGE_PARTIAL"}

// The method "all" finds the operations in progress: those in the table "marks", an interrupted filter-branch, and leftover locks.
func (x *reading) all() ([]Ongoing, error) {
	var out []Ongoing
	found := map[Operation]bool{}
	busy := false // true after an operation was found that is neither a bisect nor a notes merge
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
		out[0].Files = append(out[0].Files, locks...) // we assume that the interrupted process of this operation left the locks
	default:
		out = append(out, x.lockOperation(locks))
	}
	return out, x.err
}

// commandsOf returns the git commands for an operation that was found through row m of the table of operations. Usually these are the
// commands of that row. But the folder "sequencer", whose row has the commands for picks, can also belong to reverts.
func commandsOf(op Operation, m mark) Ways {
	if op != m.op {
		return sequencerCommands(string(op))
	}
	return m.ways
}
