package autoclaude

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

// placed creates a test repository with the files of the given txtar archives, and then applies the given changes.
func placed(t *testing.T, archives string, prepare ...sourcetest.Mutation) *gittest.Repo {
	t.Helper()
	r := gittest.New(t)
	for name := range strings.FieldsSeq(archives) {
		sourcetest.Place(r, filepath.Join("testdata", name))
	}
	both(prepare...)(r)
	return r
}

func look1(t *testing.T, r *gittest.Repo) sources.Found {
	t.Helper()
	v, done := sourcetest.View(r)
	defer done()
	found, err := New().Find(t.Context(), v)
	if err != nil || len(found) == 0 {
		t.Fatal(found, err)
	}
	return found[0]
}

func paths(changes []sources.Change) string {
	var out []string
	for _, c := range changes {
		text := filepath.Base(c.Tree) + ":" + strings.TrimPrefix(c.Path, at)
		switch {
		case c.Gone:
			text += " gone"
		case c.To != "":
			text += " aside"
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

func TestReset_editsWordsAndNothingElse(t *testing.T) {
	t.Parallel()
	r := placed(t, "crashed.txtar", func(r *gittest.Repo) { // editing must keep Windows line endings
		r.Write(planAt, strings.ReplaceAll(r.Read(planAt), "\n", "\r\n"))
	})
	was := r.Read(planAt)
	apply(r, act(r, sources.ActionRequest{Name: sources.Reset}))
	want := was
	for _, e := range [][2]string{
		{"\"status\": \"in_progress\"", "\"status\": \"pending\""},
		{",\r\n          \"started_at\": \"2025-12-12T10:50:00Z\",\r\n          \"completed_at\": null,\r\n          \"actual_output\": \"half of it\"", ""},
		{"\"updated_at\": \"2025-12-12T11:00:00Z\"", "\"updated_at\": \"2026-11-14T12:00:00.000Z\",\r\n  \"recoveryNote\": \"git resume set chunk-2-1 back to pending at 2026-11-14T12:00:00.000Z\""},
	} {
		if strings.Count(want, e[0]) != 1 {
			t.Fatalf("%q is not there once", e[0])
		}
		want = strings.Replace(want, e[0], e[1], 1)
	}
	if got := r.Read(planAt); got != want {
		t.Errorf("the plan became\n%s\nwant\n%s", got, want)
	}
}

func TestReset_keepsBothCopiesAlike(t *testing.T) {
	t.Parallel()
	inTree := shared5 + "/" + planAt
	r := placed(t, "crashed.txtar", staging(shared5, branch5), copied(at, shared5), set(inTree, "chunk-2-2", "status", "completed"))
	changes := act(r, sources.ActionRequest{Name: sources.Reset})
	if len(changes) != 2 {
		t.Fatalf("changes: %s", paths(changes))
	}
	apply(r, changes)
	if r.Read(planAt) != r.Read(inTree) {
		t.Error("the copies differ")
	}
	f := look1(t, r)
	if f.Point.Task != "chunk-2-1" || f.Tasks[3].State != "done" {
		t.Errorf("at %s, chunk-2-2 is %s: what was newer in the worktree is lost", f.Point.Task, f.Tasks[3].State)
	}
}

func TestContinue_letsTheSystemGoOn(t *testing.T) {
	t.Parallel()
	inTree := shared5 + "/" + at
	r := placed(t, "crashed.txtar memory.txtar", staging(shared5, branch5), copied(at, shared5),
		add(inTree+historyFile, `{"chunks":{}}`), add(inTree+"qa_report.md", "good"), add(at+pauseFile, ""), set(inTree+planFile, "chunk-2-2", "status", "completed"))
	changes := act(r, sources.ActionRequest{Name: sources.Continue})
	want := "auto-claude:implementation_plan.json, repo:implementation_plan.json, repo:qa_report.md, repo:memory/attempt_history.json, repo:PAUSE gone"
	if got := paths(changes); got != want {
		t.Errorf("changes %s\nwant    %s", got, want)
	}
	apply(r, changes)
	f := look1(t, r)
	if f.State != sources.Interrupted || f.Point.Task != "chunk-2-1" || f.Protocol["get_next_chunk"] != "chunk-2-1" {
		t.Errorf("%s at %s, and the system would take %v", f.State, f.Point.Task, f.Protocol["get_next_chunk"])
	}
}

func TestContinue_writesNothingWithoutNeed(t *testing.T) {
	t.Parallel()
	for _, archive := range []string{"chunks.txtar", "built.txtar", "unplanned.txtar", "qaonly.txtar"} {
		if changes := act(placed(t, archive), sources.ActionRequest{Name: sources.Continue}); len(changes) != 0 {
			t.Errorf("%s: %s", archive, paths(changes))
		}
	}
}

func TestContinue_leavesStuckItemsAlone(t *testing.T) {
	t.Parallel()
	r := placed(t, "chunks.txtar stuck.txtar", independent, status("chunk-2-1", "in_progress"), replace(at+historyFile, `"chunk_id": "chunk-2-2"`, `"chunk_id": "chunk-9-9"`))
	if changes := act(r, sources.ActionRequest{Name: sources.Continue}); len(changes) != 0 {
		t.Errorf("%s", paths(changes))
	}
}

func TestRestartUnit_forgetsAttempts(t *testing.T) {
	t.Parallel()
	for _, w := range []sources.ActionRequest{{Name: sources.RestartUnit}, {Name: sources.RestartUnit, Task: "chunk-2-2"}, {Name: sources.Answer, Text: "Try again"}} {
		r := placed(t, "chunks.txtar stuck.txtar", independent)
		apply(r, act(r, w))
		want := "chunk-2-1"
		if w.Task != "" {
			want = w.Task
		}
		if f := look1(t, r); f.Point.Task != want || f.State != sources.Interrupted {
			t.Errorf("%+v: %s at %q", w, f.State, f.Point.Task)
		}
		if !strings.Contains(r.Read(at+historyFile), `"chunk_id": "chunk-1-1"`) {
			t.Error("another entry of the list is gone")
		}
	}
}

func TestSkipUnit_letsTheSystemPass(t *testing.T) {
	t.Parallel()
	r := placed(t, "chunks.txtar")
	for _, id := range []string{"chunk-2-1", "chunk-2-2"} {
		apply(r, act(r, sources.ActionRequest{Name: sources.SkipUnit}))
		f := look1(t, r)
		for _, task := range f.Tasks {
			if task.ID == id && task.State != "skipped" {
				t.Errorf("%s is %s", id, task.State)
			}
		}
	}
	if f := look1(t, r); f.Point.Task != "chunk-3-1" || f.Protocol["get_next_chunk"] != "chunk-3-1" {
		t.Errorf("we go on at %s, and the system at %v", f.Point.Task, f.Protocol["get_next_chunk"])
	}
}

func TestAnswer_leavesWordsForTheNextSession(t *testing.T) {
	t.Parallel()
	r := placed(t, "chunks.txtar stuck.txtar", independent, add(at+inputFile, "be careful"))
	apply(r, act(r, sources.ActionRequest{Name: sources.Answer, Task: "chunk-2-2", Text: "the key is in the safe"}))
	if got := r.Read(at + inputFile); got != "be careful\nchunk-2-2: the key is in the safe\n" {
		t.Errorf("%q", got)
	}
	if f := look1(t, r); f.Point.Task != "chunk-2-2" {
		t.Errorf("at %q", f.Point.Task)
	}
}

func TestRepair_bringsBackWhatCanBeRead(t *testing.T) {
	t.Parallel()
	r := placed(t, "chunks.txtar")
	good := r.Read(planAt)
	both(staging(shared5, branch5), copied(at, shared5), add(planAt, ""))(r)
	apply(r, act(r, sources.ActionRequest{Name: sources.Repair}))
	if r.Read(planAt) != good {
		t.Error("the damaged copy is not repaired")
	}
	r = placed(t, "chunks.txtar", staging(shared5, branch5), copied(at, shared5), remove(planAt))
	apply(r, act(r, sources.ActionRequest{Name: sources.Repair}))
	if r.Read(planAt) != good {
		t.Error("the plan that only the worktree had is not back in the main worktree")
	}
	r = placed(t, "chunks.txtar", gitRun("add", "-f", ".auto-claude"), gitRun("commit", "-q", "-m", "state"), remove(planAt), add(at+historyFile, "{}"))
	apply(r, act(r, sources.ActionRequest{Name: sources.Repair}))
	if r.Read(planAt) != good {
		t.Error("the lost plan is not back")
	}
}

func TestStartFresh_keepsEverything(t *testing.T) {
	t.Parallel()
	r := placed(t, "chunks.txtar memory.txtar", add(at+inputFile, "mind the gap"))
	apply(r, act(r, sources.ActionRequest{Name: sources.StartFresh}))
	f := look1(t, r)
	if f.Protocol["session"] != "planner" || f.State.Open() == false {
		t.Errorf("%s, next is the %v", f.State, f.Protocol["session"])
	}
	for _, name := range []string{"spec.md", inputFile, ".archived-20261114T120000Z/implementation_plan.json", ".archived-20261114T120000Z/memory/build_commits.json"} {
		if _, err := os.Stat(filepath.Join(r.Dir, at, name)); err != nil {
			t.Error(err)
		}
	}
}

// After a start from scratch, a paused spec must not be paused any more, neither in the main worktree nor in its own worktree.
func TestStartFresh_endsThePause(t *testing.T) {
	t.Parallel()
	r := placed(t, "chunks.txtar", add(at+pauseFile, ""), staging(shared5, branch5), copied(at, shared5))
	changes := act(r, sources.ActionRequest{Name: sources.StartFresh})
	for _, want := range []string{"repo:" + pauseFile + " aside", "auto-claude:" + pauseFile + " gone"} {
		if got := paths(changes); !strings.Contains(got, want) {
			t.Errorf("changes %s\nlack    %s", got, want)
		}
	}
}

func TestStartFresh_putsTheNewerCopyAside(t *testing.T) {
	t.Parallel()
	inTree := shared5 + "/" + at
	r := placed(t, "chunks.txtar memory.txtar", staging(shared5, branch5), copied(at, shared5), set(inTree+planFile, "chunk-2-1", "status", "completed"))
	newer := r.Read(inTree + planFile)
	changes := act(r, sources.ActionRequest{Name: sources.StartFresh})
	want := "repo:implementation_plan.json aside, repo:memory aside, auto-claude:implementation_plan.json gone, auto-claude:memory/attempt_history.json gone, auto-claude:memory/build_commits.json gone"
	if got := paths(changes); got != want {
		t.Fatalf("changes %s\nwant    %s", got, want)
	}
	apply(r, changes)
	if got := r.Read(at + ".archived-20261114T120000Z/implementation_plan.json"); got != newer {
		t.Error("the older copy was put aside, and the newer one is gone")
	}
	if f := look1(t, r); f.Protocol["session"] != "planner" {
		t.Errorf("%s, next is the %v", f.State, f.Protocol["session"])
	}
}

func TestAct_refuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		archives string
		wish     sources.ActionRequest
		want     any
	}{
		"what does not apply":  {"built.txtar", sources.ActionRequest{Name: sources.SkipUnit}, new(*sources.NoActionError)},
		"a repair of the good": {"chunks.txtar", sources.ActionRequest{Name: sources.Repair}, new(*sources.NoActionError)},
		"an unknown item":      {"chunks.txtar", sources.ActionRequest{Name: sources.SkipUnit, Task: "chunk-7"}, new(*NoItemError)},
		"an unknown wish":      {"chunks.txtar", sources.ActionRequest{Name: "explode"}, new(*sources.NoActionError)},
	} {
		r := placed(t, c.archives)
		v, done := sourcetest.View(r)
		f := look1(t, r)
		changes, err := New().Act(t.Context(), v, &f, c.wish)
		done()
		if err == nil || !errors.As(err, c.want) {
			t.Errorf("%s: %s, %v", name, paths(changes), err)
		}
	}
}

// The text of the option to continue must say which items of the plan will be reset.
func TestAlternatives_toContinueSaysWhatThePlanIsToldFirst(t *testing.T) {
	t.Parallel()
	said := func(r *gittest.Repo) string {
		for _, alt := range look1(t, r).Alternatives {
			if alt.Name == sources.Continue {
				return alt.Text
			}
		}
		return ""
	}
	r := placed(t, "crashed.txtar")
	if got := said(r); !strings.HasSuffix(got, " (chunk-2-1 is set back to pending first)") {
		t.Errorf("it says %q", got)
	}
	status("chunk-2-1", "pending")(r)
	if got := said(r); strings.Contains(got, "pending") {
		t.Errorf("nothing is set back, and it says %q", got)
	}
}

// Auto-Claude leaves its status file and pause file in place when a spec is finished, so a clean-up must delete both.
func TestCleanUp_takesDownWhatAFinishedSpecLeftBehind(t *testing.T) {
	t.Parallel()
	r := placed(t, "built.txtar", top(planAt, "status", "pr_created"))
	if f := look1(t, r); f.State != sources.Complete || f.Offers(sources.CleanUp) {
		t.Fatalf("without a mark: %s, %v", f.State, f.Alternatives)
	}
	sourcetest.Place(r, filepath.Join("testdata", "status.txtar"))
	r.Write(at+pauseFile, "")
	if f := look1(t, r); f.State != sources.Complete || !f.Offers(sources.CleanUp) {
		t.Fatalf("with marks: %s, %v", f.State, f.Alternatives)
	}
	changes := act(r, sources.ActionRequest{Name: sources.CleanUp})
	if got, want := paths(changes), filepath.Base(r.Dir)+":"+pauseFile+" gone, "+filepath.Base(r.Dir)+":.auto-claude-status gone"; got != want {
		t.Errorf("it changes %s, want %s", got, want)
	}
	apply(r, changes)
	if f := look1(t, r); f.State != sources.Complete || f.Offers(sources.CleanUp) {
		t.Errorf("afterwards: %s, %v", f.State, f.Alternatives)
	}
	open := placed(t, "crashed.txtar status.txtar")
	if f := look1(t, open); f.Offers(sources.CleanUp) {
		t.Error("a mark of work that is open is offered to be taken down")
	}
}

// If the worktree of a spec was deleted, the spec may exist only on its branch. Claims must recognize such a spec by the path of its
// folder, and must reject other paths.
func TestClaims_knowsASpecByItsFolder(t *testing.T) {
	t.Parallel()
	for folder, want := range map[string]string{
		".auto-claude/specs/005-user-auth": "005-user-auth", "auto-build/specs/1": "1", ".auto-claude/specs": "", ".auto-claude/specs/1/memory": "",
		".auto-claude/worktrees/tasks/1/.auto-claude/specs/1": "", "specs/1": "",
	} {
		if id, ok := New().Claims(folder); ok != (want != "") || ok && id != want {
			t.Errorf("%s is %q, %v", folder, id, ok)
		}
	}
}

// Auto-Claude first commits the work on an item, and then writes the plan. If Auto-Claude dies in between, the item is done and must not be
// carried out again.
func TestContinue_marksWhatIsCommitted(t *testing.T) {
	t.Parallel()
	r := placed(t, "crashed.txtar", gitRun("add", "-A"), gitRun("commit", "-q", "-m", "auto-claude: chunk-2-1 - handlers"))
	if f := look1(t, r); f.Point.Task != "chunk-2-2" {
		t.Fatalf("it continues with %q", f.Point.Task)
	}
	apply(r, act(r, sources.ActionRequest{Name: sources.Continue}))
	f := look1(t, r)
	i := slices.IndexFunc(f.Tasks, func(t sources.Task) bool { return t.ID == "chunk-2-1" })
	if f.Tasks[i].Raw != "completed" || f.Point.Task != "chunk-2-2" || f.Protocol["get_next_chunk"] != "chunk-2-2" {
		t.Errorf("chunk-2-1 is %s; it continues with %s, and the system would take %v", f.Tasks[i].Raw, f.Point.Task, f.Protocol["get_next_chunk"])
	}
}

// TestOnlyPlanned: a committed specification without a plan was not started. It may be in progress if it is not committed, because
// Auto-Claude does not commit its folder by itself.
func TestOnlyPlanned(t *testing.T) {
	t.Parallel()
	r := placed(t, "unplanned.txtar", add(at+"spec.md", "# User auth\n"))
	if f := look1(t, r); f.State != sources.Interrupted || f.OnlyPlanned {
		t.Errorf("not committed: %+v", f)
	}
	r.Git("add", "-f", "-A")
	r.Git("commit", "-q", "-m", "docs: a specification")
	if f := look1(t, r); f.State != sources.Interrupted || !f.OnlyPlanned {
		t.Errorf("committed: %+v", f)
	}
	r.Git("branch", branch5)
	if f := look1(t, r); f.OnlyPlanned {
		t.Errorf("with a branch: %+v", f)
	}
}

// TestAwaits: an approved spec without a branch still has to be merged if most of the files that it created are not here.
func TestAwaits(t *testing.T) {
	t.Parallel()
	const plan = `{"feature": "x", "qa_signoff": {"status": "approved"}, "phases": [{"phase": 1, "subtasks": [{"id": "1", "status": "completed", "files_to_create": ["a.go", "b.go", "src/*.go"]}]}]}`
	for file, want := range map[string]bool{"": true, "a.go": false} {
		r := gittest.New(t)
		r.Write(planAt, plan)
		if file != "" {
			r.Write(file, "package a\n")
		}
		if f := look1(t, r); f.State != sources.Review || f.Awaits != want {
			t.Errorf("%q: %+v", file, f)
		}
	}
}

// An item that may be tried again keeps its failed attempts, so that the next session sees what did not work.
func TestAnswer_keepsAttempts(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"Try again", "use the other library"} {
		r := placed(t, "chunks.txtar memory.txtar", status("chunk-2-1", "failed"))
		was := r.Read(at + historyFile)
		apply(r, act(r, sources.ActionRequest{Name: sources.Answer, Task: "chunk-2-1", Text: text}))
		if r.Read(at+historyFile) != was {
			t.Errorf("%s: the attempts changed", text)
		}
		if f := look1(t, r); f.Point.Task != "chunk-2-1" || len(f.Context) == 0 || !strings.HasPrefix(f.Context[0], "chunk-2-1: 2 failed attempts") {
			t.Errorf("%s: at %q, %q", text, f.Point.Task, f.Context)
		}
	}
}
