package conflicts_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/conflicts/clash"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/internal/gittest"
)

// engines lists the engines that can be used with the installed git. Before version 2.38, git cannot merge without a worktree.
var engines = func() []conflicts.Engine {
	if !(gittest.Git{}).AtLeast(2, 38) {
		return []conflicts.Engine{conflicts.Builtin}
	}
	return []conflicts.Engine{conflicts.Git, conflicts.Builtin}
}()

// needMergeTree skips a test that compares with git, if this git cannot merge without a worktree.
func needMergeTree(t *testing.T) {
	t.Helper()
	if !slices.Contains(engines, conflicts.Git) {
		t.Skip("this git has no 'merge-tree --write-tree' (new in git 2.38)")
	}
}

// The function "lines" makes a text of n numbered lines and replaces some of them.
func lines(n int, replace map[int]string) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		if text, ok := replace[i]; ok {
			b.WriteString(text)
			continue
		}
		b.WriteString("line " + string(rune('a'+i%26)) + strings.Repeat("i", i) + "\n")
	}
	return b.String()
}

func text(s string) file { return file{plain, s} }

var long = lines(30, nil)

// kindCases has scenarios for most kinds of conflicts.
var kindCases = []struct {
	name     string
	scenario scenario
	paths    []string // "~o" and "~t" stand for the suffixes that git adds to the names of moved files
	kind     clash.Kind
}{
	{"both change one line",
		scenario{tree{"f": text(long)}, tree{"f": text(lines(30, map[int]string{5: "ours\n"}))}, tree{"f": text(lines(30, map[int]string{5: "theirs\n"}))}},
		[]string{"f"}, clash.Content},
	{"changes touch without overlapping",
		scenario{tree{"f": text(long)}, tree{"f": text(lines(30, map[int]string{5: "ours\n"}))}, tree{"f": text(lines(30, map[int]string{6: "theirs\n"}))}},
		[]string{"f"}, clash.Content},
	{"both add the file",
		scenario{tree{}, tree{"f": text("1\n")}, tree{"f": text("2\n")}}, []string{"f"}, clash.AddAdd},
	{"one changes, one deletes",
		scenario{tree{"f": text(long)}, tree{"f": text(long + "more\n")}, tree{}}, []string{"f"}, clash.ModifyDelete},
	{"one renames, one deletes",
		scenario{tree{"f": text(long)}, tree{"g": text(long)}, tree{}}, []string{"g"}, clash.RenameDelete},
	{"both rename, to different names",
		scenario{tree{"f": text(long)}, tree{"g": text(long)}, tree{"h": text(long)}}, []string{"f", "g", "h"}, clash.RenameRename},
	{"one moves a directory, one adds a file in it",
		scenario{tree{"d/a": text(long), "d/b": text(lines(20, nil))}, tree{"e/a": text(long), "e/b": text(lines(20, nil))},
			tree{"d/a": text(long), "d/b": text(lines(20, nil)), "d/new": text("new\n")}},
		[]string{"e/new"}, clash.DirectoryRename},
	{"a file on one side, a directory on the other",
		scenario{tree{"x": text("x\n")}, tree{"x": text("x\n"), "p": text("file\n")}, tree{"x": text("x\n"), "p/q": text("below\n")}},
		[]string{"p~o"}, clash.FileDirectory},
	{"both add it, executable on one side",
		scenario{tree{}, tree{"f": file{script, "1\n"}}, tree{"f": file{plain, "1\n"}}}, []string{"f"}, clash.Mode},
	{"both change a link",
		scenario{tree{"l": file{link, "a"}}, tree{"l": file{link, "b"}}, tree{"l": file{link, "c"}}}, []string{"l"}, clash.Symlink},
	{"a file on one side, a link on the other",
		scenario{tree{}, tree{"l": text("file\n")}, tree{"l": file{link, "c"}}}, []string{"l", "l~o"}, clash.Symlink},
	{"both move a submodule",
		scenario{tree{"m": file{module, strings.Repeat("1", 40)}}, tree{"m": file{module, strings.Repeat("2", 40)}}, tree{"m": file{module, strings.Repeat("3", 40)}}},
		[]string{"m"}, clash.Submodule},
	{"both change a binary",
		scenario{tree{"b": text("\x00a")}, tree{"b": text("\x00b")}, tree{"b": text("\x00c")}}, []string{"b"}, clash.Binary},
	{"a renamed file, changed on both sides",
		scenario{tree{"f": text(long)}, tree{"g": text(lines(30, map[int]string{5: "ours\n"}))}, tree{"f": text(lines(30, map[int]string{5: "theirs\n"}))}},
		[]string{"g"}, clash.Content},
}

