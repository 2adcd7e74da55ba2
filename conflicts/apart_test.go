package conflicts_test

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/repotest"
	"github.com/git-resume/git-resume/internal/gittest"
	"pgregory.net/rapid"
)

// If ChangedBeside says that a merge is clean, git must merge without a conflict. The merged tree must be the tree of ours with the changes
// of theirs. The test also fails if ChangedBeside recognizes hardly any of the clean merges. Normally it runs thirty groups of up to ten
// scenarios; "-rapid.checks=5000" runs more.
func TestDifferential_changesApartAreMergedByGit(t *testing.T) {
	if !(gittest.Git{}).AtLeast(2, 39) {
		t.Skip("this git has no 'merge-tree --stdin' (new in git 2.39)")
	}
	if checks := flag.Lookup("rapid.checks"); checks.Value.String() == checks.DefValue && !gittest.Proving() {
		gittest.NoError(t, "fewer groups", checks.Value.Set("30"))
		t.Cleanup(func() { _ = checks.Value.Set(checks.DefValue) })
	}
	var s *store
	groups, clean, recognized := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		if groups%40 == 0 { // start with an empty store, because loose objects accumulate
			s = newStore(t)
		}
		groups++
		group := rapid.SliceOfN(rapid.Custom(drawScenario), 1, 10).Draw(rt, "scenarios")
		var ask strings.Builder
		for _, sc := range group {
			_, ours, theirs := s.commits(sc)
			fmt.Fprintf(&ask, "%s %s\n", ours, theirs)
		}
		out, err := s.repo.Git(context.Background(), process.Call{
			Args: []string{"merge-tree", "--write-tree", "--stdin"}, Stdin: strings.NewReader(ask.String())})
		if err != nil {
			return // git itself gave up
		}
		answers := strings.Split(string(out), "\x00")
		for _, sc := range group {
			var tr truth
			tr, answers = nextTruth(answers)
			if tr.clean {
				clean++
			}
			if !apart(rt, s, sc) {
				continue
			}
			recognized++
			if want := s.tree(applied(sc)); !tr.clean || object.ID(tr.tree) != want {
				rt.Fatalf("git: clean %v, tree %s; want a clean merge and tree %s\n%s", tr.clean, tr.tree, want, sc)
			}
		}
	})
	t.Logf("%d of %d clean merges were recognized", recognized, clean)
	if recognized*10 < clean {
		t.Errorf("only %d of %d clean merges were recognized", recognized, clean)
	}
}

func apart(t rapid.TB, s *store, sc scenario) bool {
	scratch, err := past.NewScratch(s.repo)
	if err != nil {
		t.Fatal(err)
	}
	defer scratch.Close()
	_, ok, err := scratch.ChangedBeside(context.Background(), s.tree(sc.base), s.tree(sc.ours), s.tree(sc.theirs))
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

// applied returns ours together with the changes from the base to theirs.
func applied(sc scenario) tree {
	out := tree{}
	for path, f := range sc.ours {
		out[path] = f
	}
	for path, f := range sc.theirs {
		if sc.base[path] != f {
			out[path] = f
		}
	}
	return out
}

// In the first two cases, ChangedBeside must say that the merge is clean. In all other cases, it must leave the merge to git.
func TestChangedBeside(t *testing.T) {
	text := func(s string) file { return file{plain, strings.Repeat(s+"\n", 20)} }
	for _, c := range []struct {
		name               string
		base, ours, theirs tree
		want               bool
	}{
		{"different files", tree{"a/f": text("1"), "a/g": text("2")}, tree{"a/f": text("3"), "a/g": text("2")},
			tree{"a/f": text("1"), "a/g": text("4")}, true},
		{"they add a directory", tree{"a/f": text("1")}, tree{"a/f": text("3"), "b/f": text("2")}, tree{"a/f": text("1"), "a/x/g": text("4")}, true},
		{"the same file", tree{"a/f": text("1")}, tree{"a/f": text("3")}, tree{"a/f": text("4")}, false},
		{"they remove a file", tree{"a/f": text("1"), "a/g": text("2")}, tree{"a/f": text("3"), "a/g": text("2")}, tree{"a/f": text("1")}, false},
		{"they remove a file beside our changes", tree{"a/f": text("1"), "b/g": text("2")}, tree{"a/f": text("1"), "b/g": text("3")}, tree{"b/g": text("2")}, false},
		{"we renamed the directory", tree{"a/f": text("1")}, tree{"b/f": text("1")}, tree{"a/f": text("1"), "a/g": text("2")}, false},
		{"we renamed their file", tree{"a/f": text("1"), "a/g": text("2")}, tree{"b/f": text("1"), "a/g": text("2")},
			tree{"a/f": text("1 and more"), "a/g": text("2")}, false},
		{"our file is their directory", tree{"a": text("1")}, tree{"a": text("1"), "x": text("2")}, tree{"a": text("1"), "x/f": text("3")}, false},
		{"our directory is their file", tree{"a": text("1")}, tree{"a": text("1"), "x/f": text("2")}, tree{"a": text("1"), "x": text("3")}, false},
		{"their file becomes a link", tree{"a": text("1"), "b": text("2")}, tree{"a": text("3"), "b": text("2")}, tree{"a": text("1"), "b": {link, "a"}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := apart(t, newStore(t), scenario{c.base, c.ours, c.theirs}); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// A merge that is known to be clean must not wait for git. In this test, git merge-tree hangs.
func TestCheck_changesApartNeedNoMerge(t *testing.T) {
	r := gittest.New(t)
	base := r.Git("rev-parse", "HEAD")
	side := func(name string) object.ID {
		r.Git("checkout", "-q", base)
		r.Write(name+"/f", "1\n")
		r.Git("add", "-A")
		r.Git("commit", "-qm", name)
		return object.ID(r.Git("rev-parse", "HEAD"))
	}
	ours, theirs := side("ours"), side("theirs")
	stuck := r.Fronted(`case " $* " in *" merge-tree "*) exec sleep 1000 ;; esac`)
	rep := check(t, repotest.Open(t, stuck.Dir, stuck.Env), conflicts.Query{Ours: ours, Theirs: theirs})
	if !rep.Clean || len(rep.Conflicts) != 0 || rep.Base != object.ID(base) {
		t.Errorf("%+v", rep)
	}
}
