package prove

import (
	"crypto/sha1"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/git-resume/git-resume/internal/gittest"
)

// disk is a file system in a file. The test can simulate a power cut for it.
type disk struct {
	t     testing.TB
	image string
	dir   string
	kind  diskKind
}

// diskKind has the options for mkfs and mount. With a commit interval of 900 seconds, ext4 does not write by itself during a test.
type diskKind struct{ name, make, mount string }

func diskKinds() []diskKind {
	return []diskKind{
		{"ordered", "^fast_commit", "commit=900"},
		{"writeback", "^fast_commit", "commit=900,data=writeback"},
		{"fast commit", "fast_commit", "commit=900"},
	}
}

// needDisk makes a file system. It skips the test if this is not permitted.
func needDisk(t testing.TB, kind diskKind) *disk {
	t.Helper()
	dir := t.TempDir()
	d := &disk{t: t, image: filepath.Join(dir, "image"), dir: filepath.Join(dir, "disk"), kind: kind}
	if os.Getuid() != 0 {
		t.Skip("to cut the power of a file system needs root")
	}
	if err := os.Mkdir(d.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(d.image, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(d.image, 192<<20); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mkfs.ext4", "-q", "-F", "-O", kind.make, d.image).CombinedOutput(); err != nil {
		t.Skipf("no ext4 can be made here: %v %s", err, out)
	}
	if err := d.mount(); err != nil {
		t.Skipf("no file system can be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = d.unmount() })
	return d
}

func (d *disk) mount() error {
	if out, err := exec.Command("mount", "-o", "loop,"+d.kind.mount, d.image, d.dir).CombinedOutput(); err != nil {
		return fmt.Errorf("mount: %w %s", err, out)
	}
	return nil
}

// unmount retries for several seconds, because killed processes may still use the file system.
func (d *disk) unmount() error {
	var out []byte
	var err error
	for range 500 {
		if out, err = exec.Command("umount", d.dir).CombinedOutput(); err == nil {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return fmt.Errorf("umount: %w %s", err, out)
}

// shutDown is EXT4_IOC_SHUTDOWN. With noLogFlush, everything that is not yet on the disk is lost. longestWork is the longest time before a
// power cut.
const (
	shutDown    = 0x8004587d
	noLogFlush  = uint32(2)
	longestWork = 900 * time.Millisecond
)

// cut simulates a power cut: data that is not yet on the disk is lost.
func (d *disk) cut() error {
	f, err := os.Open(d.dir)
	if err != nil {
		return err
	}
	defer f.Close()
	flag := noLogFlush
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), shutDown, uintptr(unsafe.Pointer(&flag))); errno != 0 {
		return errno
	}
	return nil
}

func (d *disk) remount() error { return errors.Join(d.unmount(), d.mount()) }

// work is a sequence of commands during which the test cuts the power.
type work interface {
	// step runs one command. It returns false if the command failed.
	step() bool
	// kill ends the running command.
	kill()
}

// cutDuring runs the work for a random time and then cuts the power. When the work has ended, it mounts the file system again.
func (d *disk) cutDuring(w work, chance *rand.Rand) {
	d.t.Helper()
	over := make(chan struct{})
	go func() {
		defer close(over)
		for w.step() {
		}
	}()
	select {
	case <-time.After(time.Duration(chance.Int64N(int64(longestWork)))):
	case <-over:
		d.t.Fatalf("it failed before the cut: %v", w)
	}
	if err := d.cut(); err != nil {
		d.t.Skipf("a power cut cannot be simulated for this file system: %v", err)
	}
	select {
	case <-over: // all commands fail soon after the power cut, because nothing can be read or written
	case <-time.After(20 * time.Second):
		w.kill()
		<-over
	}
	if err := d.remount(); err != nil {
		d.t.Fatal(err)
	}
}

const (
	// cutsEach is the largest number of power cuts that the test simulates for one file system.
	cutsEach = 25
	// sampleOfCuts is the number of trials in everyday tests.
	sampleOfCuts = 3
)

// TestPowerCut_keepsWhatWasAcknowledged cuts the power while runs are worked on, and checks what is on the disk.
func TestPowerCut_keepsWhatWasAcknowledged(t *testing.T) {
	p := gittest.Prove(t, "C", "power cuts")
	chance := p.Rand(1)
	for n, can := 0, true; p.More(sampleOfCuts); n++ {
		kind := diskKinds()[n%len(diskKinds())]
		t.Run(strings.ReplaceAll(kind.name, " ", "_"), func(t *testing.T) {
			// A skipped subtest alone would go unnoticed. So store that it was skipped; the code after t.Run then skips the whole test.
			defer func() { can = !t.Skipped() }()
			d := needDisk(t, kind)
			w := newWorker(t, d.dir, chance)
			for i := 0; i < cutsEach && p.More(sampleOfCuts); i++ {
				d.cutDuring(w, chance)
				if err := w.check(); err != nil {
					t.Fatalf("cut %d, in %v: %v", i, w.doing.args, err)
				}
				p.Trial(1)
			}
			t.Logf("%s: %d acknowledged commands", kind.name, w.acknowledged)
		})
		if !can {
			t.Skip("power cuts cannot be simulated here")
		}
	}
}

// TestPowerCut_bites cuts the power while git works without fsync. Git must lose something; otherwise the power cut would not be real.
func TestPowerCut_bites(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 2))
	d := needDisk(t, diskKinds()[0])
	w := &plainGitWork{Repo: repoOn(t, d.dir)}
	w.Git("config", "core.fsync", "none")
	syncDisk(t, d.dir)
	cuts, lost := 0, 0
	for range 3 {
		d.cutDuring(w, chance)
		cuts++
		if w.lostSomething() {
			lost++
		}
	}
	t.Logf("git without fsync lost something acknowledged in %d of %d cuts", lost, cuts)
	if lost == 0 {
		t.Error("git without fsync lost nothing: the power is not cut")
	}
}

// syncDisk writes everything to the disk. After that, a power cut can lose only what is written later.
func syncDisk(t testing.TB, dir string) {
	t.Helper()
	f, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := unix.Syncfs(int(f.Fd())); err != nil {
		t.Fatalf("sync the disk: %v", err)
	}
}

// repoOn makes a repository in a folder of the test's disk. The home folder of its git commands (HOME) is not on that disk.
func repoOn(t testing.TB, dir string) *gittest.Repo {
	t.Helper()
	r := gittest.New(t)
	r.Git("clone", "-q", "--no-local", r.Dir, filepath.Join(dir, "repo"))
	return r.In(filepath.Join(dir, "repo"))
}

// plainGitWork commits with plain git.
type plainGitWork struct {
	*gittest.Repo
	n     int
	acked string
}

func (w *plainGitWork) kill() {}

func (w *plainGitWork) String() string { return "git" }

func (w *plainGitWork) step() bool {
	w.n++
	if os.WriteFile(filepath.Join(w.Dir, fmt.Sprint("file", w.n)), []byte(fmt.Sprint(w.n)), 0o644) != nil {
		return false
	}
	if _, code := w.Try("git", "add", "-A"); code != 0 {
		return false
	}
	if _, code := w.Try("git", "commit", "-q", "-m", fmt.Sprint(w.n)); code != 0 {
		return false
	}
	if id, code := w.Try("git", "rev-parse", "HEAD"); code == 0 {
		w.acked = strings.TrimSpace(id)
	}
	return true
}

// lostSomething reports whether the last commit that git acknowledged is missing, or the repository is broken. It then forgets this
// commit, so that the same loss is not counted again after the next power cut.
func (w *plainGitWork) lostSomething() bool {
	if w.acked == "" {
		return false
	}
	_, reached := w.Try("git", "merge-base", "--is-ancestor", w.acked, "HEAD")
	_, whole := w.Try("git", "fsck", "--full")
	w.acked = ""
	return reached != 0 || whole != 0
}

// worker executes git-resume commands on the test's runs, one after the other.
type worker struct {
	*gittest.Repo
	chance       *rand.Rand
	n            int
	acknowledged int
	doing        step
	said         string
	code         int
	todo         []step
	// events maps the beginning of each run's id to the events that must be recorded, because their commands succeeded. blobs maps the
	// beginning of the names of refs to the blobs that these refs must contain, each with a description.
	events map[string][]string
	blobs  map[string]map[string]string
}

// step is one command, and what must be recorded once it succeeds.
type step struct {
	args []string
	// file is written before the command runs. The field "in" is the folder for the file and the command.
	// If "in" is only the start of a run's id, the file is in the worktree of that run, and the command runs in the main worktree.
	file, in string
	// run is the start of the run's id. The rest of the id is random.
	run, event, ref string
}

func newWorker(t testing.TB, dir string, chance *rand.Rand) *worker {
	t.Helper()
	gittest.Binary(t) // build the program first, because building takes longer than the time until the power cut
	w := &worker{Repo: repoOn(t, dir), chance: chance, events: map[string][]string{}, blobs: map[string]map[string]string{}}
	syncDisk(t, dir)
	return w
}

func (w *worker) String() string {
	return fmt.Sprintf("%v: exit code %d\n%s", w.doing.args, w.code, w.said)
}

func (w *worker) kill() {
	all, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, cwd := range all {
		if at, _ := os.Readlink(cwd); strings.HasPrefix(at, w.Root()) {
			var pid int
			if _, err := fmt.Sscanf(cwd, "/proc/%d/cwd", &pid); err == nil {
				_ = unix.Kill(pid, unix.SIGKILL)
			}
		}
	}
}

// plan returns the next steps, in order.
func (w *worker) plan() []step {
	w.n++
	if w.n == 1 {
		return []step{{args: []string{"start", "--name", "job", "--task", "t0"}, run: "job", event: "run.started"}}
	}
	task, job := fmt.Sprintf("t%d", w.n), w.id("job")
	in := filepath.Join(w.Root(), "repo.worktrees", job)
	all := []step{
		{args: []string{"task", "start", "--add", "--run", job, task}, in: in, run: "job", event: "task.started " + task},
		{args: []string{"task", "done", "--run", job, task}, file: task, in: in, run: "job", event: "task.done " + task, ref: "refs/heads/resume/"},
		{args: []string{"checkpoint", "--run", job}, file: "u" + task, in: in, run: "job", ref: "refs/resume/snapshots/"},
	}
	if w.n%3 == 0 {
		extra := fmt.Sprintf("extra%d", w.n)
		all = append(all,
			step{args: []string{"start", "--name", extra, "--task", "x"}, run: extra, event: "run.started"},
			step{args: []string{"--discard", "-y", extra}, file: "mine", in: extra, run: extra, event: "run.discarded", ref: "refs/resume/discarded/"})
	}
	return all
}

// id returns the run whose id starts with name; empty if there is none.
func (w *worker) id(name string) string {
	found, _ := filepath.Glob(filepath.Join(w.Dir, ".git/logs/refs/heads/resume", name+"-*"))
	if len(found) == 0 {
		found, _ = filepath.Glob(filepath.Join(w.Dir, ".git/refs/resume/journal", name+"-*"))
	}
	if len(found) == 0 {
		return ""
	}
	return filepath.Base(found[0])
}

func (w *worker) step() bool {
	if len(w.todo) == 0 {
		w.todo = w.plan()
	}
	w.doing = w.todo[0]
	blob, err := w.write(w.doing)
	if err != nil {
		return false
	}
	if w.said, w.code = w.at(w.doing).Resume(w.doing.args...); w.code != 0 {
		return false
	}
	w.keep(w.doing, blob)
	w.todo = w.todo[1:]
	return true
}

func (w *worker) at(d step) *gittest.Repo {
	if filepath.IsAbs(d.in) {
		return w.In(d.in)
	}
	return w.Repo
}

// write writes the file of a step and returns its blob id.
func (w *worker) write(d step) (string, error) {
	if d.file == "" {
		return "", nil
	}
	in := d.in
	if !filepath.IsAbs(in) {
		in = filepath.Join(w.Root(), "repo.worktrees", w.id(d.in))
	}
	text := fmt.Sprintf("%s of %s\n%s", d.file, d.run, strings.Repeat("a line of some length\n", 100+len(d.file)))
	sum := sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(text), text))
	err := os.WriteFile(filepath.Join(in, d.file), []byte(text), 0o644)
	if errors.Is(err, os.ErrNotExist) && d.event == "run.discarded" {
		err = nil // the discard has already moved the worktree and this file
	}
	return fmt.Sprintf("%x", sum), err
}

