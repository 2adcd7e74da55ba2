package agentmemory

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
	. "github.com/git-resume/git-resume/internal/sources/sourcetest"
	"github.com/git-resume/git-resume/internal/textdoc"
)

func find(r *gittest.Repo) sources.Found {
	r.T.Helper()
	return Find(r, New())[0]
}

// act carries out a request, and checks that only git-resume's own logs change.
func act(r *gittest.Repo, w sources.ActionRequest) sources.Found {
	r.T.Helper()
	for _, c := range Do(r, New(), w) {
		if !strings.Contains(c.Path, "/events/git-resume/") {
			r.T.Errorf("%s is not a log of our own", c.Path)
		}
	}
	return find(r)
}

func place(t *testing.T, archives ...string) *gittest.Repo {
	t.Helper()
	r := gittest.New(t)
	for _, a := range archives {
		Place(r, filepath.Join("testdata", a))
	}
	return r
}

// Events may name the commit of a task, and subjects may name the task without brackets.
func TestCommits_areThoseOfTheTask(t *testing.T) {
	t.Parallel()
	r := place(t, "execution.txtar")
	commit := func(when, subject string) string {
		at := "2026-11-10T" + when + ":00Z"
		r.Git("commit", "-q", "--allow-empty", "-m", subject, "--date", at)
		return r.Git("rev-parse", "HEAD")
	}
	table := commit("10:30", "the table")
	log("w", line("task_started", "T004", "11:00:00Z")+
		`{"event_type":"task_completed","task_id":"T001","timestamp":"2026-11-10T12:00:00Z","commit":"`+table[:12]+`"}`+"\n"+
		`{"event_type":"task_completed","task_id":"T002","timestamp":"2026-11-10T12:00:00Z","commit":"abc"}`+"\n")(r)
	f := find(r)
	if string(f.Tasks[0].Commit) != table {
		t.Errorf("T001 has the commit '%s', want %s", f.Tasks[0].Commit, table)
	}
	for i := range 3 {
		if got := f.Tasks[i+1].Commit; got != "" {
			t.Errorf("task %d has the commit %s", i+2, got)
		}
	}
}

func TestWithin_comparesTimesWithTheTask(t *testing.T) {
	t.Parallel()
	at := func(hour int) time.Time { return time.Date(2026, 11, 10, hour, 0, 0, 0, time.UTC) }
	done := &mark{state: checkpoint.Done, by: &event{at: at(12)}, began: at(10)}
	open := &mark{state: checkpoint.Active, by: &event{at: at(10)}, began: at(10)}
	unstarted := &mark{state: checkpoint.Done, by: &event{at: at(12)}}
	for _, c := range []struct {
		mark *mark
		hour int
		want bool
	}{{done, 9, false}, {done, 11, true}, {done, 12, true}, {done, 13, false}, {open, 9, false}, {open, 20, true}, {unstarted, 12, false}, {nil, 12, false}} {
		r := reader{run: &run{ledger: &ledger{tasks: map[string]*mark{"T1": c.mark}}}}
		if got := r.within("T1", past.Logged{When: at(c.hour)}); got != c.want {
			t.Errorf("%+v at %d: %v", c.mark, c.hour, got)
		}
	}
}

