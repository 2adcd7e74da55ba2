package guard

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/dotgit"
	"github.com/git-resume/git-resume/internal/flock"
	"github.com/git-resume/git-resume/internal/gittest"
)

func TestMain(m *testing.M) { gittest.Main(m) }

func idle() bool { return false }

func dirOf(own *gittest.Repo) *Dir {
	git := filepath.Join(own.Dir, ".git")
	return New(git, git, idle)
}

func TestReplace_keepsModeAndLeavesNothing(t *testing.T) {
	t.Parallel()
	own := gittest.New(t)
	r := dirOf(own)
	dir := filepath.Join(own.Dir, "state", "deep")
	private, fresh := filepath.Join(dir, "private"), filepath.Join(dir, "fresh")
	gittest.NoError(t, "replace", r.Replace(fresh, []byte("new\n")))
	gittest.NoError(t, "write", os.WriteFile(private, []byte("old\n"), 0o600))
	gittest.NoError(t, "replace", r.Replace(private, []byte("new\n")))
	for path, mode := range map[string]fs.FileMode{private: 0o600, fresh: 0o666 &^ dotgit.Umask()} {
		info, err := os.Stat(path)
		gittest.NoError(t, "stat", err)
		text, err := os.ReadFile(path)
		gittest.NoError(t, "read", err)
		if info.Mode().Perm() != mode || string(text) != "new\n" {
			t.Errorf("%s has mode %o and holds %q", path, info.Mode().Perm(), text)
		}
	}
	if names := gittest.ListDir(t, dir); names != "fresh private" {
		t.Errorf("the folder holds %s", names)
	}
	r.Close()
	if names := gittest.ListDir(t, r.tempRoot()); names != "" {
		t.Errorf("temporary folders are left: %s", names)
	}
}

func TestReplace_onAnotherDevice(t *testing.T) {
	t.Parallel()
	own := gittest.New(t)
	dir := gittest.OtherDevice(t, own.Dir)
	r := dirOf(own)
	path := filepath.Join(dir, "file")
	for _, text := range []string{"one", "two"} {
		gittest.NoError(t, "replace", r.Replace(path, []byte(text)))
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("it holds %q: %v", got, err)
		}
	}
	if names := gittest.ListDir(t, dir); names != "file" {
		t.Errorf("the folder holds %s", names)
	}
	g, err := r.Writing()
	gittest.NoError(t, "mark", err)
	if text, err := os.ReadFile(g.path); err != nil || string(text) != "" {
		t.Errorf("the mark still names %q: %v", text, err)
	}
}

// TestSweepTemps_onlyWhatIsOurs checks that only files and folders whose names look like our temporary ones are removed, even if a mark
// file lists others.
func TestSweepTemps_onlyWhatIsOurs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name string) string {
		path := filepath.Join(dir, name)
		gittest.NoError(t, "write", os.WriteFile(path, nil, 0o644))
		return path
	}
	ours := file(".plan.json.tmp12-0af")
	stay := []string{file("plan.json"), file("plan.json.tmp12-0af"), file(".plan.json.tmp"), file(".tmp"), file(".plan.tmp12-0af.json")}
	folder := filepath.Join(dir, ".folder.tmp1-1")
	gittest.NoError(t, "mkdir", os.Mkdir(folder, 0o755))
	link := filepath.Join(dir, ".link.tmp1-1")
	gittest.NoError(t, "link", os.Symlink(stay[0], link))
	built := filepath.Join(dir, ".built.tmp1-1")
	gittest.NoError(t, "mkdir", os.MkdirAll(filepath.Join(built, "sub"), 0o755))
	gittest.NoError(t, "link", os.Symlink(dir, filepath.Join(built, "sub", "link")))
	other := filepath.Join(dir, "other")
	gittest.NoError(t, "mkdir", os.Mkdir(other, 0o755))
	mark := "index.lock\n" + tempLine + "relative/.x.tmp1-1\n" + tempLine + "\"\n"
	for _, path := range append(stay, ours, folder, link) {
		mark += tempLine + strconv.Quote(path) + "\n"
	}
	for _, path := range append(stay, ours, link, built, other) {
		mark += folderLine + strconv.Quote(path) + "\n"
	}
	gittest.NoError(t, "sweep", sweepTemps(mark))
	for _, path := range append(stay, folder, link, other) {
		if _, err := os.Lstat(path); err != nil {
			t.Errorf("%s is gone", path)
		}
	}
	for _, path := range []string{ours, built} {
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s is left", path)
		}
	}
}

