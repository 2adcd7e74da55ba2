package longrun

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/sourcetest"
	"github.com/git-resume/git-resume/internal/textdoc"
)

func keys(all []sources.Found) []string {
	var out []string
	for _, f := range all {
		out = append(out, f.ID+" at "+f.Root)
	}
	return out
}

func codes(f sources.Found) []string {
	var out []string
	for _, d := range f.Doubts {
		out = append(out, d.Code)
	}
	return out
}

const small = "# Long-Run Implementation State\n\n## Current Position\nPlan: 1 of 2\nStatus: Executing\nLast activity: 2026-01-15\n"

func TestFind_looksWhereTheSystemPutsIt(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	for _, dir := range []string{".", "agent-os/specs/a", "specs/b", "specs/a", "deep/down/c", "deep/d", "not/e", "../outside"} {
		if dir == "../outside" {
			continue
		}
		r.Write(dir+"/.long-run/STATE.md", small)
	}
	r.Write("f/.long-run-archive-1/STATE.md", small)
	r.Git("add", "deep/down", "f")
	r.Git("config", "resume.long-run.path", "deep/d")
	r.Git("config", "--add", "resume.long-run.path", "../outside")
	r.Git("config", "--add", "resume.long-run.path", "/etc")
	want := []string{
		"repo at .long-run", "agent-os/specs/a at agent-os/specs/a/.long-run", "specs/a at specs/a/.long-run", "b at specs/b/.long-run",
		"c at deep/down/c/.long-run", "d at deep/d/.long-run",
	}
	if got := keys(sourcetest.Find(r, New())); !slices.Equal(got, want) {
		t.Errorf("found %q\nwant  %q", got, want)
	}
}

// In a repository without long-run, Find must not start git.
func TestFind_startsNoProcessWhereThereIsNothing(t *testing.T) {
	t.Parallel()
	sourcetest.FindsNothing(t, gittest.New(t), New())
}

// If the state folder is committed, every worktree has a copy of it. Find must use the newest copy, and must report that the copies differ.
func TestFind_tellsCopiesApart(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Write("specs/a/.long-run/STATE.md", small)
	r.Write("specs/a/.long-run/plans/01-PLAN.md", plan("01"))
	r.Write("specs/a/.long-run/plans/02-PLAN.md", plan("02"))
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "state")
	other := filepath.Join(filepath.Dir(r.Dir), "other")
	r.Git("worktree", "add", "-q", other)
	if found := sourcetest.Find(r, New()); len(found) != 1 || len(found[0].Doubts) != 0 || found[0].Home != r.Dir {
		t.Fatalf("two equal copies: %+v", found)
	}
	r.In(other).Write("specs/a/.long-run/summaries/01-SUMMARY.md", withSummary("01", "completed"))
	found := sourcetest.Find(r, New())
	if len(found) != 1 || found[0].Home != other || found[0].Point.Task != "02" || !slices.Contains(codes(found[0]), sources.DoubtCopies) {
		t.Errorf("a copy that went on: %+v", found)
	}
}

func TestFind_refusesWhatIsHostile(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte(small), 0o600); err != nil {
		t.Fatal(err)
	}
	deep := strings.Repeat("[", 100000)
	for name, c := range map[string]struct {
		spoil func(r *gittest.Repo)
		code  string
	}{
		"state is a link to outside": {func(r *gittest.Repo) { remove(state)(r); link(r, outside, state) }, sources.DoubtRefused},
		"marker is a link":           {func(r *gittest.Repo) { link(r, outside, marker) }, sources.DoubtRefused},
		"summaries is a link": {func(r *gittest.Repo) {
			remove(at + "summaries")(r)
			link(r, filepath.Dir(outside), strings.TrimSuffix(at, "/")+"/summaries")
		}, sources.DoubtRefused},
		"200 MB checkpoint": {func(r *gittest.Repo) {
			add(check, "{")(r)
			if err := os.Truncate(filepath.Join(r.Dir, check), 200<<20); err != nil {
				t.Fatal(err)
			}
		}, sources.DoubtRefused},
		"deep checkpoint":     {add(check, deep), sources.DoubtDamaged},
		"deep history":        {add(history, deep), sources.DoubtDamaged},
		"deep front matter":   {add(sum2, "---\na: "+deep+"\n---\n"), sources.DoubtDamaged},
		"state is a folder":   {both(remove(state), add(state+"/x", "y")), sources.DoubtRefused},
		"hash is an argument": {add(check, `{"plan":"02","last_completed_task":1,"total_tasks":2,"task_commits":{"1":"--help"}}`), sources.DoubtNoEvidence},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := gittest.New(t)
			sourcetest.Place(r, "testdata/run.txtar")
			c.spoil(r)
			found := sourcetest.Find(r, New())
			if len(found) != 1 || !slices.Contains(codes(found[0]), c.code) || found[0].State == sources.Complete {
				t.Errorf("found %+v", found)
			}
		})
	}
}

