package checkpoint

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/internal/gittest"
	"pgregory.net/rapid"
)

// treeID is the tree that a set of lines and documents has.
func treeID(h gitstate.Hasher, c contents) gitstate.OID {
	return layout(h, c).entries(gitstate.NewPending(h))
}

// readBack is what a reader finds in a stored journal; it fails where a text is not there.
func readBack(t rapid.TB, s sheet, docs Docs, lost []note) contents {
	out := contents{docs: Docs{}, blobs: map[gitstate.OID]bool{}}
	for key, blob := range s.notes {
		text, ok := s.texts[blob]
		switch n := (note{key, blob}); {
		case slices.ContainsFunc(lost, func(l note) bool { return l.blob == blob }) && !ok:
			out.lose(n)
		case n.isDoc():
			doc, ok := docs[key]
			if !ok {
				t.Fatalf("a note that is no document hangs on itself: %s", key)
			}
			out.docs[key] = doc
		case !ok:
			t.Fatalf("the note %s of %s has no text", blob, key)
		default:
			if len(text) > noteLimit && strings.Count(string(text), "\n") > 1 {
				t.Fatalf("a note has %d bytes", len(text))
			}
			for _, l := range splitLines(text) {
				out.lines = append(out.lines, testLine(l))
			}
		}
	}
	return out
}

func testLine(text string) Line {
	l := ParseLine(text)
	l.Ours = !l.Bad && testKey.wrote(testRun, text)
	return l
}

// drawContents draws lines of ours, of others and unreadable ones, with numbers and heads that coincide often,
// also with the ids of documents and of the notes that earlier lines make.
func drawContents(t *rapid.T, h gitstate.Hasher) contents {
	c := contents{docs: Docs{}, blobs: map[gitstate.OID]bool{}}
	var heads []gitstate.OID
	for i := range 3 {
		heads = append(heads, h.ID("commit", []byte{byte(i)}))
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "docs") {
		doc := fmt.Appendf(nil, "{\"doc\":%d}", i)
		c.docs[h.ID("blob", doc)] = doc
		heads = append(heads, h.ID("blob", doc))
	}
	for range rapid.IntRange(0, 5).Draw(t, "lost") {
		blob := h.ID("blob", fmt.Appendf(nil, "lost %d", rapid.IntRange(0, 3).Draw(t, "which")))
		c.lose(note{rapid.SampledFrom(append([]gitstate.OID{blob}, heads...)).Draw(t, "lost at"), blob})
	}
	// Ids of the other object format, as a hostile line can have them.
	heads = append(heads, gitstate.OID(strings.Repeat("ab", 32)), gitstate.OID(strings.Repeat("ab", 20)), h.ID("tree", nil), "")
	for i := range rapid.IntRange(1, 40).Draw(t, "lines") {
		if i%7 == 6 { // heads that are notes of this very journal
			heads = append(heads, slices.Sorted(maps.Values(layout(h, c).notes))...)
		}
		c.lines = append(c.lines, testLine(drawLine(t, i, heads)))
	}
	return c
}

func drawLine(t *rapid.T, i int, heads []gitstate.OID) string {
	size := rapid.SampledFrom([]int{0, 10, 3000, 12000, 15500}).Draw(t, "size")
	blanks := rapid.SampledFrom([]string{"", "", "", " ", "\t \r", strings.Repeat(" ", MaxLine)}).Draw(t, "blanks")
	if rapid.IntRange(0, 5).Draw(t, "kind") == 0 {
		return rapid.SampledFrom([]string{"remember the milk", "{", "a\x00b\xff", "[1]", strings.Repeat("y", 40_000)}).Draw(t, "bad") + blanks
	}
	e := Event{Event: RunPaused, Text: strings.Repeat("x", size), Head: rapid.SampledFrom(heads).Draw(t, "head"), V: Version, At: atWork}
	if rapid.IntRange(0, 8).Draw(t, "begins") == 0 {
		e.Event, e.Name, e.Base = RunStarted, "work", &Base{"main", rapid.SampledFrom(heads[:3]).Draw(t, "base")}
	}
	e.Seq = seqText(int64(rapid.IntRange(1, 12).Draw(t, "seq")))
	e.ID = fmt.Sprintf("n%d.%d", rapid.IntRange(1, 2).Draw(t, "nonce"), rapid.IntRange(1, 4).Draw(t, "count"))
	text, err := e.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if rapid.Bool().Draw(t, "ours") {
		text = testKey.signLine(testRun, text)
	}
	return strings.TrimSuffix(string(text), "\n") + blanks
}

