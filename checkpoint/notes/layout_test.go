package notes

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/gittest"
	"pgregory.net/rapid"
)

func treeID(h object.Hasher, c Contents) object.ID {
	return LayOut(h, c).Entries(object.NewPending(h))
}

// readBack returns the contents that a reader finds in a stored journal. It fails the test if a note has no text, unless the note is in the
// argument "lost".
func readBack(t rapid.TB, s sheet, docs checkpoint.Docs, lost []note) Contents {
	out := Contents{Docs: checkpoint.Docs{}, Blobs: map[object.ID]bool{}}
	for key, blob := range s.notes {
		text, ok := s.Texts[blob]
		switch n := (note{key, blob}); {
		case slices.ContainsFunc(lost, func(l note) bool { return l.blob == blob }) && !ok:
			out.addLost(n)
		case n.isDoc():
			doc, ok := docs[key]
			if !ok {
				t.Fatalf("a note that is no document hangs on itself: %s", key)
			}
			out.Docs[key] = doc
		case !ok:
			t.Fatalf("the note %s of %s has no text", blob, key)
		default:
			if len(text) > Limit && strings.Count(string(text), "\n") > 1 {
				t.Fatalf("a note has %d bytes", len(text))
			}
			for _, l := range SplitLines(text) {
				out.Lines = append(out.Lines, testLine(l))
			}
		}
	}
	return out
}

func testLine(text string) checkpoint.Line {
	l := checkpoint.ParseLine(text)
	l.Ours = !l.Bad && testKey.Wrote(testRun, text)
	return l
}

// drawContents generates our own lines, lines of other people, and unreadable lines. Many of them have the same number or the same commit.
// Instead of a commit, some lines name a note or a document.
func drawContents(t *rapid.T, h object.Hasher) Contents {
	c := Contents{Docs: checkpoint.Docs{}, Blobs: map[object.ID]bool{}}
	var heads []object.ID
	for i := range 3 {
		heads = append(heads, h.ID("commit", []byte{byte(i)}))
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "docs") {
		doc := fmt.Appendf(nil, "{\"doc\":%d}", i)
		c.Docs[h.ID("blob", doc)] = doc
		heads = append(heads, h.ID("blob", doc))
	}
	for range rapid.IntRange(0, 5).Draw(t, "lost") {
		blob := h.ID("blob", fmt.Appendf(nil, "lost %d", rapid.IntRange(0, 3).Draw(t, "which")))
		c.addLost(note{rapid.SampledFrom(append([]object.ID{blob}, heads...)).Draw(t, "lost at"), blob})
	}
	// A malicious line can also contain ids of the other hash algorithm, for example SHA-256 in a SHA-1 repository.
	heads = append(heads, object.ID(strings.Repeat("ab", 32)), object.ID(strings.Repeat("ab", 20)), h.ID("tree", nil), "")
	for i := range rapid.IntRange(1, 40).Draw(t, "lines") {
		if i%7 == 6 { // also use ids of this journal's notes as commits
			heads = append(heads, slices.Sorted(maps.Values(LayOut(h, c).notes))...)
		}
		c.Lines = append(c.Lines, testLine(drawLine(t, i, heads)))
	}
	return c
}

func drawLine(t *rapid.T, i int, heads []object.ID) string {
	size := rapid.SampledFrom([]int{0, 10, 3000, 12000, 15500}).Draw(t, "size")
	blanks := rapid.SampledFrom([]string{"", "", "", " ", "\t \r", strings.Repeat(" ", checkpoint.MaxLine)}).Draw(t, "blanks")
	if rapid.IntRange(0, 5).Draw(t, "kind") == 0 {
		return rapid.SampledFrom([]string{"remember the milk", "{", "a\x00b\xff", "[1]", strings.Repeat("y", 40_000)}).Draw(t, "bad") + blanks
	}
	e := checkpoint.Event{Event: checkpoint.RunPaused, Text: strings.Repeat("x", size), Head: rapid.SampledFrom(heads).Draw(t, "head"), V: checkpoint.Version, At: atWork}
	if rapid.IntRange(0, 8).Draw(t, "begins") == 0 {
		e.Event, e.Name, e.Base = checkpoint.RunStarted, "work", &checkpoint.Base{Name: "main", Commit: rapid.SampledFrom(heads[:3]).Draw(t, "base")}
	}
	e.Seq = checkpoint.SeqText(int64(rapid.IntRange(1, 12).Draw(t, "seq")))
	e.ID = fmt.Sprintf("n%d.%d", rapid.IntRange(1, 2).Draw(t, "nonce"), rapid.IntRange(1, 4).Draw(t, "count"))
	text, err := e.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if rapid.Bool().Draw(t, "ours") {
		text = testKey.SignLine(testRun, text)
	}
	return strings.TrimSuffix(string(text), "\n") + blanks
}

