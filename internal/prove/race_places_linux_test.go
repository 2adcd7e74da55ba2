package prove

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
)

// TestRaces_forOnePlace runs several commands at once that use the same worktree or the same temporary folders, for example a report during
// a discard.
func TestRaces_forOnePlace(t *testing.T) {
	p := gittest.Prove(t, "D", "race rounds")
	kinds := []racing{{"starts", newStarts}, {"writer", newWriter}, {"late", newLate}, {"scratch", newScratch}, {"gc", newCollected}}
	race(t, p, p.Rand(2), len(kinds), placeRounds, kinds)
}

// placeRounds is how many rounds of a race use the same repository. Everyday tests have only as many rounds as there are kinds of races.
// With one round per repository, each kind gets one of these rounds.
var placeRounds = map[bool]int{true: 10, false: 1}[gittest.Proving()]

// raw lists words from error messages of git or the system. The program must replace such messages with its own.
var raw = []string{"fatal:", "cannot lock ref", "not a git repository", "reference already exists", "No such file or directory", "no such file or directory", "panic"}

// checkRefusal checks the exit code of a process. If the process failed, its message must not contain any of the words in "raw".
func checkRefusal(r *racer, codes ...int) error {
	if !slices.Contains(codes, r.code) {
		return fmt.Errorf("an exit code that is none of %v: %s", codes, r)
	}
	for _, word := range raw {
		if r.code != 0 && strings.Contains(r.out.String(), word) {
			return fmt.Errorf("raw words: %s", r)
		}
	}
	return nil
}

// starts is a race of processes that start the same plan, while others want to continue or discard the run.
type starts struct {
	*gittest.Repo
	chance *rand.Rand
	n      int
}

func newStarts(t testing.TB, chance *rand.Rand) arena {
	a := &starts{Repo: gittest.New(t), chance: chance}
	for i := range 50 { // many files, so that creating the worktree takes some time
		a.Write(fmt.Sprintf("files/%d", i), strings.Repeat("x", 1000))
	}
	a.Git("add", ".")
	a.Git("commit", "-q", "-m", "files")
	return a
}

func (a *starts) round() error {
	a.n++
	name := fmt.Sprintf("plan%c", 'a'+a.n%26)
	ran, over, plan := filepath.Join(side(a.Repo), name+".ran"), filepath.Join(side(a.Repo), name+".go"), filepath.Join(side(a.Repo), name+".yaml")
	put(a.Repo, plan, fmt.Sprintf("name: %s\ntasks:\n  - id: a\n    run: echo a >> %s; echo a > %s.txt; until test -e %s; do sleep 0.02; done\n", name, ran, name, over))
	start := []string{"start", "--auto", plan}
	other := [][]string{{"--auto", "--even-idle"}, {name, "--yes"}, {"discard", name, "--yes"}, start}[a.chance.IntN(4)]
	commands := [][]string{start, start, start, other}
	ended := make(chan *racer, len(commands))
	for _, args := range commands {
		time.Sleep(time.Duration(a.chance.IntN(30)) * time.Millisecond)
		setResume(a.Repo, ended, args...)
	}
	for range len(commands) - 1 { // all processes end here except one, which executes the task
		r := <-ended
		if err := checkRefusal(r, map[bool][]int{true: {13}, false: {0, 1, 13}}[r.args[0] == "start"]...); err != nil {
			put(a.Repo, over, "")
			return err
		}
	}
	put(a.Repo, over, "")
	if err := checkRefusal(<-ended, 0); err != nil {
		return err
	}
	text, _ := os.ReadFile(ran)
	if string(text) != "a\n" {
		return fmt.Errorf("the task ran %d times", strings.Count(string(text), "a"))
	}
	if n := strings.Count(a.Git("for-each-ref", "refs/resume/journal"), "/"+name+"-"); n != 1 {
		return fmt.Errorf("%d runs were made of one plan", n)
	}
	if got := a.Git("log", "--all", "--format=%s", "--", name+".txt"); strings.Count(got, "\n")+1 != 1 || got == "" {
		return fmt.Errorf("commits of its file: %q", got)
	}
	if put, _ := filepath.Glob(a.Dir + ".worktrees/.*"); len(put) > 0 {
		return fmt.Errorf("put aside: %v", put)
	}
	if left := litter(a.Repo); len(left) > 0 {
		return fmt.Errorf("these are left: %v", left)
	}
	a.Fsck()
	return nil
}