func link(r *gittest.Repo, to, from string) {
	if err := os.Symlink(to, filepath.Join(r.Dir, from)); err != nil {
		r.T.Fatal(err)
	}
}

func FuzzParsers(f *testing.F) {
	for _, text := range []string{small, checkpointOf("02", 1, 4), withSummary("02", "failed"), answered, historyAfter, plan("1", "2")} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		text := textdoc.Text(data)
		var s stateFile
		_ = s.parse(text)
		if v, err := textdoc.ParseJSON(data); err == nil {
			if c := parseCheckpoint(v); c.done < 0 {
				t.Errorf("%d tasks are done", c.done)
			}
		}
		var u summary
		_ = u.parse(text)
		entries, _ := parseClarifications(text)
		for _, q := range entries {
			if q.line > q.last || q.line < 1 {
				t.Errorf("an entry from line %d to %d", q.line, q.last)
			}
			_ = editEntry(string(data), q, map[string]string{"status": "answered", "response": "x"})
		}
	})
}

func FuzzNames(f *testing.F) {
	sourcetest.Trees{Names: []string{"PLAN.md", "-PLAN.md", "01-SUMMARY.md", "CHECKPOINT.json", "STATE.md"}}.Fuzz(f, New())
}

// A folder named a.tmpl must not make the files inside it look like temporary files.
func TestFind_inAFolderWhoseNameLooksTemporary(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Write("specs/a.tmpl/.long-run/STATE.md", "# Long-Run Implementation State\n## Current Position\nPlan: 1 of 2\nStatus: Executing\n")
	for _, n := range []string{"01", "02"} {
		r.Write("specs/a.tmpl/.long-run/plans/"+n+"-PLAN.md", "---\nplan: \""+n+"\"\n---\n")
	}
	found := sourcetest.Find(r, Source{})
	if len(found) != 1 || len(found[0].Tasks) != 2 || len(found[0].Doubts) != 0 {
		t.Errorf("found %+v", found)
	}
}

// What is offered can be carried out, and a warning names the plan that comes next.
func TestFind_offersOnlyWhatIsPossible(t *testing.T) {
	t.Parallel()
	offered := func(f sources.Found) (names []string) {
		for _, a := range f.Alternatives {
			names = append(names, a.Name)
		}
		return names
	}
	for _, c := range []struct {
		name, files string
		prepare     sourcetest.Mutation
		offers      string
		told        string
	}{
		{name: "the question of a checkpoint", files: "run second", prepare: replace(check, `"status": "in_progress",`, `"status": "NEEDS_DECISION", "question": "Which queue?",`),
			offers: "continue restart-unit skip-unit start-fresh"},
		{name: "an agent without a plan", files: "run agent", prepare: both(remove(at+"plans/"), remove(sum1)), offers: "resume-agent respawn start-fresh"},
		{name: "two interrupted plans, and an agent at the second", files: "run partial agent", prepare: both(add(plan3, plan("03")),
			add(at+"plans/03-CHECKPOINT.json", checkpointOf("03", 1, 3)), replace(history, `"plan": "02", "timestamp"`, `"plan": "03", "timestamp"`)),
			offers: "resume-agent respawn skip-unit start-fresh", told: "plan 02 was also interrupted; continue with plan 03 first"},
		{name: "a plan that needs a later one", files: "run", prepare: both(add(plan2, plan("02", `"03"`)), add(plan3, plan("03"))),
			offers: "continue skip-unit start-fresh", told: "STATE.md is at plan 2, but this plan needs another one first, so plan 03 is next"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := gittest.New(t)
			for name := range strings.FieldsSeq(c.files) {
				sourcetest.Place(r, filepath.Join("testdata", name+".txtar"))
			}
			c.prepare(r)
			f := sourcetest.Find(r, New())[0]
			gittest.Equal(t, "offers", strings.Join(offered(f), " "), c.offers)
			if c.told != "" && !slices.ContainsFunc(f.Doubts, func(d sources.Doubt) bool { return strings.HasPrefix(d.Text, c.told) }) {
				t.Errorf("no warning says that %s: %v", c.told, f.Doubts)
			}
		})
	}
}
