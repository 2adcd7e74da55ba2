package owner

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/clone"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/internal/flock"
	"github.com/git-resume/git-resume/internal/proc"
)

// TaskLock is the lock of one task. The processes of the task inherit the open lock file, and the parent then closes its own copy. So the
// lock is held as long as one of these processes keeps the file open.
type TaskLock struct {
	lock  *flock.Lock
	path  string
	store *journal.Store
	run   checkpoint.RunID
	place int
}

// LockTask takes the lock of the task that works in a place, or returns *HeldError if processes of an earlier task are still running there.
// The place is 0 for a task in the run's own worktree.
func LockTask(s *journal.Store, id checkpoint.RunID, place int) (*TaskLock, error) {
	path := taskLock(s, id, place)
	lock, err := flock.Try(path)
	if errors.Is(err, flock.ErrHeld) {
		return nil, heldBy(s, id, path)
	}
	if err != nil {
		return nil, fmt.Errorf("lock the task: %w", err)
	}
	if len(group(s, path)) > 0 {
		_ = lock.Release()
		return nil, heldBy(s, id, path)
	}
	l := &TaskLock{lock: lock, path: path, store: s, run: id, place: place}
	l.execute(id)
	return l, lock.Write(nil) // remove the old process from the lock file
}

// The method "execute" tells the store which run this process executes. An empty id means none. For tasks outside of the run's own
// worktree, it does nothing.
func (l *TaskLock) execute(id checkpoint.RunID) {
	if l.place == 0 {
		l.store.Executing = id
	}
}

// taskLocks lists the lock files of the run's tasks by place: 0 is the run's own worktree, and the others are worktrees for tasks that run at
// the same time. A place can be without a file although a later one has one: its task may not have started, or has left processes behind.
func taskLocks(s *journal.Store, id checkpoint.RunID) map[int]string {
	out := map[int]string{0: taskLock(s, id, 0)}
	folder, err := os.Open(filepath.Dir(out[0]))
	if err != nil {
		return out
	}
	defer folder.Close()
	names, _ := folder.Readdirnames(-1)
	for _, name := range names {
		number, ours := strings.CutPrefix(name, string(id)+".")
		number, locks := strings.CutSuffix(number, ".task.lock")
		if n, err := strconv.Atoi(number); ours && locks && err == nil && n > 0 {
			out[n] = taskLock(s, id, n)
		}
	}
	return out
}

// recordedLocks is taskLocks for a run that was read: without a place on record and without the file of the first one, no other place can
// have a file, and the folder need not be searched. That matters in a list of many runs.
func recordedLocks(s *journal.Store, r *checkpoint.Run) map[int]string {
	if _, err := os.Stat(taskLock(s, r.ID, 1)); len(r.Places) == 0 && err != nil {
		return map[int]string{0: taskLock(s, r.ID, 0)}
	}
	return taskLocks(s, r.ID)
}

// Orphans finds the tasks of a run that are still running although the process that executed the run has ended. It looks only at tasks that
// ran at the same time as others, each in a worktree with a number. The result maps this number to the actor in the task's lock file. While
// a process executes the run, the result is nil.
func Orphans(s *journal.Store, id checkpoint.RunID) map[int]*checkpoint.Actor {
	if flock.Held(ownerLock(s, id)) {
		return nil
	}
	out := map[int]*checkpoint.Actor{}
	for n, path := range taskLocks(s, id) {
		if n > 0 && (flock.Held(path) || len(group(s, path)) > 0) {
			out[n] = readActor(path)
		}
	}
	return out
}

// taskLives reports whether processes of a task are still running. If this process itself executes the run's tasks, the result is false,
// because the callers ask about tasks that another process has started.
func taskLives(s *journal.Store, id checkpoint.RunID) bool {
	return s.Executing != id && len(livingTasks(s, taskLocks(s, id))) > 0
}

// livingTasks returns those of the lock files that belong to tasks with running processes.
func livingTasks(s *journal.Store, all map[int]string) []string {
	var out []string
	for _, n := range slices.Sorted(maps.Keys(all)) {
		if path := all[n]; flock.Held(path) || len(group(s, path)) > 0 {
			out = append(out, path)
		}
	}
	return out
}

// group lists the running processes of the process group that a lock file names. It lists none if the lock file names no process of this
// clone.
func group(s *journal.Store, path string) []int {
	a := readActor(path)
	if clone := clone.ID(s.Repo); a.PID == 0 || clone == "" || a.Clone != clone {
		return nil // without a process of this clone in the lock file, there is no group to look for
	}
	return proc.Table{}.Members(proc.Host{Name: a.Host, Boot: a.Boot, NS: a.NS}, a.PID, a.Start)
}

// taskHeld names all processes of the run's tasks that are still running.
func taskHeld(s *journal.Store, id checkpoint.RunID) *HeldError {
	return heldBy(s, id, livingTasks(s, taskLocks(s, id))...)
}

// IsWorkerAt reports whether a process was started by the task that works in a place of the run. A place is a worktree for tasks that run
// at the same time. The argument "place" is its number.
func IsWorkerAt(s *journal.Store, id checkpoint.RunID, place int, t proc.Table, pid int) bool {
	a, here := readActor(taskLock(s, id, place)), clone.ID(s.Repo)
	return a.PID > 0 && here != "" && a.Clone == here && a.Fate(t, here) == proc.Alive && t.Descends(pid, a.PID, a.Start)
}

func heldBy(s *journal.Store, id checkpoint.RunID, paths ...string) *HeldError {
	e := &HeldError{Run: id, By: &checkpoint.Actor{}, Task: true}
	for i, path := range paths {
		if i == 0 {
			e.By = readActor(path)
		}
		e.PIDs = append(append(e.PIDs, proc.Holders(path)...), group(s, path)...)
	}
	slices.Sort(e.PIDs)
	e.PIDs = slices.Compact(e.PIDs)
	return e
}

func pidList(pids []int) string {
	word := "process"
	if len(pids) > 1 {
		word = "processes"
	}
	return word + " " + strings.Trim(strings.ReplaceAll(fmt.Sprint(pids), " ", ", "), "[]")
}

// File returns the open lock file, for the processes that inherit the lock.
func (l *TaskLock) File() *os.File { return l.lock.File() }

// Path returns the path of the lock file.
func (l *TaskLock) Path() string { return l.path }

// Name writes the holder of the lock into the lock file.
func (l *TaskLock) Name(a *checkpoint.Actor) error {
	text, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return l.lock.Write(append(text, '\n'))
}

// LetGo releases the lock in this process. Processes of the task that inherited the lock still hold it.
func (l *TaskLock) LetGo() {
	if l.lock != nil {
		_ = l.lock.Release()
		l.lock = nil
		l.execute("")
	}
}

// Retake takes the lock again, to record something after the processes of the task are gone. It fails if somebody else holds the lock.
func (l *TaskLock) Retake() error {
	lock, err := flock.Try(l.path)
	if err != nil {
		return fmt.Errorf("lock the task: %w", err)
	}
	l.lock = lock
	l.execute(l.run)
	return lock.Write(nil) // remove the process group from the lock file
}

// HeldByOthers reports whether a process still holds the lock. It is called after LetGo.
func (l *TaskLock) HeldByOthers() bool { return flock.Held(l.path) }

// SetAside renames the lock file of a finished task whose background processes are still running. Otherwise the run
// would look busy until they end.
func (l *TaskLock) SetAside(attempt string) error {
	return os.Rename(l.path, l.path+".left-"+attempt)
}
