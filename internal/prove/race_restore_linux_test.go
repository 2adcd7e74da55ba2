package prove

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
)

// TestRaces_ofRestores lets restores of the same worktree compete with each other and with workers that report from it.
func TestRaces_ofRestores(t *testing.T) {
	p := gittest.Prove(t, "D", "race rounds")
	race(t, p, p.Rand(7), sampleOfRaces, roundsEach, []racing{{"restores", newRestorers}})
}

// restorers is a race of commands in one worktree: they restore one of two snapshots, make a checkpoint, or report a task with a commit.
type restorers struct {
	*gittest.Repo
	chance *rand.Rand
	id     string
	tree   *gittest.Repo
	acked  []string
	n      int
}

// restoredText is the content of a file in a snapshot. All files of a snapshot have the same text, so that a mixture is noticed.
func restoredText(i int) string { return fmt.Sprintf("state %d\n", i) }

// restoredFiles are the files that both snapshots have. There are so many that two restores without a lock would write at the same time.
var restoredFiles = func() []string {
	names := []string{"one", "two"}
	for i := range 1500 {
		names = append(names, fmt.Sprintf("dir/%d", i))
	}
	return names
}()

func newRestorers(t testing.TB, chance *rand.Rand) arena {
	a := &restorers{Repo: gittest.New(t), chance: chance}
	out := a.MustResume("start", "--name", "job", "--task", "last")
	for line := range strings.Lines(out) {
		if path := strings.TrimSpace(line); filepath.IsAbs(path) {
			a.tree = a.In(path)
		}
	}
	a.id = filepath.Base(a.tree.Dir)
	for i := 1; i <= 2; i++ {
		a.writeState(i)
		a.tree.MustResume("checkpoint")
	}
	return a
}

func (a *restorers) writeState(i int) {
	for _, name := range restoredFiles {
		a.tree.Write(name, restoredText(i))
	}
}

func (a *restorers) round() error {
	a.n++
	mine := fmt.Sprintf("mine%d", a.n)
	a.tree.Write(mine, mine+"\n")
	ended := make(chan *racer, crowd)
	task := fmt.Sprintf("t%d", a.n)
	a.tree.Write(task, task+"\n")
	all := [][]string{
		{"restore", a.id + "@1", "--into-worktree", "--yes"}, {"restore", a.id + "@2", "--into-worktree", "--yes"}, {"checkpoint", "--run", a.id},
		{"task", "done", "--add", "--run", a.id, task, task}, {"restore", a.id + "@1", "--into-worktree", "--yes", "one", "two", "dir"},
		{"restore", a.id + "@2", "--into-worktree", "--yes", "one", "two", "dir"},
	}
	a.chance.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, args := range all {
		setResume(a.tree, ended, args...)
		if a.chance.IntN(2) == 0 {
			time.Sleep(time.Duration(a.chance.IntN(5)) * time.Millisecond)
		}
	}
	for range all {
		r := <-ended
		codes := []int{0, 1, 11, 12, 13}
		if r.args[0] == "task" && strings.Contains(r.out.String(), "pathspec '"+task+"' did not match any files") {
			codes = append(codes, 128) // a restore may have removed the file before "task done"; check() then looks in a snapshot
		}
		if err := checkRefusal(r, codes...); err != nil {
			return err
		}
		if r.code == 0 && r.args[0] == "task" {
			a.acked = append(a.acked, task)
		}
	}
	return a.check(mine, task)
}

// check checks that every successful report is recorded once and has its file, that no file which the user wrote is lost, and that all
// restoredFiles come from the same snapshot.
func (a *restorers) check(mine, task string) error {
	f := readFacts(a.Repo)
	for _, task := range a.acked {
		if n := f.count(a.id, "task.done", task); n != 1 {
			return fmt.Errorf("%s is acknowledged and recorded %d times", task, n)
		}
		if got, code := a.Try("git", "show", "resume/"+a.id+":"+task); code != 0 || strings.TrimSpace(got) != task {
			return fmt.Errorf("the commit of %s has %q", task, got)
		}
	}
	reach := a.Git("rev-list", "--objects", "--all")
	for _, name := range []string{mine, task} {
		text, err := os.ReadFile(filepath.Join(a.tree.Dir, name))
		if (err != nil || string(text) != name+"\n") && !strings.Contains(reach, blobOf("x "+name+"\n", false)) {
			return fmt.Errorf("file %s is gone", name)
		}
	}
	if _, err := os.Lstat(filepath.Join(commonDir(a.Repo), "worktrees", a.id, "resume-restore")); err == nil {
		return fmt.Errorf("a restore is unfinished, although nobody was killed")
	}
	states := map[string]bool{}
	for _, name := range restoredFiles {
		text, _ := os.ReadFile(filepath.Join(a.tree.Dir, name))
		states[string(text)] = true
	}
	if len(states) != 1 {
		return fmt.Errorf("the files are of several states: %v", states)
	}
	if left := litter(a.Repo); len(left) > 0 {
		return fmt.Errorf("these are left: %v", left)
	}
	a.Fsck()
	return nil
}
