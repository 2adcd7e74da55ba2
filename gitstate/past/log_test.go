package past

import (
	"slices"
	"testing"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/repotest"
	"github.com/git-resume/git-resume/internal/gittest"
)

func TestBeyond_listsOnlyWhatTheBaseLacks(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	base := r.Git("rev-parse", "HEAD")
	r.Git("checkout", "-q", "-b", "one")
	r.Git("commit", "-q", "--allow-empty", "-m", "first\nand more")
	r.Write("dir/a b\n", "x")
	r.Write("c", "x")
	r.Git("add", ".")
	r.Git("commit", "-q", "-m", "second")
	one := r.Git("rev-parse", "HEAD")
	r.Git("checkout", "-q", "-b", "two", "main")
	r.Git("commit", "-q", "--allow-empty", "-m", "other")
	two := r.Git("rev-parse", "HEAD")
	repo := repotest.Open(t, r.Dir, r.Env)
	steps, err := Beyond(t.Context(), repo, object.ID(base), 10, object.ID(one), object.ID(two), object.ID(base))
	if err != nil {
		t.Fatal(err)
	}
	parents := map[string]object.ID{}
	for _, s := range steps {
		parents[s.Subject] = s.Parents[0]
	}
	if len(steps) != 3 || parents["first and more"] != object.ID(base) || parents["other"] != object.ID(base) {
		t.Errorf("found %+v", steps)
	}
	if i := slices.IndexFunc(steps, func(s Step) bool { return s.ID == object.ID(one) }); i < 0 || steps[i].Subject != "second" || !slices.Equal(steps[i].Paths, []string{"c", "dir/a b\n"}) {
		t.Errorf("the tip is not in %+v", steps)
	}
	if all, err := Beyond(t.Context(), repo, "", 1, object.ID(one)); err != nil || len(all) != 1 {
		t.Errorf("one of all: %v, %v", all, err)
	}
	if _, err := Beyond(t.Context(), repo, "", 1, "1111111111111111111111111111111111111111"); err == nil {
		t.Error("a commit that is not there was listed")
	}
}
