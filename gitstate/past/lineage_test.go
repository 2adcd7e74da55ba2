package past

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/repotest"
	"github.com/git-resume/git-resume/internal/gittest"
)

// sharedByGit asks git, for every commit in a tip's history, whether a base has the commit. If byDates is true, it asks as Lineage does,
// and git's answer may be wrong if commit dates are wrong.
func sharedByGit(r *gittest.Repo, bases []object.ID, tip object.ID, byDates bool) map[object.ID]bool {
	out := map[object.ID]bool{}
	for id := range strings.FieldsSeq(r.Git("rev-list", string(tip))) {
		if object.IsID(id) { // git also prints warnings about grafts
			out[object.ID(id)] = byDates
		}
	}
	args := []string{"rev-list"}
	for _, id := range bases {
		args = append(args, string(id))
	}
	if byDates {
		args = append([]string{"rev-list", string(tip), "--not"}, args[1:]...)
	}
	for id := range strings.FieldsSeq(r.Git(args...)) {
		if _, behind := out[object.ID(id)]; behind {
			out[object.ID(id)] = !byDates
		}
	}
	return out
}

// lineages compares the answers of Lineage with git's answers, for several tips with one or two bases each. It returns how many lineages
// took their answers from a list that git printed, and how many there were.
func lineages(t *testing.T, r *gittest.Repo, ids []object.ID, rng *rand.Rand) (lists, all int) {
	t.Helper()
	repo := repotest.Open(t, r.Dir, r.Env)
	for k := range 15 {
		i := len(ids) - 1 - k*len(ids)/15
		tip, bases := ids[i], []object.ID{ids[max(0, i-rng.IntN(12))]}
		if rng.IntN(3) == 0 {
			bases = append(bases, ids[max(0, i-rng.IntN(12))])
		}
		l := NewLineage(t.Context(), repo, bases, tip)
		for id, want := range sharedByGit(r, bases, tip, l.listing) {
			if got, err := l.Shared(id); err != nil || got != want {
				t.Errorf("%s behind %s, bases %v: shared %v, %v; git says %v", id, tip, bases, got, err, want)
			}
		}
		if l.listing {
			lists++
		}
		all++
		l.Close()
	}
	return lists, all
}

func TestLineage_isGits(t *testing.T) {
	t.Parallel()
	for round := range 2 {
		rng := rand.New(rand.NewPCG(2031, uint64(round)))
		r := gittest.New(t, "--object-format="+[]string{"sha1", "sha256"}[round%2])
		ids := tangle(r, 70, rng)
		if lists, all := lineages(t, r, ids, rng); lists != all {
			t.Errorf("without a graph %d of %d were left to git", lists, all)
		}
		for _, upTo := range []int{20, 50} {
			r.Pipe(string(ids[upTo])+"\n", "commit-graph", "write", "--stdin-commits", "--split=no-merge", "--no-progress")
		}
		if lists, all := lineages(t, r, ids, rng); lists == 0 || lists == all {
			t.Errorf("with a graph of some commits %d of %d were left to git", lists, all)
		}
		r.Git("commit-graph", "write", "--reachable", "--no-progress")
		if lists, _ := lineages(t, r, ids, rng); lists > 0 {
			t.Errorf("with a graph of all commits %d were left to git", lists)
		}
	}
}

// Lineage must let git list the commits in two cases: if something such as a graft changes the history, and if the commit-graph file has no
// levels (generation numbers).
func TestLineage_heedsWhatChangesHistory(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(r *gittest.Repo, ids []object.ID){
		"replaced": func(r *gittest.Repo, ids []object.ID) { r.Git("replace", "--graft", string(ids[30]), string(ids[2])) },
		"grafted": func(r *gittest.Repo, ids []object.ID) {
			r.Write(".git/info/grafts", string(ids[30])+" "+string(ids[2])+"\n")
		},
		"shallow": func(r *gittest.Repo, ids []object.ID) { r.Write(".git/shallow", string(ids[20])+"\n") },
		"without levels": func(r *gittest.Repo, _ []object.ID) {
			path := filepath.Join(r.Dir, ".git", "objects", "info", "commit-graph")
			data, err := os.ReadFile(path)
			if err != nil {
				r.T.Fatal(err)
			}
			f, err := parseGraph(data)
			if err != nil {
				r.T.Fatal(err)
			}
			for i := range f.count {
				row := f.commits[i*f.rowSize()+f.idSize:]
				copy(row[8:12], []byte{0, 0, 0, row[11] & 3})
			}
			_ = os.Remove(path)
			if err := os.WriteFile(path, data, 0o644); err != nil {
				r.T.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(5, 5))
			r := gittest.New(t)
			ids := tangle(r, 40, rng)
			r.Git("commit-graph", "write", "--reachable", "--no-progress")
			change(r, ids)
			if lists, all := lineages(t, r, ids, rng); lists != all {
				t.Errorf("%d of %d were left to git", lists, all)
			}
		})
	}
}
