package planfiles

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/sourcetest"
	"github.com/git-resume/git-resume/internal/textdoc"
)

func TestFind_nothing(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	for range 2 {
		sourcetest.FindsNothing(t, r, New())
		r.Write("docs/task_plan.md", "- [ ] mine\n")
		r.Write(".planning/STATE.md", "mine")
		r.Write("web/.planning/notes.md", "mine")
	}
}

func TestFind_refusesWhatIsHostile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil edit
		code  string
		state sources.State
	}{
		"plan leads out":     {sourcetest.LeadOut(file), sources.DoubtRefused, sources.Corrupt},
		"plan is empty":      {write(""), sources.DoubtDamaged, sources.Corrupt},
		"plan has NUL bytes": {write("- [ ] \x00"), sources.DoubtDamaged, sources.Corrupt},
		"plan is too long": {func(r *gittest.Repo) {
			if err := os.Truncate(filepath.Join(r.Dir, file), 200<<20); err != nil {
				r.T.Fatal(err)
			}
		}, sources.DoubtRefused, sources.Corrupt},
		"notes lead out":  {sourcetest.LeadOut(notes), "", sources.Interrupted},
		"many bad words":  {write(strings.Repeat("### Phase 1: a\n- **Status:** simmering\n", 3000)), sources.DoubtUnknownWord, sources.NotStarted},
		"needs itself":    {change(file, "DependsOn:** Phase 3", "DependsOn:** "+strings.Repeat("4 ", 10000)), sources.DoubtCycle, sources.Interrupted},
		"lock is a link":  {sourcetest.LeadOut(".write_lock"), sources.DoubtStaleMarker, sources.Interrupted},
		"one long line":   {write("### Phase 1: " + strings.Repeat("`(", 1<<20) + "\n- **Status:** in_progress\n"), "", sources.Interrupted},
		"only headings":   {write(strings.Repeat("### Phase 1\n#### Phase 2\n", 1<<16) + "- [/] x\n"), "", sources.Interrupted},
		"nested boxes":    {write("## Phases\n" + strings.Repeat("- [/] x\n  - [ ] y\n", 1<<15)), "tasks-counted", sources.Interrupted},
		"folder as notes": {both(remove(notes), add(notes+"/x", "")), "", sources.Interrupted},
	} {
		r := gittest.New(t)
		sourcetest.Place(r, "testdata/plan.txtar")
		c.spoil(r)
		began := time.Now()
		found := sourcetest.Find(r, New())
		has := func(d sources.Doubt) bool { return d.Code == c.code }
		if len(found) != 1 || found[0].State != c.state || c.code != "" && !slices.ContainsFunc(found[0].Doubts, has) || len(found[0].Doubts) > 50 {
			t.Errorf("%s: %.600v", name, found)
		}
		// The search usually takes one second, and ten seconds under the race detector.
		if took := time.Since(began); took > 60*time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
}

// Control characters in a plan reach neither the terminal nor the command. A folder that is a symbolic link is not followed.
func TestFind_showsNoHiddenCharacters(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Write(file, "## Next Step\na \x1b[31m b\n### Phase 1: evil \x1b]0;x\x07 \u202etitle\n- [ ] step \x1b[31m\n- **Status:** in_progress\n")
	out := t.TempDir()
	if err := os.WriteFile(filepath.Join(out, file), []byte("- [ ] x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r.Write(".planning/x", "")
	if err := os.Symlink(out, filepath.Join(r.Dir, ".planning", "led-out")); err != nil {
		t.Fatal(err)
	}
	found := sourcetest.Find(r, New())
	if len(found) != 1 {
		t.Fatalf("%+v", found)
	}
	f := found[0]
	if text := f.Command + f.Headline + f.Point.Title + strings.Join(f.Context, "") + f.Alternatives[0].Text; strings.ContainsAny(text, "\x1b\x07\u202e") {
		t.Errorf("%q", text)
	}
}

// At most four git processes are started, for one plan and for ten. The exact number differs from run to run.
func TestFind_startsAFewProcesses(t *testing.T) {
	t.Parallel()
	count := func(n int) int {
		r := gittest.New(t)
		sourcetest.Place(r, "testdata/plan.txtar")
		for i := range n {
			r.Write(".planning/plan-"+string(rune('a'+i))+"/task_plan.md", r.Read(file))
		}
		commit(12, "plans")(r)
		counting, calls := r.Counting()
		if found := sourcetest.Find(counting, New()); len(found) != n+1 {
			t.Fatalf("found %d plans", len(found))
		}
		return len(calls())
	}
	if few, many := count(0), count(9); few > 4 || many > 4 {
		t.Errorf("%d processes for one plan, %d for ten", few, many)
	}
}

// An action is refused if the plan cannot be edited safely, for example while a session writes it.
func TestAct_refuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before, after edit
		want          string
	}{
		"a session writes":    {nil, add(".write_lock", ""), ".write_lock exists"},
		"lines end with \\r":  {write("### Phase 1: a\r- **Status:** in_progress\r### Phase 2: b\r- **Status:** pending\r"), nil, "edit the file by hand"},
		"the plan is gone":    {nil, remove(file), "does not exist"},
		"the phase is gone":   {nil, write("### Phase 1: a\n- **Status:** pending\n"), "has no phase '2'"},
		"no phase is there":   {nil, write("prose\n"), "has no phase '2'"},
		"it became a link":    {nil, sourcetest.LeadOut(file), "points outside"},
		"a word is decorated": {change(file, "** in_progress", "** in **pro**gress"), nil, "edit the file by hand"},
	} {
		r := gittest.New(t)
		sourcetest.Place(r, "testdata/plan.txtar")
		if c.before != nil {
			c.before(r)
		}
		found := sourcetest.Find(r, New())
		if c.after != nil {
			c.after(r)
		}
		v, done := sourcetest.View(r)
		changes, err := New().Act(t.Context(), v, &found[0], sources.ActionRequest{Name: sources.SkipUnit})
		done()
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %+v", name, err, changes)
		}
	}
}

