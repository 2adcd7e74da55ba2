package prove

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// TestKill_inLongNames kills commands in a repository with SHA-256 object ids, which are longer than SHA-1 ids.
func TestKill_inLongNames(t *testing.T) {
	needTracer(t)
	fresh := func(t testing.TB, _ ...string) *gittest.Repo { return gittest.New(t, "--object-format=sha256") }
	if gittest.Proving() {
		all := slices.Concat(scenarios(), stories())
		for i := range all {
			all[i].name += " in long names"
		}
		killEverywhere(t, all, fresh)
		return
	}
	for i, name := range []string{"task done named", "undo a discard", "merge of both sides"} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			scenarioNamed(t, name).ground(t, fresh).sample(t, 40+29*i, i%2 == 0)
		})
	}
	t.Run("a reader of the settings dies", func(t *testing.T) {
		t.Parallel()
		at := traceJob{Match: call{"git config", "write", "pipe:"}}
		if g := scenarioNamed(t, "discard all that is merged").ground(t, fresh); !g.kill(t, at) {
			t.Errorf("%s never calls %s", g.s.name, at.Match)
		}
	})
}

// TestKill_inTables kills commands in a repository that stores its refs in reftables, if there is a git that supports them.
func TestKill_inTables(t *testing.T) {
	needTracer(t)
	newer, ok := gittest.Newer()
	if !ok {
		t.Skipf("no git that keeps refs in tables: set %s to the folder of one", gittest.NewerVariable)
	}
	fresh := func(t testing.TB, _ ...string) *gittest.Repo {
		root := t.TempDir()
		r := &gittest.Repo{T: t, Dir: filepath.Join(root, "repo"), Env: newer.Env(filepath.Join(root, "home"))}
		put(r, filepath.Join(r.Dir, "README"), "first\n")
		put(r, filepath.Join(root, "home", "here"), "")
		r.Git("init", "-q", "-b", "main", "--ref-format=reftable")
		r.Git("config", "maintenance.auto", "false") // otherwise the test would see the changes of git's background maintenance
		r.Git("add", "-A")
		r.Git("commit", "-q", "-m", "first")
		return r
	}
	if gittest.Proving() {
		all := slices.Concat(scenarios(), stories())
		for i := range all {
			all[i].name += " in tables"
		}
		killEverywhere(t, all, fresh)
		return
	}
	for _, name := range []string{"a rebase that was killed", "task done named", "answer of another system"} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			g := scenarioNamed(t, name).ground(t, fresh)
			for n := 7; g.kill(t, traceJob{N: n, All: n/60%2 == 0}) && !t.Failed(); n += 60 {
			}
		})
	}
	t.Run("the_branch_of_HEAD_is_asked_for", func(t *testing.T) {
		t.Parallel()
		if !scenarioNamed(t, "start").ground(t, fresh).kill(t, traceJob{N: 1}) {
			t.Error("no git is started")
		}
	})
	t.Run("a_setting_is_written", func(t *testing.T) {
		t.Parallel()
		g := scenarioNamed(t, "hooks install").ground(t, fresh)
		for _, all := range []bool{false, true} {
			if !g.kill(t, traceJob{Match: call{"git config", "rename", "/config"}, All: all}) {
				t.Error("no setting is ever written")
			}
		}
	})
	t.Run("tables_are_united", func(t *testing.T) {
		t.Parallel()
		g := scenarioNamed(t, "answer of another system").ground(t, fresh)
		for _, all := range []bool{false, true} {
			if !g.kill(t, traceJob{Match: call{"git update-ref", "openat", ".ref.lock"}, All: all}) {
				t.Error("no two tables are ever united")
			}
		}
	})
}
