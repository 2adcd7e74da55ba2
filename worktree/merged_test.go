package worktree

import (
	"testing"

	"strings"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/gittest"
)

func TestContained_everyWayOfMerging(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		do   func(f *fixture)
		want Containment
	}{
		{"nothing done", func(*fixture) {}, SameCommit},
		{"fast forward and on", func(f *fixture) {
			commitWork(f)
			f.Git("merge", "-q", "--ff-only", "topic")
			f.Write("later", "l")
			f.Git("add", "-A")
			f.Git("commit", "-qm", "later")
		}, Ancestor},
		{"squash, nothing after", func(f *fixture) {
			commitWork(f)
			f.Git("merge", "-q", "--squash", "topic")
			f.Git("commit", "-qm", "squash")
		}, EqualTrees},
		{"squash among others", func(f *fixture) {
			commitWork(f)
			f.Write("dir/b.txt", "meanwhile\n")
			f.Git("commit", "-qam", "meanwhile")
			f.Git("merge", "-q", "--squash", "topic")
			f.Git("commit", "-qm", "squash")
		}, EmptyMerge},
		{"squash, then changed again", func(f *fixture) {
			commitWork(f)
			f.Git("merge", "-q", "--squash", "topic")
			f.Git("commit", "-qm", "squash")
			f.Write("a.txt", "another way\n")
			f.Git("commit", "-qam", "changed again")
		}, Squashed},
		{"not merged", commitWork, NotContained},
		{"part of it picked", func(f *fixture) {
			commitWork(f)
			f.Git("cherry-pick", "topic~1")
		}, NotContained},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.want == EmptyMerge && !(gittest.Git{}).AtLeast(2, 38) {
				c.want = Squashed // git before 2.38 cannot try the merge, so Contained compares patches
			}
			f := newFixture(t)
			f.Git("branch", "topic")
			c.do(f)
			tip, base := object.ID(f.Git("rev-parse", "topic")), object.ID(f.Git("rev-parse", "main"))
			objects := f.Git("count-objects")
			got, err := Contained(t.Context(), f.Open(), tip, base)
			if err != nil || got != c.want {
				t.Errorf("%q %v, want %q", got, err, c.want)
			}
			if after := f.Git("count-objects"); after != objects {
				t.Errorf("objects: %s, before %s", after, objects)
			}
		})
	}
}

// commitWork makes two commits on the branch topic, and then checks out the branch main.
func commitWork(f *fixture) {
	f.Git("checkout", "-q", "topic")
	f.Write("a.txt", strings.Repeat("line\n", 5))
	f.Git("commit", "-qam", "one")
	f.Write("new.txt", "new\n")
	f.Git("add", "-A")
	f.Git("commit", "-qm", "two")
	f.Git("checkout", "-q", "main")
}