// TestSweepTemp_leavesNamesOfBranches checks that a folder named after a branch is not removed, even if the branch's name looks like that
// of a temporary file.
func TestSweepTemp_leavesNamesOfBranches(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	kept, left := filepath.Join(dir, "resume/apart/job-abcd/refs/heads/x.tmp12/.base"), filepath.Join(dir, "resume/apart/job-abcd.tmp12/refs/heads/main/.base")
	for _, path := range []string{kept, left} {
		gittest.NoError(t, "mkdir", os.MkdirAll(filepath.Dir(path), 0o755))
		gittest.NoError(t, "write", os.WriteFile(path, nil, 0o644))
	}
	New(dir, dir, idle).SweepTemp(func(int) bool { return true }, time.Now().Add(time.Hour))
	if _, err := os.Lstat(kept); err != nil {
		t.Errorf("the name of a branch is gone: %v", err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "resume/apart/job-abcd.tmp12")); err == nil {
		t.Error("the temporary folder is left")
	}
}

func FuzzMarkedTemps(f *testing.F) {
	f.Add("index.lock\ntemp \"/a/.b.tmp1-2\"\n")
	f.Add("temp \"/\\x00.tmp1-2\"\ntemp /a/.b.tmp1-2\ntemp `/.x.tmp1-1`")
	f.Fuzz(func(t *testing.T, mark string) {
		for _, path := range append(markedTemps(mark, tempLine), markedTemps(mark, folderLine)...) {
			if !filepath.IsAbs(path) || !strings.Contains(filepath.Base(path), ".tmp") {
				t.Errorf("%q would be removed", path)
			}
		}
	})
}

// FuzzMarked writes any text into a mark file, and checks that we accept from it only lock files and packed-refs.new, inside the
// repository.
func FuzzMarked(f *testing.F) {
	f.Add("index.lock\nrefs/heads/main.lock\npacked-refs.new\n")
	f.Add("../victim.lock\n/etc/x.lock\n./../../x.lock\nreftable/tables.list.lock\n")
	f.Add("*/tables.list.lock\n[/tables.list.lock\n\x00.lock\n.lock")
	dir := f.TempDir()
	r := New(dir, dir, idle)
	mark := filepath.Join(dir, "mark")
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(mark, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, name := range r.namedLocks(mark) {
			rel, err := filepath.Rel(dir, r.path(name))
			if err != nil || !filepath.IsLocal(rel) || !strings.HasSuffix(name, ".lock") && name != "packed-refs.new" {
				t.Fatalf("%q names %q", text, name)
			}
		}
	})
}

// The next writer removes the temporary folder of a killed writer, but not the folder of a living writer.
func TestTempDir_isSweptWithItsMark(t *testing.T) {
	t.Parallel()
	own := gittest.New(t)
	living, dead, next := dirOf(own), dirOf(own), dirOf(own)
	kept, done, err := living.TempDir()
	gittest.NoError(t, "living", err)
	left, _, err := dead.TempDir()
	gittest.NoError(t, "dead", err)
	gittest.NoError(t, "index", os.WriteFile(filepath.Join(left, "index"), nil, 0o666))
	gittest.NoError(t, "die", dead.mark.lock.Release())
	flock.Freed(dead.mark.path, dropPatience) // a child process that another test is just starting may keep the mark file locked for a moment

	_, err = next.Writing()
	gittest.NoError(t, "next", err)
	if _, err := os.Lstat(left); !os.IsNotExist(err) {
		t.Errorf("the dead one's is there: %v", err)
	}
	if _, err := os.Lstat(kept); err != nil {
		t.Errorf("the living one's: %v", err)
	}
	done()
	if entries, err := os.ReadDir(own.Dir + "/.git/resume/tmp"); err != nil || len(entries) != 0 {
		t.Errorf("left: %v, %v", entries, err)
	}
}

