package conflicts_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/conflicts"
	"pgregory.net/rapid"
)

// TestDifferential_builtinAnswersAsGit merges generated trees with the builtin engine and with git.
// A hundred cases run always; "-rapid.checks=30000" runs more. A failure is shrunk and can be replayed.
func TestDifferential_builtinAnswersAsGit(t *testing.T) {
	var s *store
	cases := 0
	rapid.Check(t, func(rt *rapid.T) {
		if cases%400 == 0 { // loose objects pile up
			s = newStore(t)
		}
		cases++
		sc := drawScene(rt)
		if bad := disagreement(t, s, sc); bad != "" {
			rt.Fatalf("%s\n%s", bad, sc)
		}
	})
}

// disagreement says in which the builtin engine and git differ about a scene; nothing if they agree.
func disagreement(t *testing.T, s *store, sc scene) string {
	t.Helper()
	_, ours, theirs := s.commits(sc)
	truth := mergeTruth(t, s.repo, ours, theirs)
	defer truth.close()
	if truth.err != "" {
		return "" // git itself gave up
	}
	rep, err := conflicts.Check(context.Background(), s.repo, conflicts.Query{Ours: ours, Theirs: theirs, Engine: conflicts.Builtin, Detail: conflicts.Where})
	if err != nil {
		return err.Error()
	}
	want := slices.Sorted(maps.Keys(truth.kinds))
	var got []string
	for _, c := range rep.Conflicts {
		got = append(got, c.Path)
	}
	if !slices.Equal(got, want) || rep.Clean != truth.clean {
		return fmt.Sprintf("builtin clean %v %q\ngit     clean %v %q\nsaid %q\nnotes %v", rep.Clean, got, truth.clean, want, truth.said, rep.Notes)
	}
	o := &oracle{}
	for _, c := range rep.Conflicts {
		if why := o.covers(c, truth, c.Path); why != "" {
			return fmt.Sprintf("%s: %q", why, c.Path)
		}
	}
	return ""
}

func (sc scene) String() string {
	var b strings.Builder
	for _, side := range []struct {
		name string
		tree tree
	}{{"base", sc.base}, {"ours", sc.ours}, {"theirs", sc.theirs}} {
		fmt.Fprintf(&b, "%s:\n", side.name)
		for _, p := range slices.Sorted(maps.Keys(side.tree)) {
			f := side.tree[p]
			fmt.Fprintf(&b, "\t%q: {%#o, %q},\n", p, f.mode, f.content)
		}
	}
	return b.String()
}
