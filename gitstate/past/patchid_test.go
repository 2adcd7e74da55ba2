package past

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/repotest"
	"github.com/git-resume/git-resume/internal/gittest"
)

// patch is a diff of several files, as git prints it.
type patch []filePatch

type filePatch struct {
	name  string
	lines []string
}

func (p patch) text(at int) string {
	var b strings.Builder
	for _, f := range p {
		fmt.Fprintf(&b, "diff --git a/%[1]s b/%[1]s\nindex %040[2]x..%040[3]x 100644\n--- a/%[1]s\n+++ b/%[1]s\n@@ -%[2]d,%[4]d +%[3]d,%[4]d @@ func\n",
			f.name, at, at+1, len(f.lines))
		b.WriteString(strings.Join(f.lines, "\n") + "\n")
	}
	return b.String()
}

func idOf(text string) string { return patchID(strings.NewReader(text)) }

func TestPatchID_forms(t *testing.T) {
	t.Parallel()
	one := patch{{"a", []string{" same", "-old", "+new"}}}
	two := append(patch{{"b", []string{"+other"}}}, one...)
	for _, c := range []struct {
		name string
		a, b string
		same bool
	}{
		{"other places", one.text(1), one.text(99), true},
		{"other order of files", two.text(1), patch{two[1], two[0]}.text(1), true},
		{"other blanks", one.text(1), patch{{"a", []string{"\tsame", "-o ld", "+n\tew"}}}.text(1), true},
		{"other content", one.text(1), patch{{"a", []string{" same", "-old", "+newer"}}}.text(1), false},
		{"other name", one.text(1), patch{{"c", one[0].lines}}.text(1), false},
		{"one file more", one.text(1), two.text(1), false},
		{"lines joined", patch{{"a", []string{"+a", "+b"}}}.text(1), patch{{"a", []string{"+a+b"}}}.text(1), false},
		{"bytes that are no text", patch{{"a", []string{"+\xe8"}}}.text(1), patch{{"a", []string{"+\xe9"}}}.text(1), false},
		{"the same file twice", patch{one[0], one[0]}.text(1), one.text(1), false},
		{"lines moved between files", patch{{"a", []string{"+x"}}, {"b", []string{"+y"}}}.text(1), patch{{"a", []string{"+y"}}, {"b", []string{"+x"}}}.text(1), false},
		{"added or removed", patch{{"a", []string{"+x"}}}.text(1), patch{{"a", []string{"-x"}}}.text(1), false},
	} {
		if same := idOf(c.a) == idOf(c.b); same != c.same {
			t.Errorf("%s: same is %v", c.name, same)
		}
	}
	gittest.Equal(t, "nothing", idOf(""), "")
}

func FuzzPatchID(f *testing.F) {
	f.Add(uint64(1), "one\ntwo", "three")
	f.Add(uint64(2), "\xff", "\xfe")
	f.Fuzz(func(t *testing.T, seed uint64, a, b string) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		var p patch
		for i := range 2 + rnd.IntN(5) {
			p = append(p, filePatch{fmt.Sprintf("f%d", i), plusLines(a)})
		}
		shuffled := append(patch{}, p...)
		rnd.Shuffle(len(p), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		if idOf(p.text(1)) != idOf(shuffled.text(rnd.IntN(1000))) {
			t.Error("the order of files or the places matter")
		}
		other := append(patch{{"f0", plusLines(b)}}, p[1:]...)
		if same := idOf(p.text(1)) == idOf(other.text(1)); same != (withoutBlanks(a) == withoutBlanks(b)) {
			t.Errorf("%q and %q: same is %v", a, b, same)
		}
	})
}

func plusLines(text string) []string {
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		out = append(out, "+"+line)
	}
	return out
}

// withoutBlanks returns the part of a text that counts for a patch id.
func withoutBlanks(text string) string {
	return strings.NewReplacer(" ", "", "\t", "", "\r", "").Replace(text)
}

