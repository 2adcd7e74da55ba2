package conflicts_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/conflicts/clash"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/internal/gittest"
	"pgregory.net/rapid"
)

// TestDifferential_builtinAnswersAsGit merges generated trees with the builtin engine and with git, and compares the results. Normally it
// runs forty groups of up to ten scenarios; "-rapid.checks=5000" runs more.
func TestDifferential_builtinAnswersAsGit(t *testing.T) {
	if !(gittest.Git{}).AtLeast(2, 39) {
		t.Skip("this git has no 'merge-tree --stdin' (new in git 2.39)")
	}
	if checks := flag.Lookup("rapid.checks"); checks.Value.String() == checks.DefValue && !gittest.Proving() {
		gittest.NoError(t, "fewer groups", checks.Value.Set("40"))
		t.Cleanup(func() { _ = checks.Value.Set(checks.DefValue) })
	}
	var s *store
	groups, scenarios, refused := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		if groups%40 == 0 { // start with an empty store, because loose objects accumulate
			s = newStore(t)
		}
		groups++
		group := rapid.SliceOfN(rapid.Custom(drawScenario), 1, 10).Draw(rt, "scenarios")
		bad, answered := disagreements(t, s, group)
		if bad != "" {
			rt.Fatal(bad)
		}
		if !answered {
			refused += len(group)
		}
		scenarios += len(group)
	})
	t.Logf("%d scenarios, %d of them in groups that git itself gave up on", scenarios, refused)
}

// disagreements compares the builtin engine with git for each scenario, and describes the first difference. It asks git about all
// scenarios in one process. The bool is false if git itself gave up.
func disagreements(t *testing.T, s *store, group []scenario) (bad string, answered bool) {
	t.Helper()
	var ask strings.Builder
	var queries []conflicts.Query
	for _, sc := range group {
		base, ours, theirs := s.commits(sc)
		fmt.Fprintf(&ask, "%s %s\n", ours, theirs)
		queries = append(queries, conflicts.Query{Base: base, Ours: ours, Theirs: theirs, Engine: conflicts.Builtin, Detail: conflicts.Where})
	}
	out, err := s.repo.Git(context.Background(), process.Call{
		Args: []string{"merge-tree", "--write-tree", "--stdin"}, Stdin: strings.NewReader(ask.String())})
	if err != nil {
		return "", false
	}
	answers := strings.Split(string(out), "\x00")
	for i, sc := range group {
		var tr truth
		tr, answers = nextTruth(answers)
		tr.ours, tr.theirs, tr.read = string(queries[i].Ours), string(queries[i].Theirs), s.read
		if bad := compareOne(s, queries[i], tr); bad != "" {
			return bad + "\n" + sc.String(), true
		}
	}
	return "", true
}

// nextTruth parses one answer of "git merge-tree --stdin". The answer is a flag and the usual output, followed by an empty field.
func nextTruth(f []string) (truth, []string) {
	tr := truth{clean: f[0] == "1", kinds: map[string]clash.Kind{}}
	record := []string{f[1]}
	f = f[2:]
	for ; f[0] != ""; f = f[1:] {
		record = append(record, f[0])
	}
	f = f[1:]
	if tr.clean {
		tr.tree = record[0]
		return tr, f
	}
	record = append(record, "")
	for f[0] != "" {
		n, err := strconv.Atoi(f[0])
		if err != nil {
			break // the remaining fields are messages about submodules
		}
		record, f = append(record, f[:n+3]...), f[n+3:]
	}
	tr.parse(strings.Join(record, "\x00") + "\x00")
	return tr, f[1:]
}

// read reads a blob by its id or by "TREE:PATH".
func (s *store) read(name string) ([]byte, bool) {
	if tree, path, ok := strings.Cut(name, ":"); ok && strings.Contains(path, "\n") {
		out, err := s.repo.Git(context.Background(), process.Call{Args: []string{"cat-file", "blob", tree + ":" + path}})
		return out, err == nil
	}
	o, err := s.repo.Objects.Object(context.Background(), name)
	return o.Data, err == nil && o.Type == "blob"
}

