package planning

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

const (
	state   = ".planning/STATE.md"
	roads   = ".planning/ROADMAP.md"
	editor  = ".planning/phases/02-editor/"
	note    = editor + ".continue-here.md"
	marker  = ".planning/current-agent-id.txt"
	history = ".planning/agent-history.json"
)

var (
	replace = sourcetest.Replace
	remove  = sourcetest.Remove
	add     = sourcetest.Add
	both    = sourcetest.Both
)

// done writes a summary for each of the given plans. A plan with a summary counts as done.
func done(files ...string) sourcetest.Mutation {
	return func(r *gittest.Repo) {
		for _, f := range files {
			r.Write(".planning/"+f+"-SUMMARY.md", "done\n")
		}
	}
}

// planned writes a plan file for each of the given names.
func planned(files ...string) sourcetest.Mutation {
	return func(r *gittest.Repo) {
		for _, f := range files {
			r.Write(".planning/"+f+"-PLAN.md", "---\nplan: 1\n---\n")
		}
	}
}

func TestRequirements(t *testing.T) {
	t.Parallel()
	finished := both(done("phases/02-editor/02-02"), replace(roads, "- [ ]", "- [x]"), replace(roads, "Not started", "Complete"), replace(roads, "In progress", "Complete"))
	sourcetest.Run(t, New(), []sourcetest.Case{
		{IDs: "P-1", In: "project.txtar",
			Want:   `[{"source":"planning","id":"repo","state":"interrupted","tasks":[{"id":"01-01","state":"done","evidence":".planning/phases/01-foundation/01-01-SUMMARY.md"},{"id":"01-02","state":"done"},{"id":"02-01","state":"done","phase":"02-editor"},{"id":"02-02","state":"pending","title":"Give the editor a menu.","needs":["02-01"],"files":["src/menu.go"]},{"id":"3","state":"pending","title":"Export"}]}]`,
			Mutate: done("phases/02-editor/02-02"), Then: `[{"tasks":[{},{},{},{"id":"02-02","state":"done"},{}]}]`},
		{IDs: "P-1", In: "project.txtar", Prepare: add(editor+"02-02-SUMMARY.md", ""), Want: `[{"point":{"task":"02-02"},"tasks":[{},{},{},{"state":"unknown"},{}],"doubts":[{"code":"state-damaged"}]}]`,
			Mutate: done("phases/02-editor/02-02"), Then: `[{"doubts":[{"code":"status-disagrees"}]}]`},
		{IDs: "P-2", In: "project.txtar note.txtar", Prepare: planned("phases/02-editor/02-03"),
			Want: `[{"state":"paused","cause":"paused","point":{"task":"02-02","reason":"a note was left in .planning/phases/02-editor/.continue-here.md: task 3 of 7, in_progress"},
				"headline":"paused in phase 02-editor; a note was left in .planning/phases/02-editor/.continue-here.md: task 3 of 7, in_progress","active":"2026-02-09T14:30:00Z","command":"/gsd:resume-work",
				"protocol":{"continue_here":{"phase":"02-editor","task":"3","total_tasks":"7","status":"in_progress","last_updated":"2026-02-09T14:30:00Z"}}}]`,
			Mutate: replace(note, "task: 3\n", "plan: 01\ntask: 3\n"), Then: `[{"state":"interrupted","point":{"task":"02-02"},"doubts":[{"code":"stale-marker","text":"the note in .planning/phases/02-editor/.continue-here.md is outdated: plan 02-01 has a summary, so it is done"}]}]`},
		{IDs: "P-2", In: "project.txtar note.txtar", Prepare: done("phases/02-editor/02-02"), Want: `[{"state":"review","doubts":[{"code":"stale-marker","text":"the note in .planning/phases/02-editor/.continue-here.md is outdated: all plans of phase 02 have summaries"},"…"]}]`,
			Mutate: replace(note, "task: 3\n", "task: post-phase\n"), Then: `[{"state":"paused","point":{"task":"02-editor"}}]`},
		{IDs: "P-3", In: "project.txtar", Want: `[{"point":{"task":"02-02","title":"Give the editor a menu.","reason":"the next plan without a summary in the newest phase with summaries"},"command":"/gsd:execute-phase 02"}]`,
			Mutate: both(done("phases/02-editor/02-02"), replace(roads, "- [ ] **Phase 2", "- [x] **Phase 2"), planned("phases/03-export/03-01")), Then: `[{"point":{"task":"03-01","reason":"the next plan without a summary"}}]`},
		{IDs: "P-3", In: "project.txtar", Prepare: both(replace(state, "Completed 02-01-PLAN.md", "planned"), both(remove(".planning/phases"), planned("phases/01-foundation/01-01", "phases/02-editor/02-01"))), Want: `[{"state":"not started","point":{"task":"01-01"}}]`,
			Mutate: done("phases/02-editor/02-01"), Then: `[{"point":{"task":"02"}}]`},
		{IDs: "P-3", In: "project.txtar", Prepare: both(remove(".planning/phases"), planned("phases/01-foundation/01-01", "phases/01-foundation/01-02", "phases/01-foundation/01-03"), done("phases/01-foundation/01-02"),
			add(".planning/phases/01-foundation/01-PLAN-04.md", "# four\n")), Want: `[{"point":{"task":"01-03"}}]`,
			Mutate: both(add(".planning/phases/01-foundation/01-01-PLAN.md", "---\nwave: 1\n---\n"), add(".planning/phases/01-foundation/01-02-PLAN.md", "---\nwave: 1\n---\n")), Then: `[{"point":{"task":"01-01"}}]`},
		{IDs: "P-3", In: "project.txtar", Prepare: both(remove(".planning/phases"), planned("phases/01-foundation/01-03"), done("phases/01-foundation/01-03")), Want: `[{"point":{"task":"2"}}]`,
			Mutate: add(".planning/phases/01-foundation/01-PLAN-04.md", "# four\n"), Then: `[{"point":{"task":"01-04"}}]`},
		// STATE.md says that a plan is complete, and its summary is missing: STATE.md is believed
		{IDs: "P-3", In: "project.txtar", Prepare: both(remove(editor+"02-01-SUMMARY.md"), planned("phases/02-editor/02-03")),
			Want:   `[{"headline":"3 of 5 plans are done; next is 02-02","point":{"task":"02-02"},"tasks":[{},{},{"id":"02-01","state":"done","evidence":".planning/STATE.md"},{"state":"pending"},{},{}],"doubts":[{"code":"done-no-evidence","severity":"info","text":"STATE.md says that plan 02-01 is complete, but it has no summary"}]}]`,
			Mutate: replace(state, "Completed 02-01-PLAN.md", "Completed 02-02-PLAN.md"), Then: `[{"point":{"task":"02-03"}}]`},
		{IDs: "P-3", In: "project.txtar", Prepare: both(planned("phases/02-editor/02-03", "phases/02-editor/02-04"), replace(state, "Plan: 1 of 2 in current phase", "Plan: 3 of 4")), Want: `[{"point":{"task":"02-03"}}]`,
			Mutate: replace(state, "Plan: 3 of 4", "Plan: 3 of 4 planned"), Then: `[{"point":{"task":"02-02"}}]`},
		{IDs: "P-3", In: "project.txtar", Prepare: both(remove(editor+"02-01-SUMMARY.md"), both(replace(state, "Plan: 1 of 2 in current phase", "Plan: 2 of 2"), replace(state, "Status: In progress", "Status: Phase complete"))), Want: `[{"point":{"task":"3"}}]`,
			Mutate: planned("phases/02-editor/02-03"), Then: `[{"point":{"task":"02-03"}}]`}, // this plan was added to close a gap, after the phase was complete
		{IDs: "P-3", In: "project.txtar", Prepare: both(replace(state, "Plan: 1 of 2 in current phase", "Plan: 02-02 complete"), replace(roads, "- [ ] **Phase 2", "- [x] **Phase 2")), Want: `[{"point":{"task":"3"}}]`,
			Mutate: replace(state, "Plan: 02-02 complete", "Plan: 02-02 executing"), Then: `[{"point":{"task":"02-02"}}]`},
		// a plan of the same wave may still be open, because STATE.md only counts the plans that are finished
		{IDs: "P-3", In: "project.txtar", Prepare: both(both(add(editor+"02-02-PLAN.md", "---\nwave: 1\n---\n"), add(editor+"02-03-PLAN.md", "---\nwave: 1\n---\n")), both(done("phases/02-editor/02-03"), replace(state, "Plan: 1 of 2 in current phase", "Plan: 3 of 4"))), Want: `[{"point":{"task":"02-02"}}]`,
			Mutate: replace(editor+"02-02-PLAN.md", "wave: 1", "wave: 2"), Then: `[{"point":{"task":"02","reason":"all plans of phase 02 are done, but the phase is still open in ROADMAP.md"}}]`},
		// a heading of the roadmap ends in a word for done: its plans count as done
		{IDs: "P-3", In: "project.txtar", Prepare: replace(roads, "## Progress", "### Phase 2: Editor — complete\n\n## Progress"), Want: `[{"point":{"task":"3"},"tasks":[{},{},{},{"id":"02-02","state":"done","evidence":".planning/ROADMAP.md"},{}],"doubts":[{"code":"done-no-evidence","text":"ROADMAP.md says that plan 02-02 is complete, but it has no summary"}]}]`,
			Mutate: replace(roads, "Editor — complete", "Editor — incomplete"), Then: `[{"point":{"task":"02-02"}}]`},
		{IDs: "P-4", In: "project.txtar", Prepare: both(remove(".planning/phases"), remove(roads), planned("phases/110.1-urgent/110.1-01", "phases/110-ten/110-01", "phases/42-x/42-01-FIX10", "phases/42-x/42-01-FIX6", "phases/42-x/42-01", "phases/9-y/9-01", "quick/002-b/002", "quick/001-a/001")),
			Want:   `[{"tasks":[{"id":"9-01"},{"id":"42-01"},{"id":"42-01-FIX6"},{"id":"42-01-FIX10"},{"id":"110-01"},{"id":"110.1-01"},{"id":"001","phase":"quick"},{"id":"002"}],"point":{"task":"9-01"}}]`,
			Mutate: done("phases/110-ten/110-01"), Then: `[{"point":{"task":"110.1-01"}}]`},
		{IDs: "P-4", In: "project.txtar", Prepare: both(finished, planned("quick/001-a/001", "quick/002-b/002"), done("quick/001-a/001")), Want: `[{"state":"interrupted","point":{"task":"002"},"command":"/gsd:quick"}]`,
			Mutate: both(remove(".planning/quick/001-a/001-SUMMARY.md"), done("quick/002-b/002")), Then: `[{"state":"complete"}]`},
		{IDs: "P-5", In: "project.txtar", Prepare: planned("phases/01-foundation/01-03"), Want: `[{"point":{"task":"02-02"},"doubts":[{"code":"older-work-open","severity":"info","text":"plan 01-03 has no summary, but later phases do: it was skipped"}]}]`,
			Mutate: done("phases/01-foundation/01-03"), Then: `[{"point":{"task":"02-02"},"doubts":null}]`},
		{IDs: "P-5", In: "project.txtar", Prepare: both(finished, planned("phases/01-foundation/01-03")), Want: `[{"state":"complete","point":{"task":null},"doubts":[{"code":"older-work-open"},"…"]}]`,
			Mutate: both(replace(roads, "- [x] **Phase 1", "- [ ] **Phase 1"), replace(roads, "| 1. Foundation | 2/2 | Complete |", "| 1. Foundation | 2/3 | In progress |")), Then: `[{"state":"review","point":{"task":null}}]`},
		{IDs: "P-6", In: "project.txtar agent.txtar", Want: `[{"state":"interrupted","session":"e06180a4-325b-4c40-84c8-356c3ce8340d","headline":"plan 02-02 is not finished; agent e06180a4-325b-4c40-84c8-356c3ce8340d was spawned at 2026-02-09T10:00:00Z",
				"point":{"task":"02-02","reason":"agent e06180a4-325b-4c40-84c8-356c3ce8340d was working on it"},"tasks":[{},{},{},{"state":"active","raw":"spawned"},{}],"alternatives":[{"name":"continue"},{"name":"resume-agent"},{"name":"start-fresh"}]}]`,
			Mutate: done("phases/02-editor/02-02"), Then: `[{"session":null,"state":"review","doubts":[{"code":"stale-marker"},"…"],"alternatives":[{"name":"continue"},{"name":"start-fresh"},{"name":"clean-up","text":"remove leftover files: .planning/current-agent-id.txt"}]}]`},
		{IDs: "P-6", In: "project.txtar agent.txtar", Prepare: add(history, `{"version":"1.0","entries":[]}`), Want: `[{"state":"interrupted","doubts":[{"code":"agent-unknown"}],"protocol":{"agent_id":"e06180a4-325b-4c40-84c8-356c3ce8340d"},"point":{"task":"02-02"}}]`,
			Mutate: finished, Then: `[{"state":"complete","doubts":[{"code":"stale-marker","text":"the marker of agent e06180a4-325b-4c40-84c8-356c3ce8340d is left over: all plans of phase 02 have summaries, and no later phase has a plan"},"…"]}]`},
		// the plan of the agent has no file, so the work continues at another plan, and the reason does not name the agent
		{IDs: "P-6", In: "project.txtar agent.txtar", Prepare: replace(history, `"plan": "02"`, `"plan": "07"`), Want: `[{"headline":"plan 02-07 is not finished; agent e06180a4-325b-4c40-84c8-356c3ce8340d was spawned at 2026-02-09T10:00:00Z","point":{"task":"02-02","reason":"the next plan without a summary in the newest phase with summaries"}}]`,
			Mutate: planned("phases/02-editor/02-07"), Then: `[{"point":{"task":"02-07","reason":"agent e06180a4-325b-4c40-84c8-356c3ce8340d was working on it"}}]`},
		{IDs: "P-6", In: "project.txtar agent.txtar", Prepare: remove(marker), Want: `[{"state":"interrupted","session":null,"point":{"reason":"the next plan without a summary in the newest phase with summaries"}}]`,
			Mutate: finished, Then: `[{"state":"complete","session":null}]`},
		{IDs: "P-7", In: "project.txtar", Prepare: finished, Want: `[{"state":"complete","headline":"4 of 4 plans have summaries","alternatives":null,"point":{"task":null}}]`,
			Mutate: both(replace(roads, "- [x] **Phase 3", "- [ ] **Phase 3"), replace(roads, "| 3. Export | 0/TBD | Complete", "| 3. Export | 0/TBD | Planned")), Then: `[{"state":"interrupted","point":{"task":"3"}}]`},
		{IDs: "P-7", In: "project.txtar", Prepare: finished, Want: `[{"state":"complete"}]`, Mutate: remove(editor + "02-02-SUMMARY.md"), Then: `[{"state":"interrupted","point":{"task":"02-02"}}]`},
		{IDs: "P-8", In: "project.txtar", Prepare: both(finished, replace(roads, "- [x] **Phase 3", "- [ ] **Phase 3"), replace(roads, "| 3. Export | 0/TBD | Complete", "| 3. Export | 0/TBD | Not started"), add(".planning/phases/03-export/03-CONTEXT.md", "x")),
			Want:   `[{"state":"interrupted","point":{"task":"03","title":"plan this phase: Export","reason":"phase 03 is open in ROADMAP.md, but has no plans"},"command":"/gsd:plan-phase 03","alternatives":[{"name":"continue","text":"plan this phase: Export"},{"name":"start-fresh"}]}]`,
			Mutate: planned("phases/03-export/03-01"), Then: `[{"point":{"task":"03-01"}}]`},
		{IDs: "P-8", In: "project.txtar", Prepare: both(finished, add(".planning/phases/04-extra/04-CONTEXT.md", "x")), Want: `[{"state":"complete"}]`,
			Mutate: replace(roads, "## Progress", "### Phase 4: Extra\n\n## Progress"), Then: `[{"state":"interrupted","point":{"task":"04"}}]`},
		{IDs: "P-9", In: "project.txtar", Prepare: replace(state, "Plan: 1 of 2", "Plan: 0 of 2"), Want: `[{"point":{"task":"02-02"},"doubts":[{"code":"status-disagrees","severity":"warning","text":"STATE.md is at phase 2, plan 0, but the later plan 02-01 has a summary"}]}]`,
			Mutate: replace(state, "Plan: 0 of 2", "Plan: 1 of 2"), Then: `[{"doubts":null}]`},
		{IDs: "P-9", In: "project.txtar", Prepare: replace(state, "Phase: 2 of 3", "Phase: 1 of 3"), Want: `[{"point":{"task":"02-02"},"doubts":[{"code":"status-disagrees"}]}]`,
			Mutate: replace(state, "Phase: 1 of 3", "Phase: 2 of 3"), Then: `[{"doubts":null}]`},
		{IDs: "P-6", In: "project.txtar agent.txtar note.txtar", Prepare: done("phases/02-editor/02-02"), Act: &sources.ActionRequest{Name: sources.CleanUp},
			Want:   `{"changes":[{"path":".planning/current-agent-id.txt","gone":true},{"path":".planning/phases/02-editor/.continue-here.md","gone":true}]}`,
			Mutate: both(remove(marker), remove(note)), Then: `{"error":"'clean-up' does not apply to planning:repo"}`},
		{IDs: "P-2", In: "project.txtar note.txtar", Prepare: both(done("phases/02-editor/02-02"), add(".planning/phases/01-foundation/.continue-here.md", "---\nphase: 01-foundation\ntask: 1\n---\n")), Act: &sources.ActionRequest{Name: sources.CleanUp}, // the clean-up removes the outdated notes of both phases
			Want:   `{"changes":[{"path":".planning/phases/01-foundation/.continue-here.md","gone":true},{"path":".planning/phases/02-editor/.continue-here.md","gone":true}]}`,
			Mutate: both(remove(".planning/phases/01-foundation/.continue-here.md"), remove(note)), Then: `{"error":"'clean-up' does not apply to planning:repo"}`},
		{IDs: "P-2", In: "project.txtar note.txtar", Prepare: both(planned("phases/03-export/03-01"), add(".planning/phases/03-export/.continue-here.md", "---\nphase: 03-export\ntask: 1\nlast_updated: 2026-02-09T14:45:00+02:00\n---\n")), // 14:45+02:00 is earlier than 14:30Z, although it comes later in alphabetical order
			Want:   `[{"point":{"task":"02-02"},"doubts":[{"code":"more-notes","severity":"warning","text":"there is another note in .planning/phases/03-export/.continue-here.md; the note in .planning/phases/02-editor/.continue-here.md is newer and counts"}]}]`,
			Mutate: replace(".planning/phases/03-export/.continue-here.md", "+02:00", "Z"), Then: `[{"point":{"task":"03-01"},"doubts":[{"code":"more-notes","text":"there is another note in .planning/phases/02-editor/.continue-here.md; the note in .planning/phases/03-export/.continue-here.md is newer and counts"}]}]`},
		{IDs: "P-8", In: "project.txtar", Prepare: both(finished, add(".planning/phases/04-extra/04-CONTEXT.md", "x")), // ROADMAP.md does not list phase 04, so the source must warn about it
			Want:   `[{"state":"complete","doubts":[{"code":"phase-unnamed","severity":"warning","text":".planning/phases/04-extra has no plans, and ROADMAP.md does not name phase 04"},"…"]}]`,
			Mutate: remove(roads), Then: `[{"state":"interrupted","point":{"task":"04","title":"plan this phase: 04-extra","reason":"phase 04 has no plans, and there is no ROADMAP.md"},"command":"/gsd:plan-phase 04","tasks":[{},{},{},{},{"id":"04","state":"pending"}]}]`},
		{IDs: "P-2", In: "project.txtar", Prepare: both(add(".planning/.continue-here.md", "---\ntask: 1\n---\n"), add(".planning/phases/03-export/.continue-here.md", "---\ntask: 1\n---\n")), // neither note has a time
			Want:   `[{"headline":"paused in phase 03-export; a note was left in .planning/phases/03-export/.continue-here.md: task 1 of ?","doubts":[{"code":"more-notes","text":"there is another note in .planning/.continue-here.md; the note in .planning/phases/03-export/.continue-here.md counts"}]}]`,
			Mutate: remove(".planning/phases/03-export/.continue-here.md"), Then: `[{"headline":"paused; a note was left in .planning/.continue-here.md: task 1 of ?"}]`},
		{IDs: "P-3", In: "project.txtar", Act: &sources.ActionRequest{Name: sources.StartFresh}, Want: `{"changes":[{"path":".planning","to":".planning-archive-20261114T120000Z"}]}`,
			Mutate: finished, Then: `{"error":"'start-fresh' does not apply to planning:repo"}`},
	}, nil)
}