func TestAct_isReadBack(t *testing.T) {
	t.Parallel()
	r := place(t, "execution.txtar")
	log("executor", line("task_blocked", "T002", "12:00:00Z"))(r)
	before := find(r)
	if before.Tasks[1].State != checkpoint.Blocked {
		t.Fatalf("%v is not blocked", before.Tasks[1])
	}
	for _, name := range []string{sources.Continue, sources.Answer, sources.SkipUnit, sources.ReviewIt, sources.StartFresh} {
		if !slices.ContainsFunc(before.Alternatives, func(a sources.Alternative) bool { return a.Name == name }) {
			t.Errorf("%s is not offered: %v", name, before.Alternatives)
		}
	}
	f := act(r, sources.ActionRequest{Name: sources.Answer, Task: "T002", Text: "use \"smtp\"\nnot 'sendmail'"})
	if got := f.Tasks[1]; got.State != checkpoint.Active || len(f.Questions) != 0 || f.Point.Reason != "a person answered what it waited for" {
		t.Errorf("answered, and it is %v with %v", got, f.Questions)
	}
	if !f.Active.Equal(before.Active) {
		t.Errorf("our own event counts as activity: %v", f.Active)
	}
	// A second event within the same second is appended to the same file. It wins because it is later in the log.
	f = act(r, sources.ActionRequest{Name: sources.RestartUnit})
	if got := f.Tasks[1]; got.State != checkpoint.Active || f.Point.Task != "T002" {
		t.Errorf("restarted, and it is %v, going on at %v", got, f.Point)
	}
	f = act(r, sources.ActionRequest{Name: sources.SkipUnit})
	if got := f.Tasks[1]; got.State != checkpoint.Skipped || f.Point.Task != "T003" {
		t.Errorf("skipped, and it is %v, going on at %v", got, f.Point)
	}
	f = act(r, sources.ActionRequest{Name: sources.StartFresh})
	if f.State != sources.Ended {
		t.Errorf("closed, and it is %s", f.State)
	}
}

func TestAct_continueWritesNothing(t *testing.T) {
	t.Parallel()
	r := place(t, "execution.txtar")
	f := find(r)
	v, done := View(r)
	defer done()
	if changes, err := New().Act(t.Context(), v, &f, sources.ActionRequest{Name: sources.Continue}); err != nil || changes != nil {
		t.Errorf("continue gives %v, %v", changes, err)
	}
	for _, w := range []sources.ActionRequest{{Name: sources.SkipUnit, Task: "T001"}, {Name: sources.RestartUnit, Task: "T004"}, {Name: sources.Answer, Text: "x"}, {Name: sources.Repair}} {
		if changes, err := New().Act(t.Context(), v, &f, w); err == nil {
			t.Errorf("%v gives %v", w, changes)
		}
	}
}

func TestFind_passesOverWhatFailedTooOften(t *testing.T) {
	t.Parallel()
	r := place(t, "execution.txtar")
	log("v", line("task_failed", "T002", "12:00:00Z")+line("task_failed", "T002", "12:10:00Z")+line("task_failed", "T002", "12:20:00Z"))(r)
	f := find(r)
	if f.Point.Task != "T004" || f.State != sources.Interrupted || f.Tasks[1].Attempts != 3 || len(f.Questions) != 1 {
		t.Errorf("goes on at %v, %s, %v, %v", f.Point, f.State, f.Tasks[1], f.Questions)
	}
	log("w", line("task_completed", "T004", "12:30:00Z"))(r)
	if f := find(r); f.State != sources.Waiting || f.Point.Task != "T002" {
		t.Errorf("nothing else is left: %s at %v", f.State, f.Point)
	}
}

func TestFind_waitsForWhatWasEscalated(t *testing.T) {
	t.Parallel()
	r := place(t, "execution.txtar")
	log("v", `{"event_type":"escalation","event_id":"e9","timestamp":"2026-11-10T12:00:00Z","details":{"description":"which way?","options":["left","right"],"requires_response":true}}`)(r)
	if f := find(r); f.State != sources.Waiting || len(f.Questions) != 1 || len(f.Questions[0].Options) != 2 {
		t.Errorf("%s with %v", f.State, f.Questions)
	}
	if f := act(r, sources.ActionRequest{Name: sources.Answer, Task: "escalation/e9", Text: "left"}); f.State != sources.Interrupted || len(f.Questions) != 0 {
		t.Errorf("answered, and it is %s with %v", f.State, f.Questions)
	}
}