func TestCheck_namesEveryKind(t *testing.T) {
	for _, tc := range kindCases {
		for _, engine := range engines {
			t.Run(tc.name+"/"+string(engine), func(t *testing.T) {
				t.Parallel()
				s := newStore(t)
				_, ours, theirs := s.commits(tc.scenario)
				rep := check(t, s.repo, conflicts.Query{Ours: ours, Theirs: theirs, Engine: engine})
				var got []string
				for _, c := range rep.Conflicts {
					path := strings.ReplaceAll(c.Path, "~"+string(ours), "~o")
					got = append(got, strings.ReplaceAll(path, "~"+string(theirs), "~t"))
					if c.Kind != tc.kind {
						t.Errorf("%s is %q, want %q", path, c.Kind, tc.kind)
					}
					if c.Severity() != conflicts.Blocking {
						t.Errorf("%s is %s", path, c.Severity())
					}
				}
				if !slices.Equal(got, tc.paths) || rep.Clean || rep.Engine != engine {
					t.Errorf("got %q, clean %v by %s, want %q", got, rep.Clean, rep.Engine, tc.paths)
				}
			})
		}
	}
}

func check(t *testing.T, r *gitstate.Repo, q conflicts.Query) conflicts.Report {
	t.Helper()
	rep, err := conflicts.Check(context.Background(), r, q)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

func TestCheck_findsLinesAndCommits(t *testing.T) {
	for _, engine := range engines {
		t.Run(string(engine), func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			base := s.commit(tree{"f": text(long)}, "base")
			// Ours has two commits: one far above the conflict, and one in line 20. Theirs moves the file and changes lines 20 and 21.
			far := s.commit(tree{"f": text("top\n" + long)}, "far away", base)
			ours := s.commit(tree{"f": text("top\n" + lines(30, map[int]string{20: "ours\n"}))}, "near", far)
			theirs := s.commit(tree{"g": text(lines(30, map[int]string{20: "theirs\n", 21: "too\n"}))}, "their work", base)
			rep := check(t, s.repo, conflicts.Query{Ours: ours, Theirs: theirs, Engine: engine,
				Task: func(id object.ID) string { return "task of " + string(id[:4]) }})
			if len(rep.Conflicts) != 1 {
				t.Fatalf("conflicts %v", rep.Conflicts)
			}
			c := rep.Conflicts[0]
			if c.Path != "g" || c.Ours.Path != "f" || c.Theirs.Path != "g" || c.Base.Path != "f" {
				t.Errorf("paths %q: %q, %q, %q", c.Path, c.Base.Path, c.Ours.Path, c.Theirs.Path)
			}
			if !slices.Equal(c.Ours.Ranges, []conflicts.Range{{21, 22}}) || !slices.Equal(c.Theirs.Ranges, []conflicts.Range{{20, 21}}) {
				t.Errorf("ranges %v %v", c.Ours.Ranges, c.Theirs.Ranges)
			}
			if len(c.Ours.Commits) != 1 || c.Ours.Commits[0].ID != ours || c.Ours.Commits[0].Task != "task of "+string(ours[:4]) {
				t.Errorf("commits of ours %v, want %s alone", c.Ours.Commits, ours)
			}
			if len(c.Theirs.Commits) != 1 || c.Theirs.Commits[0].Subject != "their work" || c.Theirs.Commits[0].Author != "a" {
				t.Errorf("commits of theirs %v", c.Theirs.Commits)
			}
		})
	}
}

func TestCheck_notesTheQuieterClasses(t *testing.T) {
	for _, engine := range engines {
		t.Run(string(engine), func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			base := tree{"both": text(long), "web/yarn.lock": text("1\n"), "db/schema.sql": text("1\n"), "docs/CHANGELOG.md": text("1\n"), "else": text("1\n")}
			_, ours, theirs := s.commits(scenario{base,
				tree{"both": text("top\n" + long), "web/yarn.lock": text("1\n"), "db/schema.sql": text("1\n"), "docs/CHANGELOG.md": text("2\n"), "else": text("1\n")},
				tree{"both": text(long + "end\n"), "web/yarn.lock": text("2\n"), "db/schema.sql": text("2\n"), "docs/CHANGELOG.md": text("3\n"), "else": text("2\n")}})
			rep := check(t, s.repo, conflicts.Query{Ours: ours, Theirs: theirs, Engine: engine,
				Inputs: []string{"db/**"}, Expect: []string{"CHANGELOG*"}})
			want := map[conflicts.Code]struct {
				path     string
				severity conflicts.Severity
			}{
				conflicts.SameFile:         {"both", conflicts.Warning},
				conflicts.InputChanged:     {"db/schema.sql", conflicts.Warning},
				conflicts.ManifestChanged:  {"web/yarn.lock", conflicts.Warning},
				conflicts.ExpectedConflict: {"docs/CHANGELOG.md", conflicts.Warning},
				conflicts.BaseMoved:        {"", conflicts.Info},
			}
			for _, n := range rep.Notes {
				w, ok := want[n.Code]
				if !ok || w.path != n.Path || w.severity != n.Severity {
					t.Errorf("unexpected note %v", n)
				}
				delete(want, n.Code)
			}
			if len(want) > 0 {
				t.Errorf("missing notes %v in %v", want, rep.Notes)
			}
			if rep.Severity() != conflicts.Warning {
				t.Errorf("severity %s: an expected conflict must not block", rep.Severity())
			}
		})
	}
}

