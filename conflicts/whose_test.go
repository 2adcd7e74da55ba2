package conflicts_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/conflicts/clash"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/repotest"
	"github.com/git-resume/git-resume/internal/gittest"
)

// TestCheck_namesWhoMadeTheLines checks which commits are reported for a conflict. Each test case has another history of our side.
// Their side always changes line 20 of 30.
func TestCheck_namesWhoMadeTheLines(t *testing.T) {
	changed := func(n map[int]string) tree { return tree{"f": text(lines(30, n))} }
	for _, tc := range []struct {
		name string
		ours func(s *store, base object.ID) object.ID
		want string // subjects of the commits that must be reported
	}{
		{"the last of two who changed the line", func(s *store, base object.ID) object.ID {
			first := s.commit(changed(map[int]string{20: "first\n"}), "first", base)
			return s.commit(changed(map[int]string{20: "last\n"}), "last", first)
		}, "last"},
		{"not those who changed other lines before and after", func(s *store, base object.ID) object.ID {
			before := s.commit(changed(map[int]string{3: "before\n"}), "before", base)
			near := s.commit(changed(map[int]string{3: "before\n", 20: "ours\n"}), "near", before)
			return s.commit(changed(map[int]string{3: "after\n", 20: "ours\n"}), "after", near)
		}, "near"},
		{"both who made parts of it", func(s *store, base object.ID) object.ID {
			one := s.commit(changed(map[int]string{20: "ours\n"}), "one", base)
			return s.commit(changed(map[int]string{20: "ours\n", 21: "ours\n"}), "two", one)
		}, "two one"},
		{"who removed the lines", func(s *store, base object.ID) object.ID {
			gone := s.commit(changed(map[int]string{20: ""}), "gone", base)
			return s.commit(changed(map[int]string{20: "", 4: "far\n"}), "far", gone)
		}, "gone"},
		{"through a merge, the branch that has the line", func(s *store, base object.ID) object.ID {
			near := s.commit(changed(map[int]string{20: "ours\n"}), "near", base)
			far := s.commit(changed(map[int]string{3: "far\n"}), "far", base)
			return s.commit(changed(map[int]string{3: "far\n", 20: "ours\n"}), "merge", far, near)
		}, "near"},
		{"a merge that made the line itself", func(s *store, base object.ID) object.ID {
			one := s.commit(changed(map[int]string{20: "one\n"}), "one", base)
			two := s.commit(changed(map[int]string{20: "two\n"}), "two", base)
			return s.commit(changed(map[int]string{20: "settled\n"}), "merge", one, two)
		}, "merge"},
		{"who wrote what both say, where ours goes on", func(s *store, base object.ID) object.ID {
			old := s.commit(changed(map[int]string{9: ""}), "old", base)
			return s.commit(changed(map[int]string{9: "", 20: "theirs\nand more\n"}), "more", old)
		}, "more"},
		{"who removed the file", func(s *store, base object.ID) object.ID {
			edit := s.commit(changed(map[int]string{20: "ours\n"}), "edit", base)
			gone := s.commit(tree{"g": text("g\n")}, "gone", edit)
			return s.commit(tree{"g": text("h\n")}, "later", gone)
		}, "gone"},
		{"who changed the line before the file got another name", func(s *store, base object.ID) object.ID {
			edit := s.commit(changed(map[int]string{20: "ours\n"}), "edit", base)
			return s.commit(tree{"moved": text(lines(30, map[int]string{20: "ours\n"}))}, "move", edit)
		}, "edit"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			base := s.commit(tree{"f": text(long)}, "base")
			ours := tc.ours(s, base)
			theirs := s.commit(changed(map[int]string{20: "theirs\n"}), "theirs", base)
			for _, engine := range engines {
				rep := check(t, s.repo, conflicts.Query{Ours: ours, Theirs: theirs, Engine: engine})
				if len(rep.Conflicts) != 1 {
					t.Fatalf("%s: conflicts %v", engine, rep.Conflicts)
				}
				c := rep.Conflicts[0]
				if got := subjects(c.Ours.Commits); got != tc.want {
					t.Errorf("%s: ours by %q, want %q", engine, got, tc.want)
				}
				if got := subjects(c.Theirs.Commits); got != "theirs" {
					t.Errorf("%s: theirs by %q", engine, got)
				}
			}
		})
	}
}

func TestCheck_namesWhoRenamedWhatTheOtherRemoved(t *testing.T) {
	s := newStore(t)
	base := s.commit(tree{"f": text(long), "g": text("g\n")}, "base")
	before := s.commit(tree{"f": text(long), "g": text("h\n")}, "before", base)
	renamed := s.commit(tree{"moved": text(long), "g": text("h\n")}, "renamed", before)
	ours := s.commit(tree{"moved": text(long), "g": text("i\n")}, "after", renamed)
	theirs := s.commit(tree{"g": text("g\n")}, "removed", base)
	for _, engine := range engines {
		rep := check(t, s.repo, conflicts.Query{Ours: ours, Theirs: theirs, Engine: engine})
		if len(rep.Conflicts) != 1 || rep.Conflicts[0].Kind != clash.RenameDelete {
			t.Fatalf("%s: %+v", engine, rep.Conflicts)
		}
		if c := rep.Conflicts[0]; subjects(c.Ours.Commits) != "renamed" || subjects(c.Theirs.Commits) != "removed" {
			t.Errorf("%s: ours by %q, theirs by %q", engine, subjects(c.Ours.Commits), subjects(c.Theirs.Commits))
		}
	}
}

