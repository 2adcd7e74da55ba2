package journal_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/gittest"
)

func TestAppend_packsAtTheEndAsGitWould(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, key, value string
		packs            bool
	}{
		{"when there is enough to pack", "gc.auto", "1", true},
		{"not with gc.auto=0", "gc.auto", "0", false},
		{"not with maintenance.auto=false", "maintenance.auto", "false", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := gittest.New(t)
			r.Git("config", "gc.auto", "1")
			r.Git("config", "gc.autoDetach", "false")
			r.Git("config", c.key, c.value)
			untidy(r)
			finishRun(t, r)
			packs, err := filepath.Glob(filepath.Join(r.Dir, ".git/objects/pack/*.pack"))
			if err != nil || (len(packs) > 0) != c.packs {
				t.Errorf("found %d packs, %v", len(packs), err)
			}
			r.Fsck()
			if locks, _ := filepath.Glob(filepath.Join(r.Dir, ".git/objects/*.lock")); len(locks) > 0 {
				t.Errorf("locks are left: %q", locks)
			}
		})
	}
}

// untidy makes loose objects in the folder objects/17, because git looks only there to estimate the number of loose objects.
func untidy(r *gittest.Repo) {
	var names []string
	for i := 0; len(names) < 3; i++ {
		text := fmt.Sprintf("object %d\n", i)
		if (object.Hasher{}).ID("blob", []byte(text))[:2] == "17" {
			name := fmt.Sprintf("untidy/%d", i)
			r.Write(name, text)
			names = append(names, name)
		}
	}
	r.Git(append([]string{"hash-object", "-w", "--"}, names...)...)
}

func finishRun(t *testing.T, r *gittest.Repo) {
	t.Helper()
	at, err := locate.Find(r.Dir, r.Env)
	if err != nil {
		t.Fatal(err)
	}
	repo := gitstate.Open(at, r.Env)
	defer repo.Close()
	s := &journal.Store{Repo: repo, Now: time.Now, Nonce: "tidytest"}
	head := object.ID(r.Git("rev-parse", "HEAD"))
	first := checkpoint.Event{Event: checkpoint.RunStarted, Name: "tidy", Base: &checkpoint.Base{Name: "main", Commit: head}, Head: head}
	if _, err := s.Create(t.Context(), "tidy-aaaa", []checkpoint.Event{first}, nil); err != nil {
		t.Fatal(err)
	}
	_, err = s.Append(t.Context(), "tidy-aaaa", journal.Batch{Decide: func(*checkpoint.Run) ([]checkpoint.Event, error) {
		return []checkpoint.Event{{Event: checkpoint.RunFinished}}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
}
