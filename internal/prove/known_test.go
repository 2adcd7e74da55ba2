package prove

import (
	"strings"
	"testing"
)

// window is a system call at which a kill once damaged a repository, here or in a similar program.
type window struct {
	name, scenario string
	at             traceJob
}

func killWindows() []window {
	branchMoves := call{"git update-ref", "rename", "refs/heads/main"}
	baseMoves := call{"git merge", "rename", "refs/heads/main"}
	journalMoves := call{"git update-ref", "rename", "refs/resume/journal/"}
	return []window{
		{"the index is staged, the branch has not moved", "task done named", traceJob{Match: branchMoves, All: true}},
		{"the commit exists, the journal does not say so", "task done named", traceJob{Match: call{"git-resume task", "renameat", "objects/"}, After: branchMoves, All: true}},
		{"the same, with staged files", "task done staged", traceJob{Match: call{"git-resume task", "renameat", "objects/"}, After: branchMoves, All: true}},
		{"the branch has moved, git has not answered", "task done named", traceJob{Match: call{"git update-ref", "write", "pipe:"}, After: branchMoves}},
		{"the journal has moved, git has not answered", "pause", traceJob{Match: call{"git update-ref", "write", "pipe:"}, After: journalMoves}},
		{"the run is closed but not published", "finish", traceJob{Match: call{"git update-ref", "fsync", "refs/notes/resume/"}, All: true}},
		{"the run has begun but is not published", "start", traceJob{Match: call{"git update-ref", "fsync", "refs/notes/resume/"}, All: true}},
		{"a checkpoint is committed but not recorded", "checkpoint", traceJob{Match: call{"git update-ref", "write", ".git/logs/HEAD"}, All: true}},
		{"a checkpoint is not published", "checkpoint", traceJob{Match: call{"git update-ref", "fsync", "refs/notes/resume/"}, All: true}},
		{"the last task is recorded, nobody was told", "task done ends the run", traceJob{Match: call{"git-resume task", "write", "/output"}, All: true}},
		{"git tidies up after the last task", "task done ends the run", traceJob{Match: call{"git maintenance", "unlink", "maintenance.lock"}, All: true}},
		{"a reader of the settings dies", "start", traceJob{Match: call{"git config", "write", "pipe:"}}},
		{"a child leaves the lock of a ref that its parent gives up", "start", traceJob{Match: call{"git update-ref", "rename", "refs/resume/base/"}}},
		{"a child leaves the lock of the index", "task done named", traceJob{Match: call{"git add", "rename", ".git/index"}}},
		{"a child of a child leaves the lock of a branch", "start with a worktree", traceJob{Match: call{"git branch", "write", "refs/heads/resume/"}}},
		{"the folder for worktrees is tried", "start with a worktree", traceJob{Match: call{"git-resume start", "unlinkat", ".probe"}, All: true}},
		{"the look into a worktree dies", "discard all that is merged", traceJob{Match: call{"git status", "write", "pipe:"}}},
		{"a snapshot is there, the journal does not say so", "checkpoint of files", traceJob{Match: call{"git-resume checkpoint", "flock", ".append"}, All: true}},
		{"the helper dies while it reads a whole journal", "merge", traceJob{Match: call{"git cat-file", "write", "pipe:"}}},
		{"the same before a worktree comes back", "undo a discard", traceJob{Match: call{"git cat-file", "write", "pipe:"}}},
		{"a checkpoint is recorded but not published, and the repeat has nothing to write", "checkpoint of files",
			traceJob{Match: call{"git update-ref", "fsync", "refs/notes/resume/"}, All: true}},
		{"the merge of the base into the run is killed alone", "resume and update", traceJob{Match: call{"git merge", "openat", "objects/"}}},
		{"the base is taken in, its commit is missing", "resume and update",
			traceJob{Match: call{"git merge", "openat", "objects/"}, After: call{"git merge", "openat", "MERGE_HEAD"}}},
		{"the same, and nobody goes on", "resume and update",
			traceJob{Match: call{"git merge", "openat", "objects/"}, After: call{"git merge", "openat", "MERGE_HEAD"}, All: true}},
		{"git drops a ref of its own after a rebase", "resume and rebase", traceJob{Match: call{"git rebase", "unlink", "packed-refs.lock"}}},
		{"git tidies up after a merge", "merge", traceJob{Match: call{"git maintenance", "unlink", "maintenance.lock"}}},
		{"git leaves locks in the user's own tree", "merge", traceJob{Match: call{"git merge", "write", "refs/heads/main.lock"}, All: true}},
		{"the squash is written, the base has not moved", "merge by squash", traceJob{Match: baseMoves, All: true}},
		{"the base has moved to the squash, the journal does not say so", "merge by squash", traceJob{Match: journalMoves, After: baseMoves, All: true}},
		{"a squash of both sides is written, the base has not moved", "squash of both sides", traceJob{Match: baseMoves, All: true}},
		{"a squash of both sides is not recorded", "squash of both sides", traceJob{Match: journalMoves, After: baseMoves, All: true}},
		{"the mark of a merge is there, its commit is not", "merge without fast-forward",
			traceJob{Match: call{"git merge", "openat", "objects/"}, After: call{"git merge", "openat", "MERGE_HEAD"}, All: true}},
		{"a merge commit is not recorded", "merge without fast-forward", traceJob{Match: journalMoves, After: baseMoves, All: true}},
		{"a fast-forward is not recorded", "merge", traceJob{Match: journalMoves, After: baseMoves, All: true}},
		{"a squash is undone, the journal does not say so", "undo a squash", traceJob{Match: journalMoves, All: true}},
		{"the same, on the way back", "undo a merge", traceJob{Match: call{"git read-tree", "unlink", "fa"}, All: true}},
		{"the name of a second run is there, the run is not", "resume and restart", traceJob{Match: call{"git-resume", "openat", ".git/resume/writing/"}, All: true}},
		{"a result is recorded but not published, and the repeat finds nothing to do", "task run",
			traceJob{Match: call{"git update-ref", "openat", "logs/refs/notes/resume/"}, After: call{"sh", "openat", "made"}, All: true}},
		{"the reset of a tree is killed alone, with a lock beside that of the index", "resume with a snapshot", traceJob{Match: call{"git reset", "rename", "ORIG_HEAD"}}},
		{"a temporary index is there", "task done named beside staged", traceJob{Match: call{"git add", "rename", "/index"}, After: call{"git read-tree", "rename", "/index"}, All: true}},
		{"the same, and the program goes on", "task done named beside staged", traceJob{Match: call{"git write-tree", "openat", "objects/"}, After: call{"git read-tree", "rename", "/index"}}},
		{"a temporary store is there", "resume and update", traceJob{Match: call{"git merge-tree", "write", "/objects/"}, All: true}},
		{"the first command of a rebase is in no list", "resume and rebase", traceJob{Match: call{"git rebase", "openat", "/rebase-merge/done"}, All: true}},
		{"the base is taken in, and git would tidy up", "resume and update", traceJob{Match: call{"git maintenance", "unlink", "/maintenance.lock"}, All: true}},
		{"another system's state is written, and not yet in its place", "answer of another system", traceJob{Match: call{"git-resume answer", "renameat", "/clarifications.md"}, All: true}},
		{"a hook is written, and not yet in its place", "hooks install", traceJob{Match: call{"git-resume hooks", "renameat", ".git/hooks/post-checkout"}, After: call{"git-resume hooks", "fchmod", ""}, All: true}},
		{"the log of a branch is written, and not yet in its place", "undo a discard", traceJob{Match: call{"git-resume undo", "renameat", ".git/logs/refs/heads/resume/"}, All: true}},
		{"work of another system is half adopted", "answer of another system", traceJob{Match: call{"git-resume answer", "fsync", ".git/refs"}, All: true}},
	}
}

// TestKill_knownWindows kills commands at the moments in killWindows.
func TestKill_knownWindows(t *testing.T) {
	needTracer(t)
	windows := killWindows()
	byScenario := map[string][]int{}
	for i, w := range windows {
		byScenario[w.scenario] = append(byScenario[w.scenario], i)
	}
	for name, list := range byScenario { // scenarios run in parallel, but the kills in one scenario share a repository and run one after the other
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			scenarioNamed(t, name).withGround(t, func(g *ground) {
				for _, i := range list {
					t.Run(windows[i].name, func(t *testing.T) {
						if !g.kill(t, windows[i].at) {
							t.Errorf("%s never calls %s", name, windows[i].at.Match)
						}
					})
				}
			})
		})
	}
}
