package journal

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/notes"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/gittest"
	"pgregory.net/rapid"
)

// canonical fails the test if the stored tree differs from the tree that LayOut makes from all lines.
func (j *journal) canonical(t rapid.TB) {
	t.Helper()
	ctx := context.Background()
	h, err := j.s.Repo.Settings.Hasher(ctx)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := notes.TreeOf(ctx, j.s.Repo, object.ID(j.Git("rev-parse", string(checkpoint.JournalRef(j.id)))))
	if err != nil {
		t.Fatal(err)
	}
	c := notes.New()
	if err := c.ReadTree(ctx, j.s.Repo, tree, j.s.Keys().Reader(j.id)); err != nil {
		t.Fatal(err)
	}
	if want := notes.LayOut(h, *c).Entries(object.NewPending(h)); tree != want {
		t.Fatalf("the tree of the journal is %s, and its lines want %s", tree, want)
	}
}

func TestAppend_makesTheTreeThatARebuildMakes(t *testing.T) {
	t.Parallel()
	trials := 8
	if gittest.Proving() {
		trials = 200
	}
	quick, whole := 0, 0
	for _, format := range []string{"sha1", "sha256"} {
		j := newJournalIn(t, gittest.New(t, "--object-format="+format), "t")
		for trial := range trials {
			j.id = checkpoint.RunID(fmt.Sprintf("work%d-abcd", trial))
			j.create(j.id, "t")
			q, w := j.appendAnyhow(rand.New(rand.NewPCG(uint64(trial), 1)))
			quick, whole = quick+q, whole+w
		}
		j.Fsck()
	}
	t.Logf("%d quick appends, %d rebuilds", quick, whole)
	if quick == 0 || whole == 0 {
		t.Error("one of them was not tried")
	}
}

func (j *journal) appendAnyhow(r *rand.Rand) (quick, whole int) {
	j.t.Helper()
	lines := 1
	heads := []object.ID{"", object.ID(j.Git("rev-parse", "HEAD")), object.ID(strings.Repeat("ab", 20))}
	for range 1 + r.IntN(10) {
		if r.IntN(4) == 0 {
			heads = append(heads, slices.Sorted(maps.Values(j.ourNotes()))...)
		}
		var events []checkpoint.Event
		for range 1 + r.IntN(3) {
			size := []int{0, 100, 9000, 15000}[r.IntN(4)]
			events = append(events, checkpoint.Event{Event: checkpoint.RunPaused, Text: strings.Repeat("x", size), Head: heads[r.IntN(len(heads))]})
		}
		lines += len(events)
		if got := j.add(events...); got.whole == nil {
			quick++
		} else {
			whole++
		}
		j.canonical(j.t)
	}
	if got := len(j.texts()); got != lines {
		j.t.Fatalf("%d lines, want %d", got, lines)
	}
	return quick, whole
}

func TestLayout_fansOutBehind64(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		j := newJournalIn(t, gittest.New(t, "--object-format="+format), "t")
		for i, c := range j.manyCommits(66) {
			if got := j.add(checkpoint.Event{Event: checkpoint.RunPaused, Head: c}); i > 0 && got.whole != nil {
				t.Errorf("append %d was not a quick one", i)
			}
			notes := i + 3 // so many notes must exist: one for each of the i+1 lines added so far, one for the plan, and one for the first line of the journal
			if !gittest.Proving() && notes%16 != 0 && notes < 63 {
				continue // to save time, check only some numbers, and all near the limit
			}
			fanned := strings.Contains(j.Git("ls-tree", string(checkpoint.JournalRef(j.id))), " tree ")
			if n := len(j.ourNotes()); n != notes || fanned != (notes > 64) {
				t.Fatalf("%d notes of %d, fanned out: %v", n, notes, fanned)
			}
			j.canonical(t)
		}
		j.Fsck()
	}
}
