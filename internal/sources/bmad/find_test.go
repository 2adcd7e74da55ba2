package bmad

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

func TestFind_startsNoProcessWhereThereIsNothing(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Write("docs/stories/1.1.story.md", "# Story 1.1: a\n\nStatus: Draft\n")
	r.Write("_bmad/bmm/config.yaml", "output_folder: \"{project-root}/docs\"\n")
	sourcetest.FindsNothing(t, r, New())
}

func TestFind_looksIntoProjects(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	for _, project := range []string{"", "packages/api/", "a/b/c/", "else/where/deep/"} {
		r.Write(project+file, "development_status:\n  1-1-a: in-progress\n")
	}
	r.Git("config", "resume.bmad.path", "a/b/c")
	var got []string
	for _, f := range sourcetest.Find(r, New()) {
		got = append(got, f.ID+" at "+f.Files[0])
	}
	if want := "repo at " + file + "|packages/api at packages/api/" + file + "|a/b/c at a/b/c/" + file; strings.Join(got, "|") != want {
		t.Errorf("found %q\nwant  %q", got, want)
	}
}

func TestFind_tellsWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil edit
		code  string
	}{
		"empty": {add(file, " \n"), sources.DoubtDamaged},
		"nul":   {add(file, "development_status:\n  1-1-a: \x00\n"), sources.DoubtDamaged},
		"merge": {add(file, "<<<<<<< a\nx: 1\n=======\nx: 2\n>>>>>>> b\n"), sources.DoubtDamaged},
		"link":  {sourcetest.LeadOut(file), sources.DoubtRefused},
		"large": {func(r *gittest.Repo) {
			if err := os.Truncate(filepath.Join(r.Dir, file), 200<<20); err != nil {
				t.Fatal(err)
			}
		}, sources.DoubtRefused},
	} {
		r := gittest.New(t)
		sourcetest.Place(r, "testdata/sprint.txtar")
		c.spoil(r)
		found := sourcetest.Find(r, New())
		if len(found) != 1 || found[0].State != sources.Corrupt || found[0].Doubts[0].Code != c.code || len(found[0].Alternatives) > 0 {
			t.Errorf("%s: %d found: %.400v", name, len(found), found)
		}
	}
}

// Large and malicious tables must not stop the search. A next story must be found, with few warnings and without control characters.
func TestFind_hostileFiles(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"many":     "development_status:\n" + strings.Repeat("  1-1-a: in-progress\n  1-2-b: review\n", 20000),
		"distinct": "development_status:\n  x: in-progress\n" + numbered(20000),
		"long":     "development_status:\n  a: " + strings.Repeat("x", 1<<20) + "\n",
		"outside":  "story_location: ../../../etc\ndevelopment_status:\n  ../../etc/passwd: in-progress\n",
		"control":  "development_status:\n  \"a\x1b[31m\": in-progress\n",
	} {
		r := gittest.New(t)
		r.Write(file, text)
		found := sourcetest.Find(r, New())
		if len(found) != 1 || len(found[0].Doubts) > 50 || found[0].Point.Task == "" || strings.Contains(found[0].Point.Task, "\x1b") {
			t.Errorf("%s: %d found: %.400v", name, len(found), found)
		}
	}
}

// numbered returns n entries of a table. Most of their keys differ.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("  s" + strings.Repeat("a", i%50) + string(rune('a'+i%26)) + strings.Repeat("b", i/50%100) + ": backlog\n")
	}
	return b.String()
}

// FuzzEdit checks that setStatus changes the status of one story, and of no other.
func FuzzEdit(f *testing.F) {
	f.Add([]byte("development_status:\n  epic-1: done\n  1-1-a: 'backlog' # x\n  b:\n    status: review\n"), uint8(0))
	f.Add([]byte("\ufeffdevelopment_status:\r\n\t1-1-a: backlog\r\nx: y\r\n"), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, n uint8) {
		was, err := parse(data)
		if err != nil || len(was.stories) == 0 {
			return
		}
		one := was.stories[int(n)%len(was.stories)]
		now, err := setStatus(data, one.key, "done")
		if err != nil {
			return
		}
		after, err := parse(now)
		if err != nil || len(after.stories) != len(was.stories) {
			t.Fatalf("%q became %q: %v", data, now, err)
		}
		for i, st := range was.stories {
			if other := after.stories[i]; st != one && other.raw != st.raw || st == one && other.raw != "done" {
				t.Errorf("%q: %s is %q in %q", data, st.key, other.raw, now)
			}
		}
		_ = setSaid(data, "done")
	})
}

func FuzzNames(f *testing.F) {
	sourcetest.Trees{Names: []string{"sprint-status.yaml", "_bmad-output", "1-2-sell-cards.md", "story-1-2.md", "docs", "stories"}}.Fuzz(f, New())
}

// TestPass_preparedLast: a ready story of a finished epic comes next if its file was written after those of all other stories.
func TestPass_preparedLast(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ first, last, want string }{{"1-1-a", "1-2-b", "1-2-b"}, {"1-2-b", "1-1-a", "2-1-c"}} {
		r := gittest.New(t)
		r.Write(file, "development_status:\n  epic-1: done\n  1-1-a: done\n  1-2-b: ready-for-dev\n  epic-2: backlog\n  2-1-c: backlog\n")
		for i, story := range []string{c.first, c.last} {
			r.Write(dir+story+".md", "# Story\n\nStatus: ready-for-dev\n")
			r.Git("add", "-A")
			r.With("GIT_COMMITTER_DATE=2030-01-02T03:04:0"+string(rune('0'+i))+"Z").Git("commit", "-q", "-m", "docs: a story")
		}
		if found := sourcetest.Find(r, New()); len(found) != 1 || found[0].Point.Task != c.want {
			t.Errorf("%s was written last: %+v", c.last, found)
		}
	}
}