func TestLayout_isAFunctionOfTheSet(t *testing.T) {
	t.Parallel()
	sha256 := sha256Hasher(t)
	rapid.Check(t, func(t *rapid.T) {
		h := rapid.SampledFrom([]object.Hasher{{}, sha256}).Draw(t, "format")
		all := drawContents(t, h)
		want := treeID(h, all)
		clones := make([]Contents, rapid.IntRange(1, 4).Draw(t, "clones"))
		for i := range clones {
			clones[i] = *New()
		}
		pick := func() *Contents { return &clones[rapid.IntRange(0, len(clones)-1).Draw(t, "clone")] }
		for range 2 { // give each line to a random clone, twice
			for _, l := range all.Lines {
				pick().Unite(&Contents{Lines: []checkpoint.Line{l}})
			}
		}
		for id, d := range all.Docs {
			pick().Unite(&Contents{Docs: checkpoint.Docs{id: d}})
		}
		for _, n := range all.lost {
			pick().Unite(&Contents{lost: []note{n}})
		}
		for range rapid.IntRange(0, 6).Draw(t, "exchanges") {
			from, to := pick(), pick()
			to.Unite(from)
			*to = readBack(t, LayOut(h, *to), all.Docs, all.lost)
		}
		order := rapid.Permutation(clones).Draw(t, "order")
		united := *New()
		for i := range order {
			united.Unite(&order[i])
		}
		if got := treeID(h, united); got != want {
			t.Fatalf("united: tree %s, want %s", got, want)
		}
		again := readBack(t, LayOut(h, united), all.Docs, all.lost)
		if got := treeID(h, again); got != want {
			t.Fatalf("written and read: tree %s, want %s", got, want)
		}
		if a, b := len(checkpoint.Sorted(again.Lines)), len(checkpoint.Sorted(all.Lines)); a != b {
			t.Fatalf("%d lines, want %d", a, b)
		}
		if a, b := again.LostNotes(), all.LostNotes(); a != b {
			t.Fatalf("%d lost notes, want %d", a, b)
		}
	})
}

func TestLayout_cutsAt32KB(t *testing.T) {
	t.Parallel()
	if Limit != 32<<10 || flatLimit != 64 {
		t.Error("a limit is not what is documented")
	}
	h := object.Hasher{}
	sized := func(seq, n int) checkpoint.Line {
		empty := line(int64(seq), "n.1", checkpoint.Event{Event: checkpoint.RunPaused, Text: "x"}).Text
		return line(int64(seq), "n.1", checkpoint.Event{Event: checkpoint.RunPaused, Text: strings.Repeat("x", n-len(empty)+1)})
	}
	for _, c := range []struct {
		last, notes int
	}{{32<<10 - 30000 - 3, 1}, {32<<10 - 30000 - 2, 2}} {
		s := LayOut(h, Contents{Lines: []checkpoint.Line{sized(1, 15000), sized(2, 15000), sized(3, c.last)}})
		if len(s.notes) != c.notes {
			t.Errorf("with a last line of %d bytes there are %d notes, want %d", c.last, len(s.notes), c.notes)
		}
		first := s.notes[h.ID("tree", nil)]
		if c.notes == 2 && s.notes[first] == "" {
			t.Error("the second piece does not hang on the first")
		}
	}
}

func sha256Hasher(t *testing.T) object.Hasher {
	t.Helper()
	r := gittest.New(t, "--object-format=sha256")
	p, err := locate.Find(r.Dir, r.Env)
	if err != nil {
		t.Fatal(err)
	}
	repo := gitstate.Open(p, r.Env)
	t.Cleanup(repo.Close)
	h, err := repo.Settings.Hasher(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func FuzzSplitLines(f *testing.F) {
	f.Add("x\ny\r\n\n{}")
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range SplitLines([]byte(text)) {
			if strings.Contains(s, "\n") || strings.TrimSpace(s) == "" {
				t.Fatalf("%q is no line", s)
			}
		}
	})
}

const testRun = checkpoint.RunID("work-abcd")

// testKey is this user's key in tests without a repository.
var testKey = checkpoint.NewKey([]byte("a secret of thirty-two bytes...."), "a clone")

var atWork = time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)

func line(seq int64, id string, e checkpoint.Event) checkpoint.Line {
	e.Seq, e.ID, e.V = checkpoint.SeqText(seq), id, checkpoint.Version
	if e.At.IsZero() {
		e.At = atWork.Add(time.Duration(seq) * time.Second)
	}
	text, err := e.Encode()
	if err != nil {
		panic(err)
	}
	return checkpoint.ParseLine(string(text[:len(text)-1]))
}