func TestFind_knowsAnApprovalByItsEvent(t *testing.T) {
	t.Parallel()
	for text, approved := range map[string]bool{
		`{"event_type":"artifact-approved","timestamp":"2026-11-10T12:00:00Z","details":{"artifact_type":"plan","approval_type":"human"}}`:                                                                   true,
		`{"event_type":"artifact-approved","timestamp":"2026-11-10T12:00:00Z","details":{"artifact_type":"plan","approval_type":"automated"}}`:                                                               false,
		`{"event_type":"artifact-approved","timestamp":"2026-11-10T12:00:00Z","details":{"artifact_type":"prd"}}`:                                                                                            false,
		`{"event_type":"phase-gate-passed","timestamp":"2026-11-10T12:00:00Z","details":{"phase":1}}`:                                                                                                        true,
		`{"event_type":"phase-gate-passed","timestamp":"2026-11-10T12:00:00Z","details":{"phase":0}}`:                                                                                                        false,
		`{"event_type":"phase_gate_passed","timestamp":"2026-11-10T12:00:00Z","details":{"phase":1}}` + "\n" + `{"event_type":"phase_gate_passed","timestamp":"2026-11-10T13:00:00Z","details":{"phase":9}}`: true,
	} {
		r := place(t, "planned.txtar")
		log("orchestrator", text)(r)
		f := find(r)
		// After the approval, the next step is to write the constitution.
		if want := map[bool]string{true: "constitution", false: "approval"}[approved]; f.Point.Task != want {
			t.Errorf("%s: goes on at %v", text, f.Point)
		}
	}
}

func TestFind_keepsTheOrderOfOneLog(t *testing.T) {
	t.Parallel()
	r := place(t, "execution.txtar")
	log("v", line("task_started", "T004", "12:30:00Z")+line("task_completed", "T004", "12:00:00Z")+`{"event_type":"task_failed","task_id":"T003"}`)(r)
	f := find(r)
	if f.Tasks[3].State != checkpoint.Done || f.Tasks[2].State != checkpoint.Failed || f.Doubts[0].Code != "clock-backwards" {
		t.Errorf("%v, %v, %v", f.Tasks[3], f.Tasks[2], f.Doubts)
	}
}

func TestFind_readsLogsThatAreWrittenBadly(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"glued":         `{"event_type":"task_st` + line("task_completed", "T002", "12:00:00Z"),
		"glued at end":  line("task_failed", "T002", "12:00:00Z") + `{"event_type":"task_st` + strings.TrimSpace(line("task_completed", "T002", "12:30:00Z")),
		"several lines": "{\n\t\"event_type\": \"task_completed\",\n\t\"task_id\": \"T002\",\n\t\"timestamp\": \"2026-11-10T12:00:00Z\"\n}\n",
		"a list":        "[\n" + strings.TrimSpace(line("task_failed", "T002", "11:00:00Z")) + ",\n" + line("task_completed", "T002", "12:00:00Z") + "]\n",
		"seconds":       `{"event_type":"task_completed","task_id":"T002","timestamp":1794398400}` + "\n",
		"milliseconds":  `{"event_type":"task_completed","task_id":"T002","timestamp":1794398400000}` + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := place(t, "execution.txtar")
			log("bad", text)(r)
			f := find(r)
			if f.Tasks[1].State != checkpoint.Done || f.Point.Task != "T003" {
				t.Errorf("%v, %v, %v", f.Tasks[1], f.Point, f.Doubts)
			}
			for _, d := range f.Doubts {
				if strings.HasPrefix(name, "glued") && strings.Contains(d.Text, "left out") {
					t.Errorf("the event that was read is said to be left out: %s", d.Text)
				}
			}
		})
	}
}

func TestFind_leavesOtherFoldersAlone(t *testing.T) {
	t.Parallel()
	r := place(t, "execution.txtar")
	r.Write(".agent-memory/runs/archive/20250101-0900-old-a1b2/prd.md", "x")
	r.Write(".agent-memory/runs/index.yaml", "x")
	r.Write(".agent-memory/runs/odd-name/workflow-state.json", "{}")
	if found := Find(r, New()); len(found) != 2 || found[1].ID != "odd-name" {
		t.Errorf("found %v", found)
	}
}

