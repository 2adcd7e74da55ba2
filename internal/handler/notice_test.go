package handler

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/gittest"
)

func TestNoticed_forgetsOldWorkOfOtherSystems(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		age     time.Duration
		setting string
		want    int
	}{
		{"of an hour ago", time.Hour, "", 1},
		{"of 13 days ago", 13 * 24 * time.Hour, "", 1},
		{"of 15 days ago", 15 * 24 * time.Hour, "", 0},
		{"of 15 days ago, and old is a month", 15 * 24 * time.Hour, "30d", 1},
		{"of two hours ago, and old is an hour", 2 * time.Hour, "1h", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := gittest.New(t)
			r.Write("job", "-\none done\ntwo active\n")
			e := foreignEngine(t, r)
			then := e.Now().Add(-test.age)
			if err := os.Chtimes(filepath.Join(r.Dir, "job"), then, then); err != nil {
				t.Fatal(err)
			}
			if test.setting != "" {
				r.Git("config", "resume.stale", test.setting)
			}
			got, err := e.Find.Noticed(t.Context())
			if err != nil || len(got) != test.want {
				t.Fatalf("%d are noticed, want %d: %v", len(got), test.want, err)
			}
			if len(got) == 1 && got[0].Where != candidate.InWorktree {
				t.Errorf("it lies here, not at %v", got[0].Where)
			}
		})
	}
}

// In its own worktree, our old run must be announced, also while another branch is checked out there. In any other worktree, it is
// announced only with the setting resume.notice=all.
func TestNoticed_tellsOfOldRunsAndWhereTheyLie(t *testing.T) {
	t.Parallel()
	r := gittest.New(t).WithBinary()
	r.Write("../work.sh", "git resume start --here --name job --task a\ngit resume task start a\nkill -9 $$\n")
	r.Try("sh", filepath.Join(r.Dir, "../work.sh"))
	e := foreignEngine(t, r)
	e.Now = func() time.Time { return time.Now().Add(60 * 24 * time.Hour) }
	got, err := e.Find.Noticed(t.Context())
	if err != nil || len(got) != 1 || got[0].Where != candidate.OnBranch {
		t.Errorf("on its branch: %+v, %v", got, err)
	}
	r.Git("checkout", "-q", "-b", "other")
	if got, err = foreignEngine(t, r).Find.Noticed(t.Context()); err != nil || len(got) != 1 || got[0].Where != candidate.InWorktree {
		t.Errorf("on another branch of its worktree: %+v, %v", got, err)
	}
	r.Git("worktree", "add", "-q", "-b", "third", "../third")
	if got, err = foreignEngine(t, r.In(filepath.Join(r.Dir, "../third"))).Find.Noticed(t.Context()); err != nil || len(got) != 0 {
		t.Errorf("in another worktree: %+v, %v", got, err)
	}
	r.Git("config", "resume.notice", "all")
	if got, err = foreignEngine(t, r.In(filepath.Join(r.Dir, "../third"))).Find.Noticed(t.Context()); err != nil || len(got) != 1 || got[0].Where != candidate.Elsewhere {
		t.Errorf("in another worktree, and all are wanted: %+v, %v", got, err)
	}
}