// Without plan files, the source reads the position from STATE.md alone.
func TestFind_byTheStateFileAlone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text  string
		state sources.State
		point string
	}{
		"in the middle":            {"## Current Position\nPhase: 15 of 15 (IN PROGRESS)\nPlan: 1 of 2 complete\nStatus: Executing\nLast activity: 2026-02-20 - Completed 15-01-PLAN.md\n", sources.Interrupted, "15-02"},
		"at the end of a phase":    {"## Current Position\nPhase: 26.1 of 27 (Monitoring) - COMPLETE\nPlan: 1 of 1 in current phase\nStatus: Phase complete\n", sources.Interrupted, "27"},
		"at a plan":                {"## Current Position\nPhase: 3 of 5\nPlan: 2 of 4\nStatus: In progress\n", sources.Interrupted, "3-02"},
		"complete":                 {"## Current Position\nPhase: 15 of 15\nPlan: 2 of 2\nStatus: Complete\n", sources.Complete, ""},
		"complete by its counts":   {"---\nstatus: unknown\nprogress:\n  total_phases: 2\n  completed_phases: 2\n  total_plans: 9\n  completed_plans: 9\n---\n", sources.Complete, ""},
		"counts that are not met":  {"---\nstatus: unknown\nprogress:\n  total_phases: 2\n  completed_phases: 1\n  total_plans: 9\n  completed_plans: 9\n---\n", sources.Unknown, ""},
		"milestone, more to come":  {"## Current Position\nPhase: 14 of 15 (COMPLETE)\nPlan: All plans complete\nStatus: Milestone complete\nProgress: (84/84 plans complete - 100%)\n", sources.Interrupted, "15"},
		"free text at the end":     {"## Current Position\nPhase: 28 of 28 - COMPLETE\nPlan: 1 of 1\nStatus: it is LIVE\nProgress: 99%\n", sources.Unknown, ""},
		"empty":                    {"", sources.Corrupt, ""},
		"in the middle of a merge": {"<<<<<<< HEAD\nStatus: Complete\n=======\n>>>>>>> x\n", sources.Corrupt, ""},
	} {
		r := gittest.New(t)
		r.Write(state, c.text)
		found := sourcetest.Find(r, New())
		if len(found) != 1 || found[0].State != c.state || found[0].Point.Task != c.point {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

func TestFind_nothing(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	for range 2 {
		sourcetest.FindsNothing(t, r, New())
		r.Write(".planning/notes.txt", "mine")
	}
}

func TestFind_refusesWhatIsHostile(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	deep := strings.Repeat("[", 100000)
	for name, c := range map[string]struct {
		spoil sourcetest.Mutation
		code  string
	}{
		"phases lead out":   {func(r *gittest.Repo) { remove(".planning/phases")(r); link(r, out, ".planning/phases") }, sources.DoubtRefused},
		"note leads out":    {sourcetest.LeadOut(note), sources.DoubtRefused},
		"deep front matter": {add(state, "---\na: "+deep+"\n---\n"), sources.DoubtDamaged},
		"large roadmap": {func(r *gittest.Repo) {
			if err := os.Truncate(filepath.Join(r.Dir, roads), 200<<20); err != nil {
				t.Fatal(err)
			}
		}, sources.DoubtRefused},
	} {
		r := gittest.New(t)
		sourcetest.Place(r, "testdata/project.txtar")
		c.spoil(r)
		found := sourcetest.Find(r, New())
		if len(found) != 1 || found[0].State == sources.Complete || !slices.ContainsFunc(found[0].Doubts, func(d sources.Doubt) bool { return d.Code == c.code }) {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

func link(r *gittest.Repo, to, from string) {
	if err := os.Symlink(to, filepath.Join(r.Dir, from)); err != nil {
		r.T.Fatal(err)
	}
}

func FuzzParsers(f *testing.F) {
	f.Add("# R\n- [x] **Phase 1: A** - b\n| Phase | Status |\n|---|---|\n| 1. A | Done |\n- ✅ v1 — Phases 1-4 (shipped)\n## Phase 2: x\nStatus: y\n")
	f.Add("---\nprogress: {total_plans: 1, completed_plans: 1}\n---\n## Current Position\nPhase: 1 of 2\nPlan: 1/2\nLast activity: 2026-01-01 - Completed 01-01-PLAN.md\n")
	f.Fuzz(func(t *testing.T, text string) {
		var s stateFile
		_ = s.parse(text)
		var r roadmap
		r.parse(text)
		if len(r.phases) > 2000 {
			t.Errorf("%d phases", len(r.phases))
		}
	})
}

func FuzzNames(f *testing.F) {
	sourcetest.Trees{Names: []string{"-PLAN.md", "01--SUMMARY.md", "PLAN.md", "01-", "99.1-x"}}.Fuzz(f, New())
}