func TestCheck_untrackedFileThatTheyAddIsAConflict(t *testing.T) {
	for _, engine := range engines {
		s := newStore(t)
		base := s.commit(tree{"f": text("1\n")}, "base")
		theirs := s.commit(tree{"f": text("1\n"), "notes.txt": text("theirs\n")}, "theirs", base)
		snapshot := s.commit(tree{"f": text("1\n"), "notes.txt": text("mine\n")}, "snapshot", base)
		rep := check(t, s.repo, conflicts.Query{Ours: base, Theirs: theirs, Uncommitted: snapshot, Engine: engine})
		if rep.Clean || len(rep.Conflicts) != 1 || rep.Conflicts[0].Path != "notes.txt" || rep.Conflicts[0].Kind != clash.AddAdd {
			t.Errorf("%s: %+v", engine, rep)
			continue
		}
		if !rep.Conflicts[0].Ours.Uncommitted {
			t.Errorf("%s: the conflict is not marked as uncommitted work", engine)
		}
		if without := check(t, s.repo, conflicts.Query{Ours: base, Theirs: theirs, Engine: engine}); !without.Clean {
			t.Errorf("%s: without the snapshot: %+v", engine, without.Conflicts)
		}
	}
}

func TestCheck_takesAnotherBase(t *testing.T) {
	for _, engine := range engines {
		s := newStore(t)
		first := s.commit(tree{"f": text(long)}, "first")
		shared := s.commit(tree{"f": text(lines(30, map[int]string{3: "shared\n"}))}, "shared", first)
		ours := s.commit(tree{"f": text(lines(30, map[int]string{3: "ours\n"}))}, "ours", shared)
		theirs := s.commit(tree{"f": text(lines(30, map[int]string{3: "shared\n", 25: "theirs\n"}))}, "theirs", shared)
		if rep := check(t, s.repo, conflicts.Query{Ours: ours, Theirs: theirs, Engine: engine}); !rep.Clean || rep.Base != shared {
			t.Errorf("%s: clean %v with base %s", engine, rep.Clean, rep.Base)
		}
		rep := check(t, s.repo, conflicts.Query{Ours: ours, Theirs: theirs, Base: first, Engine: engine})
		if rep.Clean || rep.Base != first || len(rep.Conflicts) != 1 {
			t.Errorf("%s: clean %v with base %s", engine, rep.Clean, rep.Base)
		}
	}
}

func TestCheck_namesOfSidesAppearAsGitWritesThem(t *testing.T) {
	for _, engine := range engines {
		s := newStore(t)
		_, ours, theirs := s.commits(scenario{tree{"x": text("x\n")}, tree{"x": text("x\n"), "p": text("file\n")}, tree{"x": text("x\n"), "p/q": text("below\n")}})
		for _, base := range []object.ID{"", s.commit(tree{"x": text("x\n")}, "base")} {
			write(t, s.repo.CommonPath("refs", "heads", "my", "topic"), string(ours)+"\n")
			rep := check(t, s.repo, conflicts.Query{Ours: ours, OursName: "my/topic", Theirs: theirs, Base: base, Engine: engine})
			if len(rep.Conflicts) != 1 || rep.Conflicts[0].Path != "p~my_topic" {
				t.Errorf("%s: %+v", engine, rep.Conflicts)
			}
		}
	}
}