// ScratchDir also removes scratch folders that other processes left behind. Nobody holds the lock file of such a folder. A folder without a
// lock file may belong to a process that has not made its lock file yet, so such a folder is removed only if it is old.
func TestScratchDir_isSweptWithItsLock(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	kept, done, err := ScratchDir()
	gittest.NoError(t, "first", err)
	home := filepath.Dir(filepath.Dir(kept))
	if home == os.TempDir() {
		t.Skip("there is no folder of the user's own")
	}
	fresh, old, left, half := filepath.Join(home, "git-resume-1"), filepath.Join(home, "git-resume-2"), filepath.Join(home, "git-resume-3"), filepath.Join(home, "git-resume-4")
	for _, dir := range []string{fresh, old, left, half} {
		gittest.NoError(t, "make", os.MkdirAll(filepath.Join(dir, "objects"), 0o700))
	}
	gittest.NoError(t, "lock", os.WriteFile(filepath.Join(left, "lock"), nil, 0o600))
	gittest.NoError(t, "lock", os.WriteFile(filepath.Join(half, "lock.new"), nil, 0o600)) // left by a process that was killed before it had locked the folder
	long := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	gittest.NoError(t, "age", os.Chtimes(old, long, long))
	_, again, err := ScratchDir()
	gittest.NoError(t, "second", err)
	again()
	for dir, want := range map[string]bool{kept: true, fresh: true, old: false, left: false, half: false} {
		if _, err := os.Lstat(dir); (err == nil) != want {
			t.Errorf("%s is there: %v", dir, err == nil)
		}
	}
	done()
	if _, err := os.Lstat(filepath.Dir(kept)); err == nil {
		t.Error("it is not removed")
	}
}

// If other users can write to this user's folder for scratch folders, ScratchDir does not use that folder.
func TestScratchDir_mistrustsWhatOthersMade(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	_, done, err := ScratchDir()
	gittest.NoError(t, "first", err)
	done()
	homes, _ := os.ReadDir(os.TempDir())
	if len(homes) == 0 {
		t.Skip("there is no folder of the user's own")
	}
	home := filepath.Join(os.TempDir(), homes[0].Name())
	gittest.NoError(t, "mode", os.Chmod(home, 0o777))
	dir, done, err := ScratchDir()
	gittest.NoError(t, "second", err)
	defer done()
	if got := filepath.Dir(filepath.Dir(dir)); got != os.TempDir() {
		t.Errorf("made in %s", got)
	}
}

// TestScratchDir_isNobodysToSweepFromTheFirstMoment checks that a scratch folder is not removed while it is in use. Many goroutines make
// and remove scratch folders at the same time.
func TestScratchDir_isNobodysToSweepFromTheFirstMoment(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	const makers, rounds = 16, 250
	var all sync.WaitGroup
	for range makers {
		all.Go(func() {
			for range rounds {
				dir, remove, err := ScratchDir()
				if err != nil {
					t.Errorf("make: %v", err)
					return
				}
				if err := os.WriteFile(filepath.Join(dir, "object"), nil, 0o600); err != nil {
					t.Errorf("write: %v", err)
				}
				remove()
			}
		})
	}
	all.Wait()
	homes, err := os.ReadDir(os.TempDir())
	gittest.NoError(t, "list", err)
	for _, home := range homes {
		left, err := os.ReadDir(filepath.Join(os.TempDir(), home.Name()))
		gittest.NoError(t, "list", err)
		if len(left) > 0 {
			t.Errorf("%d folders are left", len(left))
		}
	}
}

// TestTempDir_manyAtOnce checks that a temporary folder can be made at the moment when its empty parent folder is removed.
func TestTempDir_manyAtOnce(t *testing.T) {
	t.Parallel()
	r := dirOf(gittest.New(t))
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for range 80 {
				dir, done, err := r.TempDir()
				if err != nil {
					t.Errorf("make: %v", err)
					return
				}
				if err := os.WriteFile(filepath.Join(dir, "index"), nil, 0o600); err != nil {
					t.Errorf("write: %v", err)
				}
				done()
			}
		})
	}
	all.Wait()
}