func (w *worker) keep(d step, blob string) {
	w.acknowledged++
	if d.event != "" {
		w.events[d.run] = append(w.events[d.run], d.event)
	}
	if d.ref != "" {
		if w.blobs[d.ref] == nil {
			w.blobs[d.ref] = map[string]string{}
		}
		w.blobs[d.ref][blob] = d.run + ": " + d.file
	}
}

// check checks what is on the disk, then repeats the interrupted command.
func (w *worker) check() error {
	if err := w.look(); err != nil {
		return fmt.Errorf("after the cut: %w", err)
	}
	if len(w.todo) > 0 {
		d := w.todo[0]
		blob, err := w.write(d)
		if err != nil {
			return fmt.Errorf("write the file again: %w", err)
		}
		if out, code := w.at(d).Resume(d.args...); code != 0 {
			return fmt.Errorf("%v repeated: exit code %d\n%s", d.args, code, out)
		}
		w.keep(d, blob)
		w.todo = w.todo[1:]
	}
	if err := w.look(); err != nil {
		return fmt.Errorf("after the repeat: %w", err)
	}
	if err := tidied(w.Repo); err != nil {
		return fmt.Errorf("after the repeat: %w", err)
	}
	return nil
}

func (w *worker) look() error {
	if out, code := w.Try("git", "fsck", "--full", "--strict", "--no-dangling"); code != 0 || strings.TrimSpace(out) != "" {
		return &fsckError{strings.TrimSpace(out)}
	}
	f := readFacts(w.Repo)
	if _, err := checkReport(w.Repo, f); err != nil {
		return err
	}
	if err := w.checkRecorded(f); err != nil {
		return err
	}
	for ref, blobs := range w.blobs {
		reach := w.Git("rev-list", "--objects", "--glob="+ref+"*")
		for blob, what := range blobs {
			if !strings.Contains(reach, blob) {
				return fmt.Errorf("the acknowledged file of %s is not in %s", what, ref)
			}
		}
	}
	return nil
}