// writer is a race in which one process writes files into a worktree while git-resume discards the worktree. After an undo, all files must
// be back.
type writer struct {
	*gittest.Repo
	chance *rand.Rand
	n      int
}

func newWriter(t testing.TB, chance *rand.Rand) arena {
	return &writer{Repo: gittest.New(t), chance: chance}
}

const writerText = `cd "$1" || exit 1
n=0
until test -e "$2.stop"; do
	n=$((n + 1))
	echo "$n" > "w$n" && echo "w$n" >> "$2.written"
	test $((n % 8)) = 0 && sleep 0.001
done
exit 0`

func (a *writer) round() error {
	a.n++
	id, tree := a.begun(a.n)
	notes := filepath.Join(side(a.Repo), fmt.Sprintf("writer%d", a.n))
	put(a.Repo, notes+".written", "")
	ended := make(chan *racer, 1)
	startRacer(a.Repo, ended, "sh", "-c", writerText, "sh", tree, notes)
	stop := func() { put(a.Repo, notes+".stop", ""); <-ended }
	time.Sleep(time.Duration(20+a.chance.IntN(100)) * time.Millisecond)
	if out, code := a.Resume("discard", id, "--yes"); code != 13 || !strings.Contains(out, " using the worktree of run") {
		stop()
		return fmt.Errorf("a discard beside a writer ends with %d: %s", code, out)
	}
	out, code := a.Resume("discard", id, "--yes", "--force")
	time.Sleep(time.Duration(a.chance.IntN(50)) * time.Millisecond)
	stop()
	if code != 0 {
		return fmt.Errorf("the discard ends with %d: %s", code, out)
	}
	text, _ := os.ReadFile(notes + ".written")
	written := strings.Fields(string(text))
	there := map[string]bool{}
	for _, path := range strings.Split(a.Git("ls-tree", "-r", "--name-only", "--full-tree", "refs/resume/discarded/"+id), "\n") {
		there[filepath.Base(path)] = true
	}
	left, _ := filepath.Glob(a.Dir + ".worktrees/.trash-" + id + "-*/w*")
	for _, path := range left {
		there[filepath.Base(path)] = true
	}
	for _, name := range written {
		if !there[name] {
			return fmt.Errorf("%s is neither in the snapshots nor on disk, of %d files", name, len(written))
		}
	}
	if len(left) > 0 && !strings.Contains(out, "note: the files that were not deleted are in") {
		return fmt.Errorf("nothing is said of %d files that were left: %s", len(left), out)
	}
	a.MustResume("undo", id, "--yes")
	for _, name := range written {
		if got, err := os.ReadFile(filepath.Join(tree, name)); err != nil || "w"+string(got) != name+"\n" {
			return fmt.Errorf("%s is %q after the undo: %w", name, got, err)
		}
	}
	a.MustResume("discard", id, "--yes")
	a.Fsck()
	return nil
}

// begun starts a run without executing a task, and returns the run's id and its worktree.
func (a *writer) begun(n int) (id, tree string) {
	out := a.MustResume("start", "--new", "--name", fmt.Sprintf("drop%c", 'a'+n%26), "--task", "a")
	for line := range strings.Lines(out) {
		if path := strings.TrimSpace(line); filepath.IsAbs(path) {
			tree = path
		}
	}
	return filepath.Base(tree), tree
}

// lateReports is a race in which workers report from a worktree while it is being discarded.
type lateReports struct{ writer }

func newLate(t testing.TB, chance *rand.Rand) arena {
	return &lateReports{writer{Repo: gittest.New(t), chance: chance}}
}