func TestCheck_uncommittedLinesAreNobodysCommit(t *testing.T) {
	s := newStore(t)
	base := s.commit(tree{"f": text(long)}, "base")
	committed := s.commit(tree{"f": text(lines(30, map[int]string{20: "ours\n"}))}, "committed", base)
	theirs := s.commit(tree{"f": text(lines(30, map[int]string{20: "theirs\n"}))}, "theirs", base)
	for want, now := range map[string]string{
		"committed": lines(30, map[int]string{3: "elsewhere\n", 20: "ours\n"}),
		"":          lines(30, map[int]string{20: "not committed\n"}),
	} {
		snapshot := s.commit(tree{"f": text(now)}, "snapshot", committed)
		for _, engine := range engines {
			rep := check(t, s.repo, conflicts.Query{Ours: committed, Theirs: theirs, Uncommitted: snapshot, Engine: engine})
			if len(rep.Conflicts) != 1 || !rep.Conflicts[0].Ours.Uncommitted {
				t.Fatalf("%s: conflicts %+v", engine, rep.Conflicts)
			}
			if got := subjects(rep.Conflicts[0].Ours.Commits); got != want {
				t.Errorf("%s: ours by %q, want %q", engine, got, want)
			}
		}
	}
}

// Our side merged the base but kept a line that the base had removed. The commit that wrote this line is on both sides, so it must not be
// named.
func TestCheck_neverNamesACommitThatBothSidesHave(t *testing.T) {
	s := newStore(t)
	root := s.commit(tree{"f": text(lines(30, map[int]string{20: "old\n"}))}, "root")
	wrote := s.commit(tree{"f": text(lines(30, map[int]string{20: "kept\n"}))}, "wrote", root)
	base := s.commit(tree{"f": text(long)}, "dropped", wrote)
	side := s.commit(tree{"f": text(lines(30, map[int]string{20: "kept\n"})), "g": text("g\n")}, "side", wrote)
	ours := s.commit(tree{"f": text(lines(30, map[int]string{20: "kept\n"})), "g": text("g\n")}, "merge", side, base)
	theirs := s.commit(tree{"f": text(lines(30, map[int]string{20: "theirs\n"}))}, "theirs", base)
	for _, engine := range engines {
		rep := check(t, s.repo, conflicts.Query{Ours: ours, Theirs: theirs, Engine: engine})
		if len(rep.Conflicts) != 1 || subjects(rep.Conflicts[0].Ours.Commits) != "" || subjects(rep.Conflicts[0].Theirs.Commits) != "theirs" {
			t.Errorf("%s: %+v", engine, rep.Conflicts)
		}
		if !slices.ContainsFunc(rep.Notes, func(n conflicts.Note) bool { return n.Code == conflicts.CommitsUnknown && n.Path == "f" }) {
			t.Errorf("%s: notes %v: it must be said", engine, rep.Notes)
		}
	}
}

// The reported commits must be the same with and without a commit-graph. If there is one, we read in it which commits both sides share,
// instead of asking git for a list.
func TestCheck_namesTheSameWithAndWithoutCommitGraph(t *testing.T) {
	s := newStore(t)
	base := s.commit(tree{"f": text(long)}, "base")
	ours := base
	for _, word := range strings.Fields("a b c d e f g h") {
		ours = s.commit(tree{"f": text(lines(30, map[int]string{20: word + "\n"}))}, word, ours)
	}
	theirs := s.commit(tree{"f": text(lines(30, map[int]string{20: "theirs\n"}))}, "theirs", base)
	for _, graph := range []bool{false, true} {
		if graph {
			cmd := exec.Command("git", "commit-graph", "write", "--stdin-commits")
			cmd.Dir, cmd.Stdin = s.repo.GitDir, strings.NewReader(string(ours)+"\n"+string(theirs)+"\n")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
		}
		rep := check(t, s.repo, conflicts.Query{Ours: ours, Theirs: theirs})
		if len(rep.Conflicts) != 1 || subjects(rep.Conflicts[0].Ours.Commits) != "h" {
			t.Errorf("graph %v: %+v", graph, rep.Conflicts)
		}
		if slices.ContainsFunc(rep.Notes, func(n conflicts.Note) bool { return n.Code == conflicts.CommitsUnknown }) {
			t.Errorf("graph %v: notes %v", graph, rep.Notes)
		}
	}
}

func subjects(commits []conflicts.Commit) string {
	var out []string
	for _, c := range commits {
		out = append(out, c.Subject)
	}
	return strings.Join(out, " ")
}

// Naming commits must start no process of its own, because starting one would take longer than many merges.
func TestCheck_startsNoProcessToNameCommits(t *testing.T) {
	needMergeTree(t)
	r := gittest.New(t)
	r.Topic(3)
	r.Clash(2)
	r.Git("commit-graph", "write", "--reachable", "--no-progress")
	counting, calls := r.Counting()
	repo := repotest.Open(t, counting.Dir, counting.Env)
	ours, theirs := object.ID(r.Git("rev-parse", "topic")), object.ID(r.Git("rev-parse", "main"))
	rep := check(t, repo, conflicts.Query{Ours: ours, Theirs: theirs, Engine: conflicts.Git})
	if len(rep.Conflicts) == 0 || len(rep.Conflicts[0].Ours.Commits) == 0 || len(rep.Conflicts[0].Theirs.Commits) == 0 {
		t.Fatalf("nobody is named: %+v", rep)
	}
	if got := calls(); len(got) != 2 {
		t.Errorf("a merge and a reader of objects would do: %q", got)
	}
}