// TestLayout_isAFunctionOfTheSet splits a journal over several clones and unites them in any order,
// each with what it had written down before: they all come to one tree, and it is the tree of what it holds.
func TestLayout_isAFunctionOfTheSet(t *testing.T) {
	t.Parallel()
	sha256 := sha256Hasher(t)
	rapid.Check(t, func(t *rapid.T) {
		h := rapid.SampledFrom([]gitstate.Hasher{{}, sha256}).Draw(t, "format")
		all := drawContents(t, h)
		want := treeID(h, all)
		clones := make([]contents, rapid.IntRange(1, 4).Draw(t, "clones"))
		for i := range clones {
			clones[i] = *newContents()
		}
		pick := func() *contents { return &clones[rapid.IntRange(0, len(clones)-1).Draw(t, "clone")] }
		for range 2 { // what several have
			for _, l := range all.lines {
				pick().unite(&contents{lines: []Line{l}})
			}
		}
		for id, d := range all.docs {
			pick().unite(&contents{docs: Docs{id: d}})
		}
		for _, n := range all.lost {
			pick().unite(&contents{lost: []note{n}})
		}
		for range rapid.IntRange(0, 6).Draw(t, "exchanges") {
			from, to := pick(), pick()
			to.unite(from)
			*to = readBack(t, layout(h, *to), all.docs, all.lost)
		}
		order := rapid.Permutation(clones).Draw(t, "order")
		united := *newContents()
		for i := range order {
			united.unite(&order[i])
		}
		if got := treeID(h, united); got != want {
			t.Fatalf("united: tree %s, want %s", got, want)
		}
		again := readBack(t, layout(h, united), all.docs, all.lost)
		if got := treeID(h, again); got != want {
			t.Fatalf("written and read: tree %s, want %s", got, want)
		}
		if a, b := len(Sorted(again.lines)), len(Sorted(all.lines)); a != b {
			t.Fatalf("%d lines, want %d", a, b)
		}
		if a, b := again.lostNotes(), all.lostNotes(); a != b {
			t.Fatalf("%d lost notes, want %d", a, b)
		}
	})
}

func sha256Hasher(t *testing.T) gitstate.Hasher {
	r := gittest.New(t, "--object-format=sha256")
	h, err := storeAt(t, r.Dir, r.Env, "n").Repo.Settings.Hasher(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// canonical fails unless the stored tree is what layout makes of its lines.
func (j *journal) canonical(t rapid.TB) {
	t.Helper()
	ctx := context.Background()
	h, err := j.s.Repo.Settings.Hasher(ctx)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := treeOf(ctx, j.s.Repo, gitstate.OID(j.Git("rev-parse", JournalRef(j.id))))
	if err != nil {
		t.Fatal(err)
	}
	c := newContents()
	if err := c.readTree(ctx, j.s.Repo, tree, j.s.Keys().Reader(j.id)); err != nil {
		t.Fatal(err)
	}
	if want := treeID(h, *c); tree != want {
		t.Fatalf("the tree of the journal is %s, and its lines want %s", tree, want)
	}
}

// TestAppend_makesTheTreeThatARebuildMakes appends in the quick way, with heads that coincide with notes and documents,
// and lays everything out again each time.
func TestAppend_makesTheTreeThatARebuildMakes(t *testing.T) {
	t.Parallel()
	trials := 8
	if prove() {
		trials = 200
	}
	quick, whole := 0, 0
	for _, format := range []string{"sha1", "sha256"} {
		j := newJournalIn(t, gittest.New(t, "--object-format="+format), "t")
		for trial := range trials {
			j.id = RunID(fmt.Sprintf("work%d-abcd", trial))
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

// appendAnyhow makes some appends and gives how many were quick, and how many laid the journal out again.
func (j *journal) appendAnyhow(r *rand.Rand) (quick, whole int) {
	j.t.Helper()
	lines := 1
	heads := []gitstate.OID{"", gitstate.OID(j.Git("rev-parse", "HEAD")), gitstate.OID(strings.Repeat("ab", 20))}
	for range 1 + r.IntN(10) {
		if r.IntN(4) == 0 {
			heads = append(heads, slices.Sorted(maps.Values(j.ourNotes()))...)
		}
		var events []Event
		for range 1 + r.IntN(3) {
			size := []int{0, 100, 9000, 15000}[r.IntN(4)]
			events = append(events, Event{Event: RunPaused, Text: strings.Repeat("x", size), Head: heads[r.IntN(len(heads))]})
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

// TestLayout_fansOutBehind64 goes over the border one note at a time, with quick appends and with rebuilds.
func TestLayout_fansOutBehind64(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		j := newJournalIn(t, gittest.New(t, "--object-format="+format), "t")
		for i, c := range j.manyCommits(66) {
			if got := j.add(Event{Event: RunPaused, Head: c}); i > 0 && got.whole != nil {
				t.Errorf("append %d was not a quick one", i)
			}
			notes := i + 3 // the plan, and the first line on the base
			fanned := strings.Contains(j.Git("ls-tree", JournalRef(j.id)), " tree ")
			if n := len(j.ourNotes()); n != notes || fanned != (notes > 64) {
				t.Fatalf("%d notes of %d, fanned out: %v", n, notes, fanned)
			}
			j.canonical(t)
		}
		j.Fsck()
	}
}

// TestLayout_cutsAt32KB fills a note to the byte.
func TestLayout_cutsAt32KB(t *testing.T) {
	t.Parallel()
	h := gitstate.Hasher{}
	sized := func(seq, n int) Line {
		empty := line(int64(seq), "n.1", Event{Event: RunPaused, Text: "x"}).Text
		return line(int64(seq), "n.1", Event{Event: RunPaused, Text: strings.Repeat("x", n-len(empty)+1)})
	}
	for _, c := range []struct {
		last, notes int
	}{{32<<10 - 30000 - 3, 1}, {32<<10 - 30000 - 2, 2}} {
		s := layout(h, contents{lines: []Line{sized(1, 15000), sized(2, 15000), sized(3, c.last)}})
		if len(s.notes) != c.notes {
			t.Errorf("with a last line of %d bytes there are %d notes, want %d", c.last, len(s.notes), c.notes)
		}
		first := s.notes[h.ID("tree", nil)]
		if c.notes == 2 && s.notes[first] == "" {
			t.Error("the second piece does not hang on the first")
		}
	}
}
