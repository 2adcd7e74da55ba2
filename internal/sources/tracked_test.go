package sources

import (
	"slices"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// TestTracked_inEveryFormOfTheIndex checks three forms of git's index. Version 2 contains whole paths. Version 4 shortens a path that
// begins like the path before it. A split index keeps the paths in another file.
func TestTracked_inEveryFormOfTheIndex(t *testing.T) {
	t.Parallel()
	for name, set := range map[string][]string{"2": {"update-index", "--index-version", "2"}, "4": {"update-index", "--index-version", "4"}, "split": {"update-index", "--split-index"}} {
		r := gittest.Git{}.Fresh(t, "repo-"+name)
		r.Write("sub/.long-one/x", "x\n")
		r.Write("sub/.long-run/y", "y\n")
		r.Git("add", "-A")
		r.Git(set...)
		v, _ := viewCounting(t, r)
		got, err := v.Tracked(t.Context(), v.Trees[0], ".long-run")
		if want := []string{"sub/.long-run"}; err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if none, err := v.Tracked(t.Context(), v.Trees[0], ".none"); err != nil || len(none) > 0 {
			t.Errorf("%s: %q, %v", name, none, err)
		}
	}
}