func TestFind_takesTheGraphFromHistory(t *testing.T) {
	t.Parallel()
	r := place(t, "execution.txtar")
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "state")
	r.Write(graphAt, `{"tasks": [{"id": "T0`)
	f := find(r)
	if len(f.Tasks) != 4 || !f.Rebuilt || f.Point.Task != "T002" || f.Doubts[1].Code != sources.DoubtFallback {
		t.Errorf("%v, rebuilt %v, %v, %v", f.Tasks, f.Rebuilt, f.Point, f.Doubts)
	}
}

// An intact graph in another worktree must be preferred to an older committed version.
func TestFind_takesAWholeGraphBeforeAnOlderOne(t *testing.T) {
	t.Parallel()
	r := place(t, "execution.txtar")
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "state")
	r.Git("worktree", "add", "-q", "-b", "feature", "../feature")
	Replace(graphAt, `"tasks": [`, `"tasks": [{"id": "T009", "title": "added later"},`)(r.In(filepath.Join(r.Dir, "../feature")))
	r.Write(graphAt, `{"tasks": [{"id": "T0`)
	f := find(r)
	if len(f.Tasks) != 5 || f.Doubts[0].Code != sources.DoubtDamaged || f.Doubts[1].Code != sources.DoubtFallback || !strings.Contains(f.Doubts[1].Text, "was read from") {
		t.Errorf("%v, %v", f.Tasks, f.Doubts)
	}
	r.Write(dir+"task-graph.yaml", "tasks:\n  - id: T001\n  - id: T002\n")
	if f := find(r); len(f.Tasks) != 2 {
		t.Errorf("the other form of the same worktree is left out: %v, %v", f.Tasks, f.Doubts)
	}
}

func TestFind_neverCallsTheUnreadableFreshOrDone(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]Mutation{
		"garbage": Both(Add(orch, "\x00\x01"), Add(executor, "no\n")),
		"link":    Both(LeadOut(orch), LeadOut(executor)),
		"huge": func(r *gittest.Repo) {
			for _, path := range []string{orch, executor} {
				if err := os.Truncate(filepath.Join(r.Dir, path), 200<<20); err != nil {
					r.T.Fatal(err)
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := place(t, "execution.txtar")
			spoil(r)
			// The field Rebuilt must be true, so that the user must confirm before this run continues.
			f := find(r)
			if f.State != sources.Interrupted || !f.Rebuilt || len(f.Doubts) < 2 || f.Doubts[len(f.Doubts)-1].Code != sources.DoubtRebuilt {
				t.Errorf("%s, rebuilt %v, %v", f.State, f.Rebuilt, f.Doubts)
			}
			if f.Protocol["Tasks"] != "?/4 complete" || f.Alternatives[0].Name != sources.Continue || f.Alternatives[1].Name != sources.ReviewIt {
				t.Errorf("tells %v, offers %v", f.Protocol["Tasks"], f.Alternatives)
			}
		})
	}
}

func TestFind_findsBranchAndWorktree(t *testing.T) {
	t.Parallel()
	r := place(t, "execution.txtar")
	Replace(orch, `"details":{}`, `"details":{"branch_name":"feature/auth"}`)(r)
	if f := find(r); f.Branch != "" || f.Doubts[0].Code != sources.DoubtWorktree {
		t.Errorf("a branch that is not there: %q, %v", f.Branch, f.Doubts)
	}
	r.Git("branch", "feature/auth")
	if f := find(r); f.Branch != "refs/heads/feature/auth" || f.Worktree != "" || f.Wants != "../repo.worktrees/"+f.ID {
		t.Errorf("a branch without a worktree: %q in %q or %q", f.Branch, f.Worktree, f.Wants)
	}
	r.Git("worktree", "add", "-q", "../auth", "feature/auth")
	if f := find(r); filepath.Base(f.Worktree) != "auth" || f.Home != r.Dir {
		t.Errorf("works in %q, home %q", f.Worktree, f.Home)
	}
	Replace(orch, "feature/auth", "main")(r)
	if f := find(r); f.Branch != "refs/heads/main" || f.Worktree != "" || f.Wants != "" {
		t.Errorf("on the branch of the main worktree: %q in %q or %q", f.Branch, f.Worktree, f.Wants)
	}
}