// TestPatchID_survives checks that a patch id stays the same after a rebase and with unusual settings, and that a
// different change has a different id.
func TestPatchID_survives(t *testing.T) {
	t.Parallel()
	own := gittest.New(t)
	lines := func(n int) string { return strings.Repeat("line\n", n) }
	own.Write("text", lines(30))
	own.Write("data", "\x00\x01\x02")
	own.Git("add", "-A")
	own.Git("commit", "-q", "-m", "base")
	own.Git("checkout", "-q", "-b", "work")
	own.Write("text", "first\n"+lines(4)+"if {\n}\n\nif {\n}\n"+lines(3)+"x\n"+lines(20)+"last\n")
	own.Write("data", "\x00\x01\x03"+strings.Repeat("\x00z", 500))
	own.Write("new ü", "new\n")
	own.Git("add", "-A")
	own.Git("commit", "-q", "-m", "work")
	r := repotest.Open(t, own.Dir, own.Env)
	id, err := PatchID(t.Context(), r, "main", "work")
	gittest.NoError(t, "PatchID", err)

	own.Git("checkout", "-q", "main")
	own.Write("README", "moved on\n")
	own.Git("commit", "-q", "-am", "moved on")
	own.Git("checkout", "-q", "work")
	own.Git("rebase", "-q", "main")
	again, err := PatchID(t.Context(), r, "work~1", "work")
	gittest.NoError(t, "PatchID", err)
	gittest.Equal(t, "after a rebase", again, id)

	own.Write(".gitattributes", "* -diff\ndata diff\n")
	own.Write("order", "text\ndata\n")
	for key, value := range map[string]string{
		"diff.algorithm": "patience", "diff.noprefix": "true", "diff.mnemonicPrefix": "true", "diff.context": "1", "diff.interHunkContext": "5",
		"diff.indentHeuristic": "false", "diff.renames": "copies", "diff.orderFile": own.Dir + "/order", "diff.suppressBlankEmpty": "true",
		"diff.external": "false", "core.compression": "0", "color.ui": "always", "diff.wordRegex": ".", "core.quotePath": "false", "diff.statGraphWidth": "2",
		"diff.ignoreSubmodules": "all", "diff.submodule": "log", "diff.wsErrorHighlight": "all", "diff.relative": "true", "core.abbrev": "7",
	} {
		own.Git("config", key, value)
	}
	hostile, err := PatchID(t.Context(), repotest.Open(t, own.Dir, own.Env), "work~1", "work")
	gittest.NoError(t, "PatchID", err)
	gittest.Equal(t, "under the user's settings", hostile, id)

	staying := repotest.Open(t, own.Dir, own.Env)
	staying.Shield()
	from, to := object.ID(own.Git("rev-parse", "work~1^{tree}")), object.ID(own.Git("rev-parse", "work^{tree}"))
	for range 3 {
		got, err := PatchOf(t.Context(), staying, from, to)
		gittest.NoError(t, "PatchOf", err)
		gittest.Equal(t, "by a process that stays", got, id)
		back, err := PatchOf(t.Context(), staying, to, from)
		gittest.NoError(t, "PatchOf", err)
		if back == id || back == "" {
			t.Errorf("the way back is %q", back)
		}
	}
	if _, err := PatchOf(t.Context(), staying, from, object.ID(strings.Repeat("1", len(to)))); err == nil {
		t.Error("a tree that is not there")
	}
	got, err := PatchOf(t.Context(), staying, from, to)
	gittest.NoError(t, "PatchOf", err)
	gittest.Equal(t, "after a tree that is not there", got, id)

	own.Git("rm", "-q", "--cached", "new ü")
	own.Git("commit", "-q", "--amend", "--no-edit")
	other, err := PatchID(t.Context(), r, "work~1", "work")
	gittest.NoError(t, "PatchID", err)
	if other == id {
		t.Error("other content, same id")
	}
	none, err := PatchID(t.Context(), r, "work", "work")
	gittest.NoError(t, "PatchID", err)
	gittest.Equal(t, "nothing differs", none, "")
}
