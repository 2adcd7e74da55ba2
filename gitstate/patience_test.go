package gitstate

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/internal/gittest"
)

// notices collects the notices about a git process that takes long to answer.
type notices struct {
	mu  sync.Mutex
	all []process.Waiting
}

func (h *notices) notice(w process.Waiting) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, w)
}

func (h *notices) words() []process.Waiting {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.all
}

// slowGit opens a repository whose git first runs a shell command if its arguments contain the given word.
func slowGit(t *testing.T, word, first string, limit time.Duration) (*Repo, *notices) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a shell script stands in for git")
	}
	r := gittest.New(t).Fronted(`case " $* " in *" ` + word + ` "*) ` + first + `;; esac`)
	place, err := locate.Find(r.Dir, r.Env)
	gittest.NoError(t, "locate", err)
	repo := Open(place, r.Env)
	t.Cleanup(repo.Close)
	h := &notices{}
	repo.SetPatience(process.Patience{After: 200 * time.Millisecond, Notice: h.notice, Limit: limit})
	return repo, h
}

func TestPatience_saysWhatIsWaitedForAndGivesUpWhatOnlyReads(t *testing.T) {
	t.Parallel()
	repo, h := slowGit(t, "status", "exec sleep 30", time.Second)
	began := time.Now()
	_, err := repo.Status(context.Background())
	var late *process.LimitError
	if !errors.As(err, &late) || late.Limit != time.Second || !strings.Contains(err.Error(), "git status did not answer for 1s") {
		t.Fatalf("the error is %v", err)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %s to give up", took)
	}
	said := h.words()
	if len(said) < 2 || said[0].Args[0] != "status" || said[0].PID == 0 || said[0].PID != late.PID {
		t.Fatalf("said: %+v", said)
	}
	for i := 1; i < len(said); i++ {
		if said[i].Waited != 2*said[i-1].Waited {
			t.Errorf("it is said after %s and again after %s", said[i-1].Waited, said[i].Waited)
		}
	}
}

func TestPatience_waitsForWhatWrites(t *testing.T) {
	t.Parallel()
	repo, h := slowGit(t, "update-ref", "sleep 2", 500*time.Millisecond)
	_, err := repo.Git(context.Background(), process.Call{Args: []string{"update-ref", "refs/heads/other", "HEAD"}, Mode: process.Write})
	gittest.NoError(t, "a slow git that writes", err)
	if said := h.words(); len(said) == 0 || said[0].Args[0] != "update-ref" {
		t.Errorf("said: %+v", said)
	}
}

func TestPatience_givesUpAnAnswerOfTheProcessThatStays(t *testing.T) {
	t.Parallel()
	repo, h := slowGit(t, "cat-file", "exec sleep 30", time.Second)
	_, err := repo.Objects.Object(context.Background(), "HEAD")
	var late *process.LimitError
	if !errors.As(err, &late) {
		t.Fatalf("the error is %v", err)
	}
	if said := h.words(); len(said) == 0 || said[0].Args[0] != "cat-file" {
		t.Errorf("said: %+v", said)
	}
}

func TestPatience_saysNothingOfWhatIsQuick(t *testing.T) {
	t.Parallel()
	repo, h := slowGit(t, "no-such-word", "exit 1", time.Minute)
	_, err := repo.Status(context.Background())
	gittest.NoError(t, "status", err)
	repo.Close()
	time.Sleep(300 * time.Millisecond)
	for _, w := range h.words() {
		if w.PID == 0 || w.Waited < 200*time.Millisecond {
			t.Errorf("said: %+v", w)
		}
	}
}

// tmpPacks lists the files that git started to write but did not finish.
func tmpPacks(t *testing.T, r *gittest.Repo) []string {
	t.Helper()
	var out []string
	for _, pattern := range []string{"objects/pack/tmp_*", "objects/??/tmp_*"} {
		names, err := filepath.Glob(filepath.Join(r.Dir, ".git", pattern))
		gittest.NoError(t, "glob", err)
		out = append(out, names...)
	}
	return out
}

func TestStoreFile_killedInTheMiddleLeavesNothingForLong(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the open files of a process are seen on Linux only")
	}
	r := gittest.New(t)
	r.Git("config", "core.bigFileThreshold", "1m")
	big := filepath.Join(r.Dir, "big")
	randomFile(t, big, 48<<20)
	theirs := filepath.Join(r.Dir, ".git/objects/pack/tmp_pack_Theirs")
	gittest.NoError(t, "another's part", os.WriteFile(theirs, []byte("PACK"), 0o600))
	place, err := locate.Find(r.Dir, r.Env)
	gittest.NoError(t, "locate", err)
	repo := Open(place, r.Env)
	var told sync.Once
	ctx, kill := context.WithCancel(context.Background())
	repo.SetPatience(process.Patience{Storing: func(_ string, done, of int64) {
		if done > 0 && done < of && len(tmpPacks(t, r)) > 1 {
			told.Do(kill)
		}
	}})
	if _, err = repo.Objects.StoreFile(ctx, big); err == nil {
		t.Fatal("it was not killed")
	}
	repo.Close()
	next := Open(place, r.Env)
	next.Guard.ClearDead()
	next.Close()
	if left := tmpPacks(t, r); len(left) != 1 || left[0] != theirs {
		t.Errorf("left: %v", left)
	}
	// If git is not interrupted, StoreFile must store the bytes unchanged. Compression is switched off to
	// save time.
	r.Git("config", "core.compression", "0")
	whole := Open(place, r.Env)
	defer whole.Close()
	id, err := whole.Objects.StoreFile(context.Background(), big)
	gittest.NoError(t, "store", err)
	if want := r.Git("hash-object", "--no-filters", big); string(id) != want {
		t.Errorf("stored as %s, want %s", id, want)
	}
	if left := tmpPacks(t, r); len(left) != 1 {
		t.Errorf("left: %v", left)
	}
}

// randomFile makes a file that cannot be compressed.
func randomFile(t *testing.T, path string, size int64) {
	t.Helper()
	from, err := os.Open("/dev/urandom")
	gittest.NoError(t, "urandom", err)
	defer from.Close()
	to, err := os.Create(path)
	gittest.NoError(t, "create", err)
	defer to.Close()
	if _, err := io.CopyN(to, from, size); err != nil {
		t.Fatal(err)
	}
}
