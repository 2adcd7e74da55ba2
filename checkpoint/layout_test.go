package checkpoint

import (
	"fmt"
	"maps"
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

// TestLayout_cutsAt32KB fills a note to the byte.
func TestLayout_cutsAt32KB(t *testing.T) {
	t.Parallel()
	if noteLimit != 32<<10 || flatLimit != 64 {
		t.Error("a limit is not what is documented")
	}
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

func sha256Hasher(t *testing.T) gitstate.Hasher {
	r := gittest.New(t, "--object-format=sha256")
	h, err := storeAt(t, r.Dir, r.Env, "n").Repo.Settings.Hasher(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// FuzzSplitLines: no line is blank or has a newline in it.
func FuzzSplitLines(f *testing.F) {
	f.Add("x\ny\r\n\n{}")
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range splitLines([]byte(text)) {
			if strings.Contains(s, "\n") || strings.TrimSpace(s) == "" {
				t.Fatalf("%q is no line", s)
			}
		}
	})
}
