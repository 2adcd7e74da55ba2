package taskmaster

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

func TestFind_startsNoProcessWhereThereIsNothing(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Write("tasks/tasks.json", `{"tasks": [{"label": "build", "command": "make"}]}`)
	r.Write(".taskmaster/state.json", `{"currentTag": "master"}`)
	sourcetest.FindsNothing(t, r, New())
}

// A tag of Taskmaster must be read in the worktree of the branch to which the tag belongs. Copies on other branches must be ignored.
func TestFind_takesTheCopyOnItsOwnBranch(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	sourcetest.Place(r, "testdata/tagged.txtar")
	word("index", "pending", "in-progress")(r)
	commit("the list")(r)
	own := filepath.Join(filepath.Dir(r.Dir), "own")
	r.Git("worktree", "add", "-q", "-b", "search", own)
	word("index", "in-progress", "done")(r.In(own))
	for _, f := range sourcetest.Find(r, New()) {
		if f.ID == "search" && (f.Home != own || f.Worktree != own || f.Point.Task != "2") {
			t.Errorf("found %+v", f)
		}
	}
	replace(state, "master", "search")(r)
	word("query", "pending", "in-progress")(r) // this copy is newer, but on another branch
	if found := sourcetest.Find(r, New()); len(found) != 2 || found[1].ID != "search" || found[1].Home != own {
		t.Errorf("%d found: %+v", len(found), found)
	}
}

func TestFind_looksIntoProjects(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	for _, dir := range []string{"", "packages/api/", "elsewhere/"} {
		r.Write(dir+file, `{"master": {"tasks": [{"id": 1, "title": "a", "status": "in-progress"}]}, "x": {"tasks": [{"id": 1, "status": "in-progress"}]}}`)
	}
	r.Git("config", "resume.taskmaster.path", "packages/api")
	var got []string
	for _, f := range sourcetest.Find(r, New()) {
		got = append(got, f.ID+" at "+f.Files[0])
	}
	want := []string{"repo at " + file, "x at " + file, "packages/api at packages/api/" + file, "packages/api/x at packages/api/" + file}
	if !slices.Equal(got, want) {
		t.Errorf("found %q\nwant  %q", got, want)
	}
}

func TestFind_tellsWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil edit
		code  string
	}{
		"empty":  {add(file, ""), sources.DoubtDamaged},
		"number": {add(file, "7"), sources.DoubtDamaged},
		"cut":    {add(file, `{"master": {"tasks": [{"id": 1`), sources.DoubtDamaged},
		"merge":  {add(file, "<<<<<<< a\n{}\n=======\n[]\n>>>>>>> b\n"), sources.DoubtDamaged},
		"deep":   {add(file, strings.Repeat("[", 100000)), sources.DoubtDamaged},
		"wide":   {add(file, "["+strings.Repeat("1,", 600000)+"1]"), sources.DoubtDamaged},
		"link":   {sourcetest.LeadOut(file), sources.DoubtRefused},
		"large": {func(r *gittest.Repo) {
			if err := os.Truncate(filepath.Join(r.Dir, file), 200<<20); err != nil {
				t.Fatal(err)
			}
		}, sources.DoubtRefused},
	} {
		r := gittest.New(t)
		sourcetest.Place(r, "testdata/tagged.txtar")
		c.spoil(r)
		found := sourcetest.Find(r, New())
		if len(found) != 1 || found[0].State != sources.Corrupt || found[0].Doubts[0].Code != c.code || len(found[0].Alternatives) > 0 {
			t.Errorf("%s: %d found: %.400v", name, len(found), found)
		}
	}
}

// Whatever a file contains, it must not produce many pieces of work, and must not stop the search.
func TestFind_hostileFiles(t *testing.T) {
	t.Parallel()
	var tags []string
	for range 300 {
		tags = append(tags, `"`+strings.Repeat("x", len(tags))+`": {"tasks": [{"id": 1, "status": "in-progress"}]}`)
	}
	for name, c := range map[string]struct {
		text string
		most int
	}{
		"tags":      {"{" + strings.Join(tags, ",") + "}", mostTags + 1},
		"same tag":  {`{"a": {"tasks": [{"id": 1, "status": "in-progress"}]}, "a": {"tasks": [{"id": 2, "status": "in-progress"}]}}`, 1},
		"itself":    {`[{"id": 1, "status": "pending", "dependencies": [1]}]`, 1},
		"same id":   {"[" + strings.Repeat(`{"id": 1, "status": "in-progress"},`, 500) + `{"id": 1}]`, 1},
		"odd types": {`[{"id": [], "title": {}, "status": [1], "dependencies": {"a": 1}, "subtasks": {"b": 2}}, null, 7, "x"]`, 1},
		"dots":      {`{"": {"tasks": [{"status": "in-progress"}]}, "..": {"tasks": [{"status": "in-progress"}]}}`, 2},
		"no tasks":  {`{"master": {"tasks": []}}`, 0},
	} {
		r := gittest.New(t)
		r.Write(file, c.text)
		found := sourcetest.Find(r, New())
		if len(found) > c.most || len(found) == 0 && c.most > 0 {
			t.Errorf("%s: %d found: %.400v", name, len(found), found)
		}
		for _, f := range found {
			if strings.Trim(f.ID, "./") == "" || len(f.Doubts) > 50 || f.Point.Task == "" {
				t.Errorf("%s: %.400v", name, f)
			}
		}
	}
}

// FuzzEdit checks that skipping a task changes the status of at most one top-level task.
func FuzzEdit(f *testing.F) {
	for _, text := range []string{`[{"id": 1, "status": "pending", "details": "a\u0041"}, {"id": "2"}]`, "\ufeff" + `{"a": {"tasks": [{"id": 1, "subtasks": [{"id": 1}, "x"]}]},` + "\r\n" + `"b": [{"title": "x"}]}`} {
		f.Add([]byte(text), uint8(0))
		f.Add([]byte(text), uint8(1))
	}
	f.Fuzz(func(t *testing.T, data []byte, n uint8) {
		lists, err := parse(data)
		if err != nil || len(lists) == 0 {
			return
		}
		l := lists[int(n)%len(lists)]
		l.point(func([]*task) *task { return nil })
		_ = l.next(toolRules)
		if len(l.tasks) == 0 {
			return
		}
		one := l.tasks[int(n)%len(l.tasks)]
		now, err := skip(data, one)
		if err != nil {
			return
		}
		after, err := parse(now)
		if err != nil || len(after) != len(lists) {
			t.Fatalf("%q became %q: %v", data, now, err)
		}
		changed := 0
		for i, was := range lists {
			for j, a := range was.tasks {
				if b := after[i].tasks[j]; a.raw != b.raw {
					changed++
				} else if a == one && b.raw != "done" {
					t.Errorf("%q: %s is not done in %q", data, one.id, now)
				}
			}
		}
		if changed > 1 || !bytes.HasPrefix(now, data[:1]) {
			t.Errorf("%q: %d tasks changed in %q", data, changed, now)
		}
	})
}

func FuzzNames(f *testing.F) {
	sourcetest.Trees{Names: []string{"tasks.json", ".taskmaster", "tasks.json.tmp.1", "tasks.json.lock"}}.Fuzz(f, New())
}
