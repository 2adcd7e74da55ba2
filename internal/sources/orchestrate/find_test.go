package orchestrate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/statefile"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/story"
	"github.com/git-resume/git-resume/internal/sources/sourcetest"
	"github.com/git-resume/git-resume/internal/textdoc"
	"github.com/git-resume/git-resume/internal/textdoc/yamldoc"
)

func place(t *testing.T, archives ...string) *gittest.Repo {
	t.Helper()
	r := gittest.New(t)
	for _, a := range archives {
		sourcetest.Place(r, filepath.Join("testdata", a+".txtar"))
	}
	return r
}

func find(t *testing.T, r *gittest.Repo) []sources.Found {
	t.Helper()
	v, done := sourcetest.View(r)
	defer done()
	found, err := New().Find(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// expect compares what Find returns with a pattern.
func expect(t *testing.T, r *gittest.Repo, pattern string) {
	t.Helper()
	text, err := json.Marshal(find(t, r))
	if err != nil {
		t.Fatal(err)
	}
	if why := sourcetest.Match(pattern, string(text)); why != "" {
		t.Errorf("%s\nfound: %s", why, text)
	}
}

func TestFind_otherKindsOfState(t *testing.T) {
	t.Parallel()
	for archive, want := range map[string]string{
		"session": `[{"id":"session-8","state":"interrupted","cause":"session end","same":["epic:8","story:8.1","story:8.2","story:8.3"],"point":{"task":"8.2","title":"development"},
			"tasks":[{"id":"8.1","state":"done"},{"id":"8.2","state":"active"},{"id":"8.3","state":"pending"}],"protocol":{"also":[{"workflow_type":"SDC"}]}}]`,
		"master": `[{"id":"orchestrator-STORY-42","state":"blocked","point":{"task":"epic-4","title":"Execution Engine"},"command":"*orchestrate-resume STORY-42","same":["story:42"]}]`,
		"build": `[{"id":"build-8.4","state":"paused","point":{"task":"1.3"},"wants":".aiox/worktrees/story-8.4","tasks":[{"id":"1.1","state":"done"},{"id":"1.2","state":"done"},{"id":"1.3","state":"failed","attempts":1}],
			"headline":"Build for story 8.4, 2 of 4 subtasks done"}]`,
		"forge": `[{"id":"forge-shop-1","state":"interrupted","point":{"task":"phase-2"}}]`,
	} {
		t.Run(archive, func(t *testing.T) {
			t.Parallel()
			expect(t, place(t, archive), want)
		})
	}
}

func TestFind_partsOnDemandCountWhenTheyAreStarted(t *testing.T) {
	t.Parallel()
	const state = ".aiox/master-orchestrator/STORY-42.json"
	r := place(t, "master")
	with := func(recovery string) {
		text := strings.Replace(r.Read(state), `"4": {"status": "in_progress"}`, `"4": {"status": "completed"}, "5": {"status": "pending"}, "7": {"status": "pending"}`, 1)
		r.Write(state, strings.Replace(text, `"5": {"status": "pending"}`, `"5": {"status": "`+recovery+`"}`, 1))
	}
	with("pending")
	expect(t, r, `[{"id":"orchestrator-STORY-42","point":{"task":"epic-6","title":"QA Loop"},"tasks":[{"id":"epic-3"},{"id":"epic-4"},{"id":"epic-6"}]}]`)
	with("in_progress")
	expect(t, r, `[{"id":"orchestrator-STORY-42","point":{"task":"epic-5","title":"Recovery System"}}]`)
}

// A state file without a current phase must not cause the warning that its current phase is outdated.
func TestFind_aFinishedCycleWithoutPointer(t *testing.T) {
	t.Parallel()
	r := place(t, "cycle")
	state := r.Read(cycState)
	state = strings.Replace(state, "currentPhase: 1_validation\n", "", 1)
	r.Write(cycState, strings.Replace(state, "4_quality_gate: {status: completed}", "4_quality_gate: {status: completed}\n  5_push: {status: completed}\n  6_checkpoint: {status: completed}", 1))
	for _, f := range find(t, r) {
		for _, d := range f.Doubts {
			if d.Code == sources.DoubtStaleMarker {
				t.Errorf("%s: %s", f.ID, d.Text)
			}
		}
	}
}

func TestFind_sessionEnds(t *testing.T) {
	t.Parallel()
	const file = "docs/stories/.session-state.yaml"
	for action, want := range map[string]string{
		"PAUSE": "paused", "ABORT": "paused", "ERROR_OCCURRED": "failed", "CHECKPOINT_REACHED": "paused", "STORY_STARTED": "interrupted",
	} {
		r := place(t, "session")
		replace(file, "type: PHASE_CHANGE", "type: "+action)(r)
		expect(t, r, `[{"state":"`+want+`"}]`)
	}
	r := place(t, "session")
	replace(file, `current_story: "8.2"`, "current_story: null")(r)
	replace(file, `stories_pending: ["8.2", "8.3"]`, "stories_pending: []")(r)
	expect(t, r, `[{"state":"complete"},{"id":"story-8.2"}]`)
}

func TestFind_loopsThatOnlyTheIndexKnows(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Write(".aiox/qa-loops-index.json", `{"loops": {"2.1": {"status": "in_progress", "currentIteration": 2, "maxIterations": 5, "updatedAt": "2026-11-14T10:00:00Z", "statusPath": "/Users/ann/x/qa/2.1/loop-status.json"},
		"2.2": {"status": "completed"}}}`)
	expect(t, r, `[{"id":"qa-2.1","rebuilt":true,"point":{"task":"review-2"},"doubts":[{"code":"state-from-elsewhere"},"…"]}]`)
	r.Write("qa/2.1/loop-status.json", `{"storyId": "2.1", "currentIteration": 4, "status": "in_progress", "history": []}`)
	expect(t, r, `[{"id":"qa-2.1","rebuilt":null,"point":{"task":"review-4"}}]`)
}

func TestFind_joinsWhatNamesOneStory(t *testing.T) {
	t.Parallel()
	r := place(t, "epic-3", "loop-2.1")
	replace(loopState, `"2.1"`, `"story-3.3"`)(r)
	remove("docs/stories/2.1.story.md")(r)
	expect(t, r, `[{"id":"epic-3","files":[".aios/epic-3-state.yaml","qa/loop-status.json"],"point":{"task":"3.3"},"protocol":{"also":[{"workflow_type":"QA Loop","position":"iteration 3/5"},{"workflow_type":"SDC"}]}}]`)
	got := find(t, r)[0].Point.Reason
	if !strings.Contains(got, "QA Loop: iteration 3/5") {
		t.Errorf("the reason does not tell of the loop: %s", got)
	}
	replace(epicState, "  status: active", "  status: completed")(r)
	replace(epicState, "      status: in_progress", "      status: completed")(r)
	replace(epicState, "3.3: {status: in_progress", "3.3: {status: completed")(r)
	replace(epicState, "3.4: {status: pending", "3.4: {status: completed")(r)
	expect(t, r, `[{"id":"epic-3","state":"complete"},{"id":"qa-3.3"}]`)
}

// A copy of a story in a linked worktree counts only if it was changed later than the copy in the main worktree.
func TestFind_theNewestCopyOfAStoryCounts(t *testing.T) {
	t.Parallel()
	r := place(t, "story-4.2")
	commit(r, "2026-11-10T00:00:00Z", "as it was")
	r.Git("worktree", "add", "-q", "-b", "feat", "../feat")
	linked := r.In(filepath.Join(r.Root(), "feat"))
	replace(story42, "InProgress", "Done")(r)
	commit(r, "2026-11-11T00:00:00Z", "done")
	expect(t, r, `[]`)
	replace(story42, "InProgress", "InReview")(linked)
	commit(linked, "2026-11-12T00:00:00Z", "review")
	expect(t, r, `[{"id":"story-4.2","state":"interrupted","active":"2026-11-12T00:00:00Z"}]`)
	if home := find(t, r)[0].Home; filepath.Base(home) != "feat" {
		t.Errorf("it was read in %s", home)
	}
}

func TestFind_copiesOfOneStateAreOne(t *testing.T) {
	t.Parallel()
	r := place(t, "story-4.2", "sdc")
	commit(r, "2026-11-14T11:10:00Z", "as it was")
	r.Git("worktree", "add", "-q", "-b", "feat", "../feat")
	expect(t, r, `[{"id":"sdc-20261114-001","doubts":null}]`)
	linked := r.In(filepath.Join(r.Root(), "feat"))
	replace(sdcState, "11:15:00Z", "11:45:00Z")(linked)
	replace(sdcState, "context:", "  - implement\ncontext:")(linked)
	expect(t, r, `[{"id":"sdc-20261114-001","point":{"task":"qa"},"active":"2026-11-14T11:45:00Z"}]`)
	if !slices.ContainsFunc(find(t, r)[0].Doubts, func(d sources.Doubt) bool { return d.Code == sources.DoubtCopies }) {
		t.Error("nothing is said about the other copy")
	}
}

func TestFind_uncommittedEditsOfTheWorkItselfAreNoConflict(t *testing.T) {
	t.Parallel()
	r := place(t, "story-4.2", "sdc")
	commit(r, "2026-11-14T11:10:00Z", "as it was")
	replace(story42, "The browser", "The server")(r)
	touch := func(at string) {
		when, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(filepath.Join(r.Dir, story42), when, when); err != nil {
			t.Fatal(err)
		}
	}
	touch("2026-11-14T11:12:00Z")
	expect(t, r, `[{"doubts":null}]`)
	touch("2026-11-14T11:30:00Z")
	expect(t, r, `[{"doubts":[{"code":"story-changed","severity":"warning"}]}]`)
	replace(sdcState, "# by hand", "# again")(r)
	commit(r, "2026-11-14T11:40:00Z", "wip") // the commit also contains the state file
	expect(t, r, `[{"doubts":[{"code":"story-changed","severity":"warning"}]}]`)
	touch("2026-11-14T11:12:00Z")
	expect(t, r, `[{"doubts":null}]`)
}

func TestFind_nothingHereCostsNoProcess(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	v, done := sourcetest.View(r.With("PATH=/nowhere")) // with this PATH git cannot be started
	defer done()
	v.Setting = func(string) []string { t.Error("a setting was asked for"); return nil }
	if found, err := New().Find(t.Context(), v); err != nil || len(found) != 0 {
		t.Errorf("%v, %v", found, err)
	}
}

// A second search a minute later must give the same result, because the user may need a minute to answer a question.
func TestFind_isTheSameAMinuteLater(t *testing.T) {
	t.Parallel()
	r := place(t, "story-4.2", "epic-3", "loop-2.1", "steps", "cycle", "spec-login", "review-5.1", "build")
	commit(r, "2026-11-09T00:00:00Z", "as it was")
	v, done := sourcetest.View(r)
	defer done()
	var before string
	for range 2 {
		found, err := New().Find(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(found)
		if err != nil {
			t.Fatal(err)
		}
		if before != "" && before != string(text) {
			t.Errorf("it is another now:\n%s\n%s", before, text)
		}
		before = string(text)
		v.Now = v.Now.Add(time.Minute)
	}
}

func TestFind_refusesHostileFiles(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	secret := filepath.Join(t.TempDir(), "secret-state.yaml")
	if err := os.WriteFile(secret, []byte("instance_id: stolen\nstatus: active\nsteps: []\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.Write(".aios/deep-state.yaml", "steps: "+strings.Repeat("[", 100000))
	r.Write(".aios/large-state.yaml", "steps: "+strings.Repeat("x", sources.MaxFile))
	r.Write(".aios/bomb-state.yaml", bomb())
	r.Write(".aios/out-state.yaml", "instance_id: out\nstatus: active\nfiles_modified: [../../etc/passwd]\nconfig: ../../etc/passwd\nphases_completed: [{phase: a, output: ../../../etc/shadow}]\ncurrent_phase: b\n")
	if err := os.Symlink(secret, filepath.Join(r.Dir, ".aios", "link-state.yaml")); err != nil {
		t.Fatal(err)
	}
	states, codes := map[string]sources.State{}, map[string][]string{}
	for _, f := range find(t, r) {
		states[f.ID] = f.State
		for _, d := range f.Doubts {
			codes[f.ID] = append(codes[f.ID], d.Code)
			if strings.Contains(d.Text, "stolen") {
				t.Errorf("a file outside was read: %s", d.Text)
			}
		}
	}
	for id, code := range map[string]string{"deep": sources.DoubtDamaged, "large": sources.DoubtRefused, "bomb": sources.DoubtDamaged, "link": sources.DoubtRefused} {
		if states[id] != sources.Corrupt || !slices.Contains(codes[id], code) {
			t.Errorf("%s is %s, with %v", id, states[id], codes[id])
		}
	}
	if !slices.Contains(codes["out"], sources.DoubtRefused) {
		t.Errorf("paths that lead out are told as %v", codes["out"])
	}
}

func bomb() string {
	var b strings.Builder
	b.WriteString("a: &a [x,x,x,x,x,x,x,x,x,x]\n")
	for c := 'a'; c < 'm'; c++ {
		fmt.Fprintf(&b, "%c: &%c [%s]\n", c+1, c+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c,", c), 10), ","))
	}
	return b.String()
}

// BenchmarkFind reads 50 stories and 25 QA loops. As a comparison it also measures git status in the same repository.
func BenchmarkFind(b *testing.B) {
	r := gittest.New(b)
	for i := range 25 {
		r.Write(fmt.Sprintf("docs/stories/6.%d.story.md", i), "# Story\n\n**Status:** InProgress\n\n## Tasks\n"+strings.Repeat("- [x] something\n", 300))
		r.Write(fmt.Sprintf("docs/stories/7.%d.story.md", i), "# Story\n\n**Status:** InReview\n\n## Dev Notes\n"+strings.Repeat("some words\n", 300))
		r.Write(fmt.Sprintf("qa/7.%d/loop-status.json", i), fmt.Sprintf(`{"storyId":"7.%d","currentIteration":2,"status":"in_progress","updatedAt":"2026-11-14T10:00:00Z","history":[]}`, i))
		commit(r, fmt.Sprintf("2026-11-%02dT00:00:00Z", 1+i%13), "more")
	}
	v, done := sourcetest.View(r)
	defer done()
	b.Run("reader", func(b *testing.B) {
		for b.Loop() {
			if found, err := New().Find(b.Context(), v); err != nil || len(found) != 36 {
				b.Fatal(len(found), err)
			}
		}
	})
	b.Run("git status", func(b *testing.B) {
		for b.Loop() {
			r.Git("status")
		}
	})
}

// BenchmarkFind_nothing measures the cost in a repository without orchestrate files.
func BenchmarkFind_nothing(b *testing.B) {
	v, done := sourcetest.View(gittest.New(b))
	defer done()
	for b.Loop() {
		if found, err := New().Find(b.Context(), v); err != nil || len(found) != 0 {
			b.Fatal(found, err)
		}
	}
}

func FuzzState(f *testing.F) {
	for _, a := range []string{"epic-3", "sdc", "steps", "cycle", "session", "master", "build", "forge", "loop-2.1"} {
		data, err := os.ReadFile(filepath.Join("testdata", a+".txtar"))
		if err != nil {
			f.Fatal(err)
		}
		_, body, _ := strings.Cut(string(data), " --\n")
		body, _, _ = strings.Cut(body, "\n-- ")
		f.Add([]byte(body))
	}
	r := gittest.New(f)
	v, done := sourcetest.View(r)
	f.Cleanup(done)
	f.Fuzz(func(t *testing.T, data []byte) {
		l := &treeSearch{Files: statefile.Files{Ctx: t.Context(), View: v, Tree: v.Trees[0]}, stories: story.Read(v, v.Trees[0])}
		for _, parse := range []func([]byte) (textdoc.Value, error){textdoc.ParseJSON, yamldoc.Parse} {
			value, err := parse(data)
			if err != nil || !value.IsObject() {
				continue
			}
			for _, read := range []func(statefile.Record) *work{l.epic, l.loop, l.workflow, l.cycle, l.session, l.master, l.build, l.forge} {
				if w := read(statefile.Record{Path: ".aios/epic-x-state.yaml", Value: value}); w != nil {
					check{w}.checkStories()
					reporter{w}.finish()
				}
			}
		}
	})
}

func FuzzNames(f *testing.F) {
	sourcetest.Trees{Names: []string{"epic-state.yaml", "epic--state.json", "story.md", ".story.md", "loop-status.json", "-state.yml"}}.Fuzz(f, New())
}

// A state file can contain any path for the worktree of a build. Find must accept only a path that the build tool itself would use.
func TestFind_placeOfABuild(t *testing.T) {
	t.Parallel()
	const beside = `[{"wants":"../repo.worktrees/build-8.4","beside":true,"doubts":["…",{"code":"state-refused"},"…"]}]`
	for path, want := range map[string]string{
		".aiox/worktrees/story-8.4":               `[{"wants":".aiox/worktrees/story-8.4","beside":null}]`,
		"/home/me/shop/.aiox/worktrees/story-8.4": `[{"wants":".aiox/worktrees/story-8.4","beside":null}]`,
		"src/planted":                           beside,
		".git/hooks/x":                          beside,
		"../planted":                            beside,
		"/planted":                              beside,
		".aiox/worktrees/..":                    beside,
		".aiox/worktrees/a/../../../../planted": beside,
	} {
		r := place(t, "build")
		const file = "plan/build-state.json"
		r.Write(file, strings.Replace(r.Read(file), "/Users/ann/shop/.aiox/worktrees/story-8.4", path, 1))
		r.Git("branch", "auto/story-8.4")
		t.Log(path)
		expect(t, r, want)
	}
}

func TestProblem_namesPathAndError(t *testing.T) {
	t.Parallel()
	d := statefile.Problem(".aios/x-state.yaml", &fs.PathError{Op: "open", Path: ".aios/x-state.yaml", Err: fs.ErrPermission})
	if d.Severity != conflicts.Blocking || d.Path != ".aios/x-state.yaml" || !strings.Contains(d.Text, "permission denied") || !strings.Contains(d.Text, ".aios/x-state.yaml") {
		t.Errorf("told as %+v", d)
	}
	if d := statefile.Problem("x", &textdoc.DamageError{Why: "is empty"}); d.Severity != conflicts.Warning {
		t.Errorf("damage is told as %+v", d)
	}
	if d := statefile.Problem("x", errors.New("other")); d.Severity != conflicts.Blocking {
		t.Errorf("told as %+v", d)
	}
}