// checkRecorded checks that every event that was reported as recorded exists, in the right order. Only a start of a task may be recorded
// more than once.
func (w *worker) checkRecorded(f facts) error {
	if n := len(w.blobs["refs/resume/snapshots/"]); f.countAll("snapshot.taken") < n {
		return fmt.Errorf("%d snapshots are acknowledged, %d recorded", n, f.countAll("snapshot.taken"))
	}
	for name, events := range w.events {
		var have []string
		for id, run := range f.runs {
			if strings.HasPrefix(id, name+"-") {
				for _, l := range run.lines {
					have = append(have, strings.TrimSpace(l.Event+" "+l.Task))
				}
			}
		}
		at := -1
		for _, e := range events {
			n := 0
			for i, h := range have {
				if h == e {
					n++
					if i < at {
						return fmt.Errorf("run %s has %s too early", name, e)
					}
					at = i
				}
			}
			if n != 1 && !strings.HasPrefix(e, "task.started") || n == 0 {
				return fmt.Errorf("run %s has %s %d times", name, e, n)
			}
		}
	}
	return nil
}

// countAll counts the journal lines with this event, in all runs.
func (f facts) countAll(event string) (n int) {
	for _, run := range f.runs {
		for _, l := range run.lines {
			if l.Event == event {
				n++
			}
		}
	}
	return n
}
