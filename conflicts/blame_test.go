package conflicts_test

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/process"
	"pgregory.net/rapid"
)

// draft is one commit of a generated history. It contains one file, and no line occurs twice in it.
type draft struct {
	id    object.ID
	lines []string
	name  string
}

// author writes generated histories into a store.
type author struct {
	*store
	made int
	// The field "merged" counts the merges without conflicts.
	merged int
	// deletes is true if the generated commits may also delete lines. For such histories, Check sometimes names more commits than git
	// blame.
	deletes bool
}

func (a *author) commit(d draft, parents ...object.ID) draft {
	a.made++
	d.id = a.store.commit(tree{d.name: text(strings.Join(d.lines, ""))}, fmt.Sprint("c", a.made), parents...)
	return d
}

// A generated file has two parts, which begin at these lines, counted from 0. Branches can be merged without conflicts if they change
// different parts.
var parts = []int{0, 100}

// step changes, adds or removes some lines in one part of a draft. Each new line has a text that never occurred before.
func (a *author) step(t *rapid.T, from draft, part int) draft {
	d := draft{lines: slices.Clone(from.lines), name: from.name}
	for range rapid.IntRange(1, 3).Draw(t, "changes") {
		a.made++
		at, line := part+rapid.IntRange(0, 25).Draw(t, "at"), fmt.Sprintf("line %d\n", a.made)
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			d.lines = slices.Insert(d.lines, at, line)
		case 1:
			if a.deletes {
				d.lines = slices.Delete(d.lines, at, at+1)
			}
		default:
			d.lines[at] = line
		}
	}
	return a.commit(d, from.id)
}

// side generates a chain of commits. It may contain merged branches and a rename of the file.
func (a *author) side(t *rapid.T, from draft, most int) draft {
	tip := from
	for range rapid.IntRange(1, most).Draw(t, "steps") {
		switch rapid.IntRange(0, 7).Draw(t, "step") {
		case 0:
			tip.name = "moved"
			tip = a.commit(tip, tip.id)
		case 1:
			tip = a.commit(tip, tip.id) // an empty commit
		case 2, 3:
			tip = a.mergeBack(t, tip)
		default:
			tip = a.step(t, tip, rapid.SampledFrom(parts).Draw(t, "part"))
		}
	}
	return tip
}

// mergeBack makes two branches and merges them if git can do so. Otherwise it continues with the first branch.
func (a *author) mergeBack(t *rapid.T, from draft) draft {
	one, two := from, from
	mine := rapid.SampledFrom(parts).Draw(t, "part of the first")
	for range rapid.IntRange(1, 3).Draw(t, "on the first") {
		one = a.step(t, one, mine)
	}
	for range rapid.IntRange(1, 3).Draw(t, "on the second") {
		two = a.step(t, two, parts[1]-mine)
	}
	s, err := past.NewScratch(a.repo)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	m, err := s.Merge(context.Background(), string(one.id), string(two.id))
	if err != nil {
		t.Fatal(err)
	}
	if !m.Clean {
		return one
	}
	a.merged++
	e, err := s.Lookup(context.Background(), m.Tree, one.name)
	if err != nil {
		t.Fatal(err)
	}
	merged, err := s.BlobUpTo(context.Background(), e.ID, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return a.commit(draft{lines: slices.Collect(strings.Lines(string(merged))), name: one.name}, one.id, two.id)
}

// blamed returns the commits that git blame names for the conflicting lines of a side. It ignores lines that the base has too.
func (a *author) blamed(t *rapid.T, tip object.ID, side conflicts.Side, base []string) []object.ID {
	args := []string{"blame", "--porcelain"}
	for _, r := range side.Ranges {
		if r.To >= r.From {
			args = append(args, fmt.Sprintf("-L%d,%d", r.From, r.To))
		}
	}
	if len(args) == 2 {
		return nil
	}
	text, err := a.repo.Line(context.Background(), append(args, string(tip), "--", side.Path)...)
	if err != nil {
		t.Fatal(err)
	}
	var out []object.ID
	id := object.ID("")
	for l := range strings.SplitSeq(text, "\n") {
		if f := strings.Fields(l); len(f) >= 3 && object.IsID(f[0]) {
			id = object.ID(f[0])
		}
		if line, ok := strings.CutPrefix(l, "\t"); ok && !slices.Contains(base, line+"\n") && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out
}

func named(side conflicts.Side) []object.ID {
	var out []object.ID
	for _, c := range side.Commits {
		out = append(out, c.ID)
	}
	slices.Sort(out)
	return out
}

// TestDifferential_namesWhomGitBlames checks that Check names the same commits as git blame. Check may name more commits if lines were
// deleted. A commit-graph must not change the answers.
func TestDifferential_namesWhomGitBlames(t *testing.T) {
	needMergeTree(t)
	a := &author{store: newStore(t)}
	type asked struct {
		query conflicts.Query
		named string
	}
	var all []asked
	compared := 0
	few := flag.Lookup("rapid.checks").Value.String() == "100"
	rapid.Check(t, func(rt *rapid.T) {
		if few && len(all) >= 30 {
			return // stop after thirty histories, because each one starts several processes
		}
		a.deletes = rapid.Bool().Draw(rt, "deletes")
		base := draft{name: "f"}
		for i := range 200 { // many lines stay unchanged, so that git recognizes the file after a rename
			base.lines = append(base.lines, fmt.Sprintf("base %d\n", i))
		}
		base = a.commit(base)
		ours, theirs := a.side(rt, base, 8), a.side(rt, base, 3)
		q := conflicts.Query{Ours: ours.id, Theirs: theirs.id}
		rep := check(t, a.repo, q)
		all = append(all, asked{q, fmt.Sprint(rep.Conflicts, rep.Notes)})
		for _, c := range rep.Conflicts {
			for _, s := range []struct {
				tip  object.ID
				side conflicts.Side
			}{{ours.id, c.Ours}, {theirs.id, c.Theirs}} {
				want, got := a.blamed(rt, s.tip, s.side, base.lines), named(s.side)
				compared += len(want)
				missing := slices.ContainsFunc(want, func(id object.ID) bool { return !slices.Contains(got, id) })
				if missing || !a.deletes && !slices.Equal(got, want) {
					rt.Fatalf("%s, lines %v of %s: named %v, git blames %v", s.side.Path, s.side.Ranges, s.tip, got, want)
				}
			}
		}
	})
	var tips strings.Builder
	for _, q := range all {
		fmt.Fprintf(&tips, "%s\n%s\n", q.query.Ours, q.query.Theirs)
	}
	_, err := a.repo.Git(context.Background(), process.Call{
		Args: []string{"commit-graph", "write", "--stdin-commits", "--no-progress"}, Stdin: strings.NewReader(tips.String())})
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range all {
		rep := check(t, a.repo, q.query)
		if got := fmt.Sprint(rep.Conflicts, rep.Notes); got != q.named {
			t.Errorf("%s and %s with a commit-graph:\n%s\nwithout:\n%s", q.query.Ours, q.query.Theirs, got, q.named)
		}
	}
	if compared == 0 || a.merged == 0 {
		t.Error("nobody was blamed, or nothing merged")
	}
	t.Logf("%d histories with %d merges, %d commits named", len(all), a.merged, compared)
}
