package superpowers

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

func TestFind_nothing(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	for range 2 {
		sourcetest.FindsNothing(t, r, New())
		r.Write("docs/plans/notes.txt", "mine")
		r.Write("docs/superpowers/plans/notes.txt", "mine")
		r.Write(".superpowers/notes.txt", "mine")
	}
}

func TestFind_refusesWhatIsHostile(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	if err := os.WriteFile(filepath.Join(out, "plan.md"), []byte("superpowers:\n## Task 1: x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		spoil sourcetest.Mutation
		code  string
		state sources.State
	}{
		"plan leads out":     {func(r *gittest.Repo) { remove(cards)(r); link(r, filepath.Join(out, "plan.md"), cards) }, sources.DoubtRefused, sources.Corrupt},
		"ledger leads out":   {func(r *gittest.Repo) { ignored(r); r.Write(folder+"x", ""); sourcetest.LeadOut(journal)(r) }, sources.DoubtRefused, sources.NotStarted},
		"ledger is too long": {func(r *gittest.Repo) { r.Write(journal, head); grow(r, journal, 200<<20) }, sources.DoubtRefused, sources.NotStarted},
		"ledger is torn":     {both(ignored, add(journal, head+"<<<<<<< a\n=======\n>>>>>>> b\n")), sources.DoubtDamaged, sources.NotStarted},
		"plan is empty":      {func(r *gittest.Repo) { r.Write(cards, "") }, sources.DoubtDamaged, sources.Corrupt},
		"plan has NUL bytes": {replace(cards, "Goal", "\x00"), sources.DoubtDamaged, sources.Corrupt},
	} {
		r := gittest.New(t)
		sourcetest.Place(r, "testdata/plan.txtar")
		c.spoil(r)
		found := sourcetest.Find(r, New())
		if len(found) != 1 || found[0].State != c.state || !slices.ContainsFunc(found[0].Doubts, func(d sources.Doubt) bool { return d.Code == c.code }) {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

// A project folder that is a symbolic link is not followed, and the plans of a linked worktree inside the repository are
// found only once.
func TestFind_staysInItsWorktree(t *testing.T) {
	t.Parallel()
	out, r := t.TempDir(), gittest.New(t)
	sourcetest.Place(r, "testdata/plan.txtar")
	commit(11, "plan")(r)
	r.Git("worktree", "add", "-q", "inside")
	link(r, out, "other")
	if err := os.MkdirAll(filepath.Join(out, plans), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(out, plans, "x.md"), []byte("superpowers:\n## Task 1: x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if found := sourcetest.Find(r, New()); len(found) != 1 || found[0].Home != r.Dir {
		t.Errorf("%+v", found)
	}
}

func TestFind_showsNoHiddenCharacters(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Write(plans+"a\x1b[31m b.md", "superpowers:\n## Task 1: evil \x1b]0;x\x07 \u202etitle\n")
	found := sourcetest.Find(r, New())
	if len(found) != 1 {
		t.Fatalf("%+v", found)
	}
	if text := found[0].Command + found[0].Headline + found[0].Point.Title; strings.ContainsAny(text, "\x1b\x07\u202e") {
		t.Errorf("%q", text)
	}
}

// The plan is older than the commits that Find usually reads. Find must read older commits as well, and must see that they carried out two
// of the tasks.
func TestFind_anOldPlan(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	sourcetest.Place(r, "testdata/plan.txtar")
	const old = plans + "2026-03-10-gift-cards.md"
	move(r, cards, "aside")
	date := func(day string) *gittest.Repo {
		return r.With("GIT_AUTHOR_DATE="+day+"T09:00:00Z", "GIT_COMMITTER_DATE="+day+"T09:00:00Z")
	}
	save := func(day, subject string) {
		r.Git("add", "-A", "--", ":!aside")
		date(day).Git("commit", "-q", "--allow-empty", "-m", subject)
	}
	date("2026-03-01").Git("commit", "-q", "--amend", "--no-edit")
	move(r, "aside", old)
	save("2026-03-10", "plan")
	save("2026-03-11", "feat: store gift cards")
	r.Write("src/sell.go", "x")
	save("2026-03-12", "something else")
	found := sourcetest.Find(r, New())
	if len(found) != 1 || found[0].Point.Task != "3" || found[0].Headline != "2 of 4 tasks are proven done (1 by commits, 1 by files); next is Task 3 Pay with a card" {
		t.Errorf("%+v", found)
	}
}

// Finding one plan and finding nine plans start the same number of git processes.
func TestFind_startsAFewProcesses(t *testing.T) {
	t.Parallel()
	count := func(plansThere int) int {
		r := gittest.New(t)
		sourcetest.Place(r, "testdata/plan.txtar")
		text := r.Read(cards)
		for i := range plansThere {
			r.Write(plans+"2026-11-0"+string(rune('1'+i))+"-more.md", text)
		}
		both(planned, commit(12, "feat: store gift cards"), commit(13, "feat: sell gift cards"))(r)
		counting, calls := r.Counting()
		if found := sourcetest.Find(counting, New()); len(found) != plansThere+1 {
			t.Fatalf("found %d plans", len(found))
		}
		return len(calls())
	}
	if few, many := count(0), count(8); few != many || many > 8 {
		t.Errorf("%d processes for one plan, %d for nine", few, many)
	}
}

func link(r *gittest.Repo, to, from string) {
	r.T.Helper()
	if err := os.Symlink(to, filepath.Join(r.Dir, from)); err != nil {
		r.T.Fatal(err)
	}
}

func grow(r *gittest.Repo, path string, size int64) {
	r.T.Helper()
	if err := os.Truncate(filepath.Join(r.Dir, path), size); err != nil {
		r.T.Fatal(err)
	}
}

func FuzzPlan(f *testing.F) {
	f.Add("superpowers:\n## Task 1: a\n- Create: `a/b.go:1-2`\n- [x] s\n```\ngit commit -m \"feat: a \\\"b\\\"\"\n```\n### 任务 2a：c\n")
	f.Add("### Task 0.1\n```bash\ngit commit -F - <<'EOF'\nfeat: long subject\nEOF\n```\n# Task 3 #\n")
	f.Fuzz(func(t *testing.T, text string) {
		p := parsePlan(text)
		seen := map[string]bool{}
		for _, one := range p.tasks {
			if seen[one.id] || one.id == "" || one.ticked > one.boxes || len(one.subjects) > mostSubjects {
				t.Errorf("%+v", one)
			}
			seen[one.id] = true
			for _, file := range one.files {
				if !filepath.IsLocal(file) || strings.ContainsAny(file, "\x00\n*") {
					t.Errorf("%q", file)
				}
			}
		}
	})
}

func FuzzLedger(f *testing.F) {
	f.Add(head + "Task 1: complete (commits a1b2c3d..e4f5a6b, review clean)\nTask 2: fix round 2/5 (1 addressed; commits aaaa..bbbb)\n- **Task 3:** parked — x\n")
	f.Add("# SDD ledger — plan: C:\\x\\docs\\plans\\2026-01-01-a.md\nTask 1a: complete (skipped by git resume)")
	f.Fuzz(func(t *testing.T, text string) {
		l := parseLedger(text)
		if len(l.order) != len(l.last) {
			t.Errorf("%d tasks in order, %d in all", len(l.order), len(l.last))
		}
		if id, e := l.rounds(); (id != "") != (e.kind == fixEntry) {
			t.Errorf("%q %+v", id, e)
		}
		l.isOf(cards)
	})
}

func FuzzNames(f *testing.F) {
	sourcetest.Trees{Names: []string{"task-1-brief.md", "task--report.md", "20.md", "progress.md", "2026-11-10-.md", ".superpowers"}}.Fuzz(f, New())
}
