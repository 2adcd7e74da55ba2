package past

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/repotest"
	"github.com/git-resume/git-resume/internal/gittest"
)

// tangle makes a history of n commits with merges, several root commits, and wrong dates.
func tangle(r *gittest.Repo, n int, rng *rand.Rand) []object.ID {
	var text strings.Builder
	for i := range n {
		when := 1_700_000_000 + 60*i + rng.IntN(400)
		if rng.IntN(12) == 0 {
			when -= 3000
		}
		fmt.Fprintf(&text, "commit refs/heads/c%d\nmark :%d\ncommitter a <a@example.com> %d +0000\ndata 1\nx\n", i, i+1, when)
		word := "from"
		for _, p := range someParents(i, rng) {
			fmt.Fprintf(&text, "%s :%d\n", word, p+1)
			word = "merge"
		}
		text.WriteString("\n")
	}
	r.Pipe(text.String(), "fast-import", "--quiet")
	lines := strings.Fields(r.Git("for-each-ref", "--format=%(refname:lstrip=2) %(objectname)", "refs/heads/c*"))
	out := make([]object.ID, n)
	for i := 0; i < len(lines); i += 2 {
		var at int
		_, _ = fmt.Sscanf(lines[i], "c%d", &at)
		out[at] = object.ID(lines[i+1])
	}
	return out
}

