package gitstate

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/flock"
	"github.com/git-resume/git-resume/internal/gittest"
)

// What a killed writer leaves is removed by the next one; what a living one has is not.
func TestTempDir_isSweptWithItsMark(t *testing.T) {
	t.Parallel()
	own := gittest.New(t)
	living, dead, next := openAt(t, own), openAt(t, own), openAt(t, own)
	kept, done, err := living.TempDir()
	noError(t, "living", err)
	left, _, err := dead.TempDir()
	noError(t, "dead", err)
	noError(t, "index", os.WriteFile(filepath.Join(left, "index"), nil, 0o666))
	noError(t, "die", dead.guard.lock.Release())
	flock.Freed(dead.guard.path, dropPatience) // a child that another test is just starting may have it for a moment

	_, err = next.writing()
	noError(t, "next", err)
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

// A scratch folder goes with its lock; one that is just being made is not taken away.
func TestScratchDir_isSweptWithItsLock(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	kept, done, err := ScratchDir()
	noError(t, "first", err)
	home := filepath.Dir(filepath.Dir(kept))
	if home == os.TempDir() {
		t.Skip("there is no folder of the user's own")
	}
	fresh, old, left := filepath.Join(home, "git-resume-1"), filepath.Join(home, "git-resume-2"), filepath.Join(home, "git-resume-3")
	for _, dir := range []string{fresh, old, left} {
		noError(t, "make", os.MkdirAll(filepath.Join(dir, "objects"), 0o700))
	}
	noError(t, "lock", os.WriteFile(filepath.Join(left, "lock"), nil, 0o600))
	long := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	noError(t, "age", os.Chtimes(old, long, long))
	_, again, err := ScratchDir()
	noError(t, "second", err)
	again()
	for dir, want := range map[string]bool{kept: true, fresh: true, old: false, left: false} {
		if _, err := os.Lstat(dir); (err == nil) != want {
			t.Errorf("%s is there: %v", dir, err == nil)
		}
	}
	done()
	if _, err := os.Lstat(filepath.Dir(kept)); err == nil {
		t.Error("it is not removed")
	}
}

// A folder of that name that others can write to is not ours to work in, nor to sweep.
func TestScratchDir_mistrustsWhatOthersMade(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	_, done, err := ScratchDir()
	noError(t, "first", err)
	done()
	homes, _ := os.ReadDir(os.TempDir())
	if len(homes) == 0 {
		t.Skip("there is no folder of the user's own")
	}
	home := filepath.Join(os.TempDir(), homes[0].Name())
	noError(t, "mode", os.Chmod(home, 0o777))
	dir, done, err := ScratchDir()
	noError(t, "second", err)
	defer done()
	if got := filepath.Dir(filepath.Dir(dir)); got != os.TempDir() {
		t.Errorf("made in %s", got)
	}
}

// TestScratchDir_isNobodysToSweepFromTheFirstMoment: many make folders at once, and each of them sweeps.
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
	noError(t, "list", err)
	for _, home := range homes {
		left, err := os.ReadDir(filepath.Join(os.TempDir(), home.Name()))
		noError(t, "list", err)
		equal(t, "folders that are left", len(left), 0)
	}
}

// TestTempDir_manyAtOnce: the last one of a process takes the folder of all away, just when the next one comes.
func TestTempDir_manyAtOnce(t *testing.T) {
	t.Parallel()
	r := openAt(t, gittest.New(t))
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