// FuzzPlan checks that no two phases have the same id, and that a phase is no longer open after closePhases has closed it.
func FuzzPlan(f *testing.F) {
	for _, text := range []string{
		"## Phases\n### Phase 1: a\n- [x] b\n- **Status:** complete\n### Phase 2 — c (in progress)\n- [ ] d\n",
		"## 各阶段\n### 阶段 1：a\n- [ ] b\n- **状态：** in_progress\n## Current Phase\n阶段 1\n",
		"| Phase | Status |\n|---|---|\n| 1 a \\| b | |\n| 2 | ✅ |\n", "- [completed] 1. a\n- [pending] [x] b\r\n", "## Phases\n- [ ] 1. a\n  - [/] b\n- [x] c\n## Phase 1\n- [ ] d\n",
	} {
		f.Add([]byte(text), uint8(0))
		f.Add([]byte(text), uint8(1))
	}
	f.Fuzz(func(t *testing.T, data []byte, n uint8) {
		none := func([]*phase) *phase { return nil }
		j := judge(parse(textdoc.Text(data)), none)
		seen := map[string]bool{}
		for _, p := range j.phases {
			if p.id == "" || seen[p.id] {
				t.Errorf("the id %q in %q", p.id, data)
			}
			seen[p.id] = true
		}
		if (j.at == nil) != (j.state() == sources.Complete) {
			t.Errorf("%q is %s at %v", data, j.state(), j.at)
		}
		if len(j.phases) == 0 {
			return
		}
		p := j.phases[int(n)%len(j.phases)]
		now, err := closePhases(data, j, []*phase{p}, true)
		if err != nil {
			return
		}
		if after := judge(parse(textdoc.Text(now)), none); after.left(after.byID[p.id]) && !p.optional {
			t.Errorf("%q: phase %s is open in %q", data, p.id, now)
		}
	})
}

func FuzzNames(f *testing.F) {
	sourcetest.Trees{Names: []string{"task_plan.md", ".planning", ".active_plan", "progress.md", ".write_lock", "task_plan.md.tmp.1", "archive"}}.Fuzz(f, New())
}

// The headline and the reason are also true of a phase that waits for a review, and of one that commits have passed over.
func TestFind_givesTheTrueReason(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Write("task_plan.md", "# Plan\n\n### Phase 1: one\n- [x] a\n- **Status:** complete\n\n### Phase 2: two\n- [ ] b\n- **Status:** in review\n")
	f := sourcetest.Find(r, New())[0]
	gittest.Equal(t, "headline", f.Headline, "1 of 2 phases are done; phase 2 two waits for a review")

	// The commit that adds the plan says what was done only if it also has code.
	for file, want := range map[string]string{"notes.md": "the next pending phase", "two.go": "the first pending phase, although a commit names a later one"} {
		r := gittest.New(t)
		r.Write("task_plan.md", "# Plan\n\n### Phase 1: one\n- [ ] a\n- **Status:** pending\n\n### Phase 2: two\n- [ ] b\n- **Status:** pending\n")
		r.Write(file, "x")
		r.Git("add", "-A")
		r.Git("commit", "-q", "-m", "Phase 2: done")
		f = sourcetest.Find(r, New())[0]
		gittest.Equal(t, "reason with "+file, f.Point.Reason, want)
	}
}