func (a *lateReports) round() error {
	a.n++
	id, tree := a.begun(a.n)
	in := a.In(tree)
	ended := make(chan *racer, crowd)
	reports := 2 + a.chance.IntN(3)
	for i := range reports {
		task := fmt.Sprintf("t%d", i)
		in.Write(task+".txt", task+"\n")
		setResume(in, ended, "task", "done", "--add", "--run", id, task, task+".txt")
	}
	time.Sleep(time.Duration(a.chance.IntN(150)) * time.Millisecond)
	setResume(a.Repo, ended, "discard", id, "--yes", "--force")
	var acked []string
	dropped := false
	for range reports + 1 {
		r := <-ended
		if err := checkRefusal(r, 0, 1, 13); err != nil {
			return err
		}
		switch {
		case r.code == 0 && r.args[0] == "task":
			acked = append(acked, r.args[len(r.args)-2])
		case r.args[0] == "discard":
			dropped = r.code == 0
		}
	}
	if dropped {
		a.MustResume("undo", id, "--yes")
	}
	f := readFacts(a.Repo)
	for _, task := range acked {
		if n := f.count(id, "task.done", task); n != 1 {
			return fmt.Errorf("%s is acknowledged and recorded %d times", task, n)
		}
	}
	for i := range reports {
		name := fmt.Sprintf("t%d.txt", i)
		if got, err := os.ReadFile(filepath.Join(tree, name)); err != nil || string(got) != fmt.Sprintf("t%d\n", i) {
			return fmt.Errorf("%s is %q: %w", name, got, err)
		}
	}
	a.MustResume("discard", id, "--yes", "--force")
	a.Fsck()
	return nil
}

// scratch is a race of commands that create their own temporary folders and remove those of dead processes.
type scratch struct {
	*gittest.Repo
	chance *rand.Rand
}

func newScratch(t testing.TB, chance *rand.Rand) arena {
	a := &scratch{Repo: gittest.New(t), chance: chance}
	for _, branch := range []string{"ours", "theirs"} {
		a.Git("checkout", "-q", "-B", branch, "main")
		a.Write("clash", branch+"\n")
		a.Git("add", ".")
		a.Git("commit", "-q", "-m", branch)
	}
	return a
}

func (a *scratch) round() error {
	ended := make(chan *racer, crowd)
	args := []string{"conflicts", "--engine=builtin", "ours", "theirs"}
	want, _ := a.Resume(args...)
	for i := range crowd {
		if i%4 == 3 {
			r := setResume(a.Repo, ended, args...)
			time.AfterFunc(time.Duration(a.chance.IntN(40))*time.Millisecond, func() { _ = r.cmd.Process.Kill() })
			continue
		}
		setResume(a.Repo, ended, args...)
	}
	for range crowd {
		if r := <-ended; r.code >= 0 && r.out.String() != want {
			return fmt.Errorf("%s\nalone it says:\n%s", r, want)
		}
	}
	a.Resume(args...) // this command removes what the killed processes left
	// A process that was killed while it locked its folder leaves a file "lock.new". This check ignores such files.
	left := slices.DeleteFunc(litter(a.Repo), func(path string) bool { return strings.HasSuffix(path, ".new") })
	if len(left) > 0 {
		return fmt.Errorf("these are left: %v", left)
	}
	return nil
}

// collected is a race in which a worktree is discarded and restored while git removes unreachable objects.
type collected struct{ writer }

func newCollected(t testing.TB, chance *rand.Rand) arena {
	return &collected{writer{Repo: gittest.New(t), chance: chance}}
}

func (a *collected) round() error {
	a.n++
	id, tree := a.begun(a.n)
	in := a.In(tree)
	in.Write("committed", fmt.Sprintf("%d\n", a.n))
	in.Git("add", ".")
	in.Git("commit", "-q", "-m", "work")
	in.Write("committed", fmt.Sprintf("changed %d\n", a.n))
	in.Write("new", fmt.Sprintf("new %d\n", a.n))
	for _, args := range [][]string{{"discard", id, "--yes"}, {"undo", id, "--yes"}} {
		collecting, ended := make(chan *racer, 1), make(chan *racer, 1)
		startRacer(a.Repo, collecting, "git", "gc", "-q", "--prune=now")
		time.Sleep(time.Duration(a.chance.IntN(60)) * time.Millisecond)
		setResume(a.Repo, ended, args...)
		r := <-ended
		<-collecting
		if err := checkRefusal(r, 0); err != nil {
			return err
		}
	}
	for name, want := range map[string]string{"committed": "changed %d\n", "new": "new %d\n"} {
		if got := in.Read(name); got != fmt.Sprintf(want, a.n) {
			return fmt.Errorf("%s is %q", name, got)
		}
	}
	if got := in.Git("show", "HEAD:committed"); got != fmt.Sprint(a.n) {
		return fmt.Errorf("the commit has %q", got)
	}
	a.Fsck()
	return nil
}
