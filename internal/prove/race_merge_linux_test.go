package prove

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
)

// TestRaces_ofMerges lets merges of the same run compete with each other, with an undo, and with a worker that reports meanwhile.
func TestRaces_ofMerges(t *testing.T) {
	p := gittest.Prove(t, "D", "race rounds")
	race(t, p, p.Rand(8), sampleOfRaces, roundsEach, []racing{{"merges", newMergers}})
}

// mergers is a race in the worktree of the base. Each round has a run of its own.
type mergers struct {
	*gittest.Repo
	chance *rand.Rand
	n      int
	id     string
	tree   *gittest.Repo
	acked  []string
}

func newMergers(t testing.TB, chance *rand.Rand) arena {
	a := &mergers{Repo: gittest.New(t), chance: chance}
	a.commit("base")
	return a
}

// mergeRefusals are the exit codes of a merge, an undo or a report that came too late or too early. A crash, or an error of git, is none.
var mergeRefusals = []int{0, 1, 2, 11, 12, 13, 14, 15}

func (a *mergers) round() error {
	a.begin()
	a.report("first")
	if a.chance.IntN(2) == 0 { // otherwise git only moves the base forward
		a.commit("main")
	}
	merge := []string{"merge", a.id, "--yes"}
	if a.chance.IntN(3) == 0 {
		merge = append(merge, "--squash")
	}
	undo := []string{"undo", a.id, "--yes"}
	all := [][]string{merge, merge, undo}
	if a.chance.IntN(2) == 0 {
		a.tree.Write(a.file("last"), "last\n")
		all[2] = []string{"task", "done", "--run", a.id, "last", a.file("last")}
	} else {
		a.report("last")
	}
	if a.chance.IntN(4) == 0 {
		all = append(all, merge, undo)
	}
	a.chance.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	ended := make(chan *racer, len(all))
	for _, args := range all {
		at := a.Repo
		if args[0] == "task" {
			at = a.tree
		}
		setResume(at, ended, args...)
		time.Sleep(time.Duration(a.chance.IntN(40)) * time.Millisecond)
	}
	for range all {
		r := <-ended
		if err := checkRefusal(r, mergeRefusals...); err != nil {
			return err
		}
		if r.code == 0 && r.args[0] == "task" {
			a.acked = append(a.acked, "last")
		}
	}
	return a.check()
}

func (a *mergers) begin() {
	a.n++
	a.acked = nil
	for line := range strings.Lines(a.MustResume("start", "--name", fmt.Sprintf("job%d", a.n), "--task", "first", "--task", "last")) {
		if path := strings.TrimSpace(line); filepath.IsAbs(path) {
			a.tree = a.In(path)
		}
	}
	a.id = filepath.Base(a.tree.Dir)
}

// file is the file of a task of this round.
func (a *mergers) file(task string) string { return fmt.Sprintf("%s%d", task, a.n) }

func (a *mergers) commit(name string) {
	a.Write(a.file(name), name+"\n")
	a.Git("add", a.file(name))
	a.Git("commit", "-q", "-m", name)
}

// report reports a task whose file is committed.
func (a *mergers) report(task string) {
	a.tree.Write(a.file(task), task+"\n")
	a.tree.MustResume("task", "done", "--run", a.id, task, a.file(task))
	a.acked = append(a.acked, task)
}

// check checks that the base's index and files are those of its commit, so that the next commit reverts nothing; that every reported task is in
// the run's branch; and that the run is called merged exactly if it is finished and the base has all of it.
func (a *mergers) check() error {
	if out := a.Git("status", "--porcelain"); out != "" {
		return fmt.Errorf("git status: %s", out)
	}
	for _, pattern := range []string{"MERGE_*", "SQUASH_MSG", "resume/merging/*"} {
		if found, _ := filepath.Glob(filepath.Join(commonDir(a.Repo), pattern)); len(found) > 0 {
			return fmt.Errorf("these are left: %v", found)
		}
	}
	f := readFacts(a.Repo)
	missing := ""
	for _, task := range a.acked {
		if n := f.count(a.id, "task.done", task); n != 1 {
			return fmt.Errorf("%s is acknowledged and recorded %d times", task, n)
		}
		if got, code := a.Try("git", "show", "resume/"+a.id+":"+a.file(task)); code != 0 || strings.TrimSpace(got) != task {
			return fmt.Errorf("the commit of %s has %q", task, got)
		}
		if _, code := a.Try("git", "cat-file", "-e", "HEAD:"+a.file(task)); code != 0 {
			missing = task
		}
	}
	said := ""
	for line := range strings.Lines(a.MustResume("status", "--all", "--porcelain")) {
		if strings.HasPrefix(line, "run\t"+a.id+"\t") {
			said = line
		}
	}
	if merged := strings.Contains(said, "\tmerged\t"); merged != (missing == "" && len(a.acked) == 2) {
		return fmt.Errorf("merged: %v, acknowledged are %v, and the base lacks %q\n%s", merged, a.acked, missing, said)
	}
	if left := litter(a.Repo); len(left) > 0 {
		return fmt.Errorf("these are left: %v", left)
	}
	a.Fsck()
	return nil
}