func someParents(i int, rng *rand.Rand) []int {
	want := []int{1, 1, 1, 1, 2, 2, 3, 4}[rng.IntN(8)]
	if rng.IntN(40) == 0 {
		want = 0
	}
	var out []int
	for range want {
		if p := i - 1 - rng.IntN(6); p >= 0 && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// pairsOf returns pairs of commits, each with git's list of their merge bases.
func pairsOf(r *gittest.Repo, ids []object.ID, n int, rng *rand.Rand) map[[2]object.ID][]object.ID {
	out := map[[2]object.ID][]object.ID{}
	for range n {
		i := rng.IntN(len(ids))
		pair := [2]object.ID{ids[i], ids[max(0, i-rng.IntN(12))]}
		text, _ := r.Try("git", "merge-base", "--all", string(pair[0]), string(pair[1]))
		out[pair] = nil
		for id := range strings.FieldsSeq(text) {
			out[pair] = append(out[pair], object.ID(id))
		}
	}
	return out
}

// compareWithGit compares the results of nearBase and MergeBases with git's. It counts the pairs for which nearBase
// found an answer.
func compareWithGit(t *testing.T, repo *gitstate.Repo, want map[[2]object.ID][]object.ID) (found int) {
	t.Helper()
	for pair, bases := range want {
		near, ok := nearBase(t.Context(), repo, pair[0], pair[1], map[object.ID]object.ID{}, func(bool) {})
		if ok {
			found++
		}
		if ok && (len(bases) != 1 || near != bases[0]) {
			t.Errorf("%s and %s: found %s alone, git has %v", pair[0], pair[1], near, bases)
		}
		got, err := MergeBases(t.Context(), repo, pair[0], pair[1])
		if len(bases) == 0 {
			if !errors.Is(err, ErrUnrelated) {
				t.Errorf("%s and %s: got %v, %v, not unrelated", pair[0], pair[1], got, err)
			}
		} else if err != nil || !slices.Equal(got, bases) {
			t.Errorf("%s and %s: got %v, %v, git has %v", pair[0], pair[1], got, err, bases)
		}
	}
	return found
}

func TestMergeBases_areGits(t *testing.T) {
	t.Parallel()
	for round := range 2 {
		rng := rand.New(rand.NewPCG(2030, uint64(round)))
		format := []string{"sha1", "sha256"}[round%2]
		r := gittest.New(t, "--object-format="+format)
		ids := tangle(r, 70, rng)
		want := pairsOf(r, ids, 30, rng)
		for _, state := range []struct {
			name    string
			files   int
			prepare func()
		}{
			{"no graph", 0, func() {}},
			{"a chain of graphs, and newer commits", 3, func() {
				for _, upTo := range []int{20, 35, 50} {
					r.Pipe(string(ids[upTo])+"\n", "commit-graph", "write", "--stdin-commits", "--split=no-merge", "--no-progress")
				}
			}},
			{"one graph", 1, func() {
				r.Git("commit-graph", "write", "--reachable", "--no-progress")
			}},
		} {
			state.prepare()
			repo := repotest.Open(t, r.Dir, r.Env)
			if found := compareWithGit(t, repo, want); found == 0 {
				t.Errorf("%s, %s: none was found without a process", format, state.name)
			}
			g := openGraph(t.Context(), repo)
			if _, newest := g.number(ids[69]); len(g) != state.files || newest != (state.name == "one graph") {
				t.Errorf("%s, %s: %d files of the graph are read, the newest commit in them: %v", format, state.name, len(g), newest)
			}
			g.close()
		}
		if t.Failed() {
			t.Fatalf("in round %d", round)
		}
	}
}

// TestMergeBases_heedWhatChangesHistory checks that MergeBases finds the same as git if a shallow file, a grafts file or a replace ref
// changes the history.
func TestMergeBases_heedWhatChangesHistory(t *testing.T) {
	t.Parallel()
	line := func(r *gittest.Repo) (base, a, b string) {
		for _, step := range [][]string{{"checkout", "-q", "-b", "a"}, {"commit", "-q", "--allow-empty", "-m", "1"},
			{"commit", "-q", "--allow-empty", "-m", "2"}, {"checkout", "-q", "-b", "b", "a~1"}, {"commit", "-q", "--allow-empty", "-m", "3"}} {
			r.Git(step...)
		}
		return r.Git("rev-parse", "a~2"), r.Git("rev-parse", "a"), r.Git("rev-parse", "b")
	}
	for name, change := range map[string]func(r *gittest.Repo, base, a, b string){
		"replaced": func(r *gittest.Repo, base, a, b string) { r.Git("replace", "--graft", b, base) },
		"replaced, packed": func(r *gittest.Repo, base, a, b string) {
			r.Git("replace", "--graft", b, base)
			r.Git("pack-refs", "--all")
		},
		"grafted": func(r *gittest.Repo, base, a, b string) { r.Write(".git/info/grafts", b+" "+base+"\n") },
		"cut off": func(r *gittest.Repo, base, a, b string) { r.Write(".git/shallow", b+"\n") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := gittest.New(t)
			base, a, b := line(r)
			r.Git("commit-graph", "write", "--reachable", "--no-progress")
			before := pairsOf(r, []object.ID{object.ID(a)}, 1, rand.New(rand.NewPCG(1, 1)))
			change(r, base, a, b)
			text, _ := r.Try("git", "merge-base", "--all", a, b)
			want := map[[2]object.ID][]object.ID{{object.ID(a), object.ID(b)}: nil}
			for id := range strings.FieldsSeq(text) {
				if object.IsID(id) {
					want[[2]object.ID{object.ID(a), object.ID(b)}] = append(want[[2]object.ID{object.ID(a), object.ID(b)}], object.ID(id))
				}
			}
			if plain := r.Git("rev-parse", "a~1"); strings.Contains(text, plain) {
				t.Fatalf("git is not impressed: %s", text)
			}
			compareWithGit(t, repotest.Open(t, r.Dir, r.Env), want)
			compareWithGit(t, repotest.Open(t, r.Dir, r.Env), before)
		})
	}
}

func TestMergeBases_damagedGraph(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 7))
	r := gittest.New(t)
	ids := tangle(r, 40, rng)
	want := pairsOf(r, ids, 12, rng)
	r.Git("commit-graph", "write", "--reachable", "--no-progress")
	path := filepath.Join(r.Dir, ".git", "objects", "info", "commit-graph")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"empty": nil, "cut": whole[:len(whole)/2], "head only": whole[:8], "another version": slices.Concat(whole[:4], []byte{9}, whole[5:]),
		"numbers beyond the end": slices.Concat(whole[:20+12*3], []byte(strings.Repeat("\xff", 40)), whole[20+12*3+40:]),
	} {
		_ = os.Remove(path)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		repo := repotest.Open(t, r.Dir, r.Env)
		for pair, bases := range want {
			if near, ok := nearBase(t.Context(), repo, pair[0], pair[1], map[object.ID]object.ID{}, func(bool) {}); ok && (len(bases) != 1 || near != bases[0]) {
				t.Errorf("%s: found %s alone, git has %v", name, near, bases)
			}
		}
	}
}

// FuzzGraph checks that a file with any content can be read as a commit-graph file without a crash, and that every parent number that is
// read from it is the number of a commit in the file.
func FuzzGraph(f *testing.F) {
	head := "CGPH\x01\x01\x03\x00"
	f.Add([]byte(head), someID)
	f.Add([]byte(head+strings.Repeat("OIDF\x00\x00\x00\x00\x00\x00\x00\x44", 4)+strings.Repeat("\x00\x00\x00\x01", 400)), someID)
	f.Fuzz(func(t *testing.T, data []byte, id string) {
		file, err := parseGraph(data)
		if err != nil {
			return
		}
		g := graph{file}
		n, ok := g.number(object.ID(id))
		if !ok {
			n = file.count - 1
		}
		if parents, ok := g.parents(n, nil); ok && (len(parents) > len(data) || slices.Max(append(parents, 0)) >= max(g.count(), 1)) {
			t.Errorf("%d has %d parents", n, len(parents))
		}
		if ok {
			if got, there := g.id(n); !there || !strings.EqualFold(string(got), id) {
				t.Errorf("%s is number %d, and that is %s", id, n, got)
			}
		}
	})
}