func TestCheck_severalBases(t *testing.T) {
	s := newStore(t)
	root := s.commit(tree{"f": text("1\n"), "g": text("1\n")}, "root")
	a := s.commit(tree{"f": text("2\n"), "g": text("1\n")}, "a", root)
	b := s.commit(tree{"f": text("1\n"), "g": text("2\n")}, "b", root)
	both := tree{"f": text("2\n"), "g": text("2\n")}
	ours, theirs := s.commit(both, "ours", a, b), s.commit(both, "theirs", b, a)
	if slices.Contains(engines, conflicts.Git) {
		rep := check(t, s.repo, conflicts.Query{Ours: ours, Theirs: theirs, Engine: conflicts.Git})
		if !rep.Clean || len(rep.Bases) != 2 {
			t.Errorf("git: clean %v, bases %v", rep.Clean, rep.Bases)
		}
	}
	rep := check(t, s.repo, conflicts.Query{Ours: ours, Theirs: theirs, Engine: conflicts.Builtin})
	if rep.Clean || rep.Severity() != conflicts.Blocking || rep.Notes[0].Code != conflicts.CannotTell {
		t.Errorf("builtin: clean %v, notes %v: it cannot know", rep.Clean, rep.Notes)
	}
}

func TestCheck_unrelatedHistoriesAreAnError(t *testing.T) {
	s := newStore(t)
	ours, theirs := s.commit(tree{"f": text("1\n")}, "one"), s.commit(tree{"f": text("1\n")}, "other")
	for _, engine := range engines {
		_, err := conflicts.Check(context.Background(), s.repo, conflicts.Query{Ours: ours, Theirs: theirs, Engine: engine})
		if !errors.Is(err, past.ErrUnrelated) {
			t.Errorf("%s: %v", engine, err)
		}
	}
}

func TestCheck_obeysMergeAttributes(t *testing.T) {
	s := newStore(t)
	sc := scenario{tree{}, tree{}, tree{}}
	for _, name := range []string{"union", "not", "own", "driver"} {
		sc.base[name], sc.ours[name], sc.theirs[name] = text(long), text("ours\n"+long), text("theirs\n"+long)
	}
	write(t, s.repo.CommonPath("info", "attributes"), "union merge=union\nnot -merge\nown merge=nosuch\ndriver merge=mine\n")
	s.config("merge.mine.driver", "true")
	_, ours, theirs := s.commits(sc)
	for engine, want := range map[conflicts.Engine]map[string]clash.Kind{
		conflicts.Git:     {"not": clash.Binary, "own": clash.Content},
		conflicts.Builtin: {"not": clash.Binary, "own": clash.Content, "driver": clash.Unknown},
	} {
		if !slices.Contains(engines, engine) {
			continue
		}
		rep := check(t, s.repo, conflicts.Query{Ours: ours, Theirs: theirs, Engine: engine})
		for _, c := range rep.Conflicts {
			if want[c.Path] == "" || engine == conflicts.Builtin && want[c.Path] != c.Kind {
				t.Errorf("%s: %s is %s", engine, c.Path, c.Kind)
			}
			delete(want, c.Path)
		}
		if len(want) > 0 {
			t.Errorf("%s: missing %v", engine, want)
		}
	}
}

func TestDocument_hasTheStableForm(t *testing.T) {
	s := newStore(t)
	name := "caf\xe9"
	_, ours, theirs := s.commits(scenario{tree{name: text(long)}, tree{name: text("ours\n" + long)}, tree{name: text("theirs\n" + long)}})
	rep := check(t, s.repo, conflicts.Query{Ours: ours, Theirs: theirs})
	raw, err := json.Marshal(rep.Document())
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	want := `{"path":"caf\ufffd","path_base64":"Y2Fm6Q==","kind":"content",` +
		`"ours":{"path":"caf\ufffd","path_base64":"Y2Fm6Q==","ranges":[[1,1]]},"theirs":{"path":"caf\ufffd","path_base64":"Y2Fm6Q==","ranges":[[1,1]]},` +
		`"commits":{"ours":[{"id":"` + string(ours) + `","author":"a","email":"a@example.com","at":"2030-03-17T17:46:40Z","subject":"ours"}],` +
		`"theirs":[{"id":"` + string(theirs) + `","author":"a","email":"a@example.com","at":"2030-03-17T17:46:40Z","subject":"theirs"}]}}`
	if part, _ := json.Marshal(rep.Document().Conflicts[0]); string(part) != want {
		t.Errorf("got  %s\nwant %s", part, want)
	}
	for _, key := range []string{"schema", "base", "ours", "theirs", "clean", "conflicts", "notes"} {
		if _, ok := got[key]; !ok {
			t.Errorf("no %q in %s", key, raw)
		}
	}
	if got["schema"] != 1.0 || got["clean"] != false || got["ours"] != string(ours) {
		t.Errorf("%s", raw)
	}
	clean := check(t, s.repo, conflicts.Query{Ours: ours, Theirs: ours})
	if raw, _ := json.Marshal(clean.Document()); !strings.Contains(string(raw), `"clean":true,"conflicts":[],"notes":[]`) {
		t.Errorf("empty lists must not be null: %s", raw)
	}
}