// A repository without agent-memory runs must cost almost nothing, so Find must not start git.
func TestFind_asksNobodyWhereNothingIs(t *testing.T) {
	t.Parallel()
	v := &sources.View{Now: Now, Trees: []sources.Tree{{Files: sources.Files{Top: t.TempDir()}}}} // the view has no repository, so a call of git would panic
	if found, err := New().Find(t.Context(), v); err != nil || len(found) != 0 {
		t.Errorf("found %v, %v", found, err)
	}
}

func TestNameOf(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{"20261110-0900-user-auth-a1b2": "user-auth", "2026-11-10-abcdef12": "2026-11-10-abcdef12", "x": "x"} {
		if got := nameOf(id); got != want {
			t.Errorf("%s is called %s", id, got)
		}
	}
}

func FuzzLogs(f *testing.F) {
	f.Add([]byte(line("task_started", "T1", "10:00:00Z") + `{"type":"x`))
	f.Add([]byte("- event_type: a\n  task_id: [1]\n"))
	f.Add([]byte(`{"task_graph":{"tasks":{"a":{"dependencies":["a"]}},"execution_order":[["a"],{"tasks":["a"]}]}}`))
	f.Add([]byte("---\ntitle: x\n---\n# T1: y\n- **Dependencies:** T2\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		events, lines, _ := parseLog(data)
		if len(events) != len(lines) && lines != nil {
			t.Errorf("%d events from %d lines", len(events), len(lines))
		}
		_, _ = parseOwnFile("a.yaml", data)
		for _, name := range []string{"a.json", "a.yaml"} {
			if g, err := parseGraph(name, data); err == nil {
				if c := g.cycle(); c != nil && c[0] != c[len(c)-1] {
					t.Errorf("%v is no circle", c)
				}
			}
		}
		_ = parseContract("T1", data)
		if v, err := textdoc.ParseJSON(data); err == nil {
			var w workflow
			w.parse(v)
		}
	})
}

// FuzzFold applies random events. Every task must end in a known state, and a state other than pending must come from an event.
func FuzzFold(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6}, uint8(3))
	f.Fuzz(func(t *testing.T, steps []byte, tasks uint8) {
		kinds := []string{"task-started", "task-completed", "task-failed", "task-blocked", "task-ready", "escalation-resolved", "task-created"}
		at := time.Date(2026, 11, 10, 0, 0, 0, 0, time.UTC)
		r := &memory{view: &sources.View{Now: at.Add(24 * time.Hour)}}
		l := &logs{memory: r}
		for i, s := range steps {
			e, ok := parseEvent(must(json.Marshal(map[string]any{"event_type": kinds[int(s)%len(kinds)], "task_id": string(rune('A' + int(s)%(1+int(tasks)%5)))})))
			if !ok {
				t.Fatal("no event")
			}
			e.at = at.Add(time.Duration(i) * time.Second)
			l.events = append(l.events, e)
		}
		fold := l.fold()
		for id, m := range fold.tasks {
			if rank(m.state) < 0 {
				t.Errorf("%s is in no state: %q", id, m.state)
			}
			if m.by == nil && m.state != checkpoint.Pending {
				t.Errorf("%s is %s, and nothing says so", id, m.state)
			}
		}
	})
}

func must(data []byte, err error) textdoc.Value {
	if err != nil {
		panic(err)
	}
	v, err := textdoc.ParseJSON(data)
	if err != nil {
		panic(err)
	}
	return v
}

func FuzzNames(f *testing.F) {
	Trees{Names: []string{"task-graph.json", "events", "T.md", "2026-.yaml"}}.Fuzz(f, New())
}