// disagreement compares the builtin engine with git for one scenario. Unlike the function "disagreements", it asks git without --stdin.
func disagreement(t *testing.T, s *store, sc scenario) string {
	t.Helper()
	_, ours, theirs := s.commits(sc)
	truth := mergeTruth(t, s.repo, ours, theirs)
	defer truth.close()
	return compareOne(s, conflicts.Query{Ours: ours, Theirs: theirs, Engine: conflicts.Builtin, Detail: conflicts.Where}, truth)
}

// TestDifferential_linesAreThoseBetweenTheMarkers checks that the lines that are reported with git's engine are those
// between git's conflict markers. The builtin engine finds lines in another way, and must agree for nine of ten files.
func TestDifferential_linesAreThoseBetweenTheMarkers(t *testing.T) {
	needMergeTree(t)
	s := newStore(t)
	few := flag.Lookup("rapid.checks").Value.String() == "100"
	checked, files, same := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		if few && checked >= 30 {
			return // thirty merges are enough, because each starts two processes
		}
		checked++
		sc := rapid.Custom(drawScenario).Draw(rt, "scenario")
		_, ours, theirs := s.commits(sc)
		truth := mergeTruth(t, s.repo, ours, theirs)
		defer truth.close()
		if truth.err != "" {
			return
		}
		q := conflicts.Query{Ours: ours, Theirs: theirs, Engine: conflicts.Git, Detail: conflicts.Where}
		rep := check(t, s.repo, q)
		q.Engine = conflicts.Builtin
		other := check(t, s.repo, q)
		o := &oracle{}
		for i, c := range rep.Conflicts {
			if why := o.covers(c, truth, c.Path); why != "" {
				rt.Fatalf("%s: %q\n%s", why, c.Path, sc)
			}
			if c.Kind != clash.Content && c.Kind != clash.AddAdd || i >= len(other.Conflicts) {
				continue
			}
			files++
			if d := other.Conflicts[i]; slices.Equal(c.Ours.Ranges, d.Ours.Ranges) && slices.Equal(c.Theirs.Ranges, d.Theirs.Ranges) {
				same++
			}
		}
	})
	t.Logf("%d merges with %d files, %d with the same lines in both engines", checked, files, same)
	if same*10 < files*9 {
		t.Errorf("of %d files, only %d have the same lines in both engines", files, same)
	}
}

// compareOne describes how the builtin engine and git differ. It returns "" if they agree.
func compareOne(s *store, q conflicts.Query, truth truth) string {
	rep, err := conflicts.Check(context.Background(), s.repo, q)
	if err != nil {
		return err.Error()
	}
	want := slices.Sorted(maps.Keys(truth.kinds))
	var got []string
	for _, c := range rep.Conflicts {
		got = append(got, c.Path)
	}
	if !slices.Equal(got, want) || rep.Clean != truth.clean {
		return fmt.Sprintf("builtin clean %v %q\ngit     clean %v %q\nsaid %q\nnotes %v", rep.Clean, got, truth.clean, want, truth.said, rep.Notes)
	}
	o := &oracle{}
	for _, c := range rep.Conflicts {
		if why := o.covers(c, truth, c.Path); why != "" {
			return fmt.Sprintf("%s: %q", why, c.Path)
		}
	}
	return ""
}

func (sc scenario) String() string {
	var b strings.Builder
	for _, side := range []struct {
		name string
		tree tree
	}{{"base", sc.base}, {"ours", sc.ours}, {"theirs", sc.theirs}} {
		fmt.Fprintf(&b, "%s:\n", side.name)
		for _, p := range slices.Sorted(maps.Keys(side.tree)) {
			f := side.tree[p]
			fmt.Fprintf(&b, "\t%q: {%#o, %q},\n", p, f.mode, f.content)
		}
	}
	return b.String()
}
