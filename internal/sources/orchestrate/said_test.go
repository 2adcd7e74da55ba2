package orchestrate

import (
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

// storyWithHeading is a story file with its status in a separate section, "Status".
const storyWithHeading = "# Story 3.3: bricks\n\n## Status\n\nInProgress\n\n## Acceptance Criteria\n\n- it stands\n\n## Change Log\n\n| 1 | written |\n"

// A changed status must be reported only as a contradiction to the state file, and not also as a changed section. An edited change log
// must be reported as edited.
func TestSections_aStatusIsToldOnceAndNothingGrowsThatWasReplaced(t *testing.T) {
	t.Parallel()
	const file = "docs/stories/3.3.story.md"
	r := place(t, "epic-3")
	r.Write(file, storyWithHeading)
	commit(r, "2026-11-12T00:00:00Z", "as it was")
	replace(file, "InProgress", "Done")(r)
	commit(r, "2026-11-13T12:00:00Z", "done elsewhere")
	expect(t, r, `[{"doubts":[{"code":"ended-elsewhere","severity":"blocking","path":"docs/stories/3.3.story.md"}]}]`)
	replace(file, "written", "read")(r)
	commit(r, "2026-11-13T13:00:00Z", "another entry")
	expect(t, r, `[{"doubts":[{"code":"ended-elsewhere"},{"code":"story-changed","severity":"info","text":"section 'Change Log' of story 3.3 was edited since 2026-11-13 09:00"}]}]`)
}

// If no command of the system carries out the next step alone, the agent @master gets the step, together with the resume point.
func TestCommand_whatOrchestrateLeadsIsHandedToItsMasterWithThePoint(t *testing.T) {
	t.Parallel()
	r := place(t, "epic-3")
	expect(t, r, `[{"command":"@master orchestrate 3 at 3.3 with @dev","alternatives":[{"name":"continue","text":"continue at 3.3 with @dev, led by @master (orchestrate)"},"…"]}]`)
	r = place(t, "story-4.2", "sdc")
	expect(t, r, `[{"command":"@dev dev-develop-story 4.2","alternatives":[{"name":"continue","text":"continue at implement with @dev (dev-develop-story)"},"…"]}]`)
	replace(sdcState, "  - {phase: validate, agent: po, output: docs/qa/4.2-validation.md}\n", "")(r)
	expect(t, r, `[{"command":"@master orchestrate 4.2 at validate with @po"}]`)
}

// If the state file of a QA loop is broken, Find uses its story. The status of the story shows the next agent, and the change log may
// show the iteration.
func TestLoop_oneThatIsCutOffIsNoPhaseOfACycle(t *testing.T) {
	t.Parallel()
	const cut = `{"storyId": "2.1", "status": "in_pro`
	r := place(t, "loop-2.1")
	r.Write(loopState, cut)
	expect(t, r, `[{"id":"qa-2.1","state":"interrupted","rebuilt":true,"headline":"QA Loop for story 2.1, its iteration could not be read",
		"point":{"task":"review","reason":"the story says 'InReview'"},"command":"@qa qa-review-story 2.1","tasks":[{"id":"review","state":"active"}],
		"needs":[{"path":"docs/stories/2.1.story.md","for":"review of the story"}],
		"protocol":{"status_consistency":[{"story":"2.1","story_says":"InReview","interpretation":"has a state that cannot be read"}]}}]`)
	add("docs/stories/2.1.story.md", "# Story 2.1: the basket\n\n**Status:** InReview\n\n## Change Log\n\n| Version | Description |\n|---|---|\n| 2 | QA iteration 1: FAIL |\n| 3 | QA iteration 2: FAIL |\n")(r)
	expect(t, r, `[{"headline":"QA Loop for story 2.1, iteration 2, according to the change log of its story","point":{"task":"review"}}]`)

	r = place(t, "loop-2.1")
	remove(loopState)(r)
	r.Write("qa/2.1/loop-status.json", cut)
	replace("docs/stories/2.1.story.md", "InReview", "InProgress")(r)
	expect(t, r, `[{"point":{"task":"fix","reason":"the story says 'InProgress'"},"command":"@dev dev-develop-story 2.1"}]`)
	replace("docs/stories/2.1.story.md", "InProgress", "Done")(r)
	expect(t, r, `[{"state":"corrupt","headline":"QA Loop for story 2.1","tasks":null}]`)
}

// The inputs of an epic's next step must leave out stories that this step does not read.
func TestPlan_anEpicPassesOnOnlyWhatItsNextStepReads(t *testing.T) {
	t.Parallel()
	r := place(t, "epic-3")
	expect(t, r, `[{"point":{"task":"3.3"},"protocol":{"resume_from_phase":{"inputs":["docs/stories/epic-3-EXECUTION.yaml","docs/stories/3.3.story.md"]}}}]`)
	for _, s := range []string{"3.3: {status: in_progress", "3.4: {status: pending"} {
		id, _, _ := strings.Cut(s, ":")
		replace(epicState, s, id+": {status: completed")(r)
	}
	for _, f := range []string{"docs/stories/3.3.story.md", "docs/stories/3.4.story.md"} {
		add(f, "# Story x: y\n**Status:** Done\n")(r)
	}
	expect(t, r, `[{"point":{"task":"gate-2"},"protocol":{"resume_from_phase":{"inputs":["docs/stories/epic-3-EXECUTION.yaml","docs/stories/3.3.story.md","docs/stories/3.4.story.md"]}}}]`)
}

// The action that restarts one part and the action that starts from scratch must have different texts. The orchestrate tools use the same
// word for both.
func TestWays_toStartFromAPartIsToldApartFromStartingFromScratch(t *testing.T) {
	t.Parallel()
	for _, r := range []*gittest.Repo{place(t, "story-4.2", "sdc"), place(t, "epic-3")} {
		said := map[string]string{}
		for _, alt := range find(t, r)[0].Alternatives {
			said[alt.Name] = alt.Text
		}
		if !strings.Contains(said[sources.RestartUnit], ", not from scratch: ") || !strings.Contains(said[sources.StartFresh], "from scratch") {
			t.Errorf("to restart and to start fresh read alike:\n%s\n%s", said[sources.RestartUnit], said[sources.StartFresh])
		}
	}
}

// A story whose review passed is over if all its tasks are ticked and a later story was started.
func TestReview_passedAndLeftBehind(t *testing.T) {
	t.Parallel()
	const file, head = "docs/stories/5.1.story.md", "# Story 5.1: receipts\n\n## Status\n\nReady for Review\n\n## Tasks\n\n- [x] print\n\n## QA Results\n\n"
	const over = "its review is over, all its tasks are ticked, and the later story 5.2 was started"
	for results, want := range map[string]string{
		"### Final Status\n\n✓ Approved - Ready for Done\n":                                                 over,
		"#### Overall Assessment: ✅ PASSED\n":                                                               over,
		"### Final Status\n\n[✗ Changes Required - See unchecked items above]\n":                            "",
		"✓ Approved - Ready for Done\n\n### Second review\n\n✗ Changes Required - the print is too small\n": "",
		"It was looked at.\n": "",
	} {
		r := place(t, "review-5.1")
		r.Write(file, head+results)
		r.Write("docs/stories/5.2.story.md", "# Story 5.2: bills\n\n## Status\n\nDone\n")
		if found := find(t, r); len(found) != 1 || found[0].Over != want {
			t.Errorf("%s: %+v", results, found)
		}
		remove("docs/stories/5.2.story.md")(r)
		if found := find(t, r); len(found) != 1 || found[0].Over != "" {
			t.Errorf("%s, the newest story: %+v", results, found)
		}
	}
}

// A story is in review, and the file of its quality gate has a verdict. A verdict that asks for changes means that fixes come next, unless
// the story was committed again since: then the fixes are made, and the next review comes next.
func TestReview_gate(t *testing.T) {
	t.Parallel()
	at := func(r *gittest.Repo, second string) {
		r.Git("add", "-A")
		r.With("GIT_COMMITTER_DATE=2030-01-02T04:04:0"+second+"Z").Git("commit", "-q", "-m", "progress")
	}
	for gate, want := range map[string]string{"CONCERNS": "implement", "FAIL": "implement", "PASS": "close", "WAIVED": "close", "": "qa"} {
		r := place(t, "review-5.1")
		r.Write("docs/qa/gates/5.1-receipts.yml", "schema: 1\nstory: '5.1'\ngate: "+gate+"\nstatus_reason: 'the print is too small'\n")
		expect(t, r, `[{"id":"story-5.1","point":{"task":"`+want+`"}}]`)
		if want != "implement" {
			continue
		}
		expect(t, r, `[{"state":"interrupted","point":{"reason":"the story says 'InReview'; docs/qa/gates/5.1-receipts.yml says `+gate+`"},"command":"@dev dev-develop-story 5.1"}]`)
		at(r, "1")
		replace("docs/stories/5.1.story.md", "InReview", "InProgress")(r)
		expect(t, r, `[{"point":{"task":"implement"}}]`)
		replace("docs/stories/5.1.story.md", "InProgress", "Ready for Review")(r)
		at(r, "2")
		expect(t, r, `[{"point":{"task":"qa"}}]`)
	}
}

// Reasons are also true of a blocked review, of a blocked story and of a session without a current story.
func TestPoint_givesTheTrueReason(t *testing.T) {
	t.Parallel()
	r := place(t, "loop-2.1")
	replace(loopState, `"iteration": 2, "reviewedAt"`, `"iteration": 3, "reviewedAt"`)(r)
	replace(loopState, `"verdict": "REJECT", "issuesFound": 2`, `"verdict": "BLOCKED", "issuesFound": 2`)(r)
	expect(t, r, `[{"state":"waiting","point":{"reason":"the verdict of iteration 3 is BLOCKED"}}]`)

	r = place(t, "session")
	replace("docs/stories/.session-state.yaml", `current_story: "8.2"`, `current_story: ""`)(r)
	expect(t, r, `[{"headline":"Session for epic 8, story 8.2","point":{"task":"8.2","reason":"it is the first pending story of the session; its story is at phase 3 (Implement)"}}]`)

	r = place(t, "epic-3")
	replace(epicState, "3.3: {status: in_progress", "3.3: {status: blocked")(r)
	expect(t, r, `[{"point":{"task":"3.4","reason":"it is the first unfinished story of wave 2 that is not blocked: pending"}}]`)
}

// A story that counts as in progress because some of its boxes are ticked can be set back, as is offered.
func TestAct_setsBackAPartlyTickedStory(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Write("docs/stories/6.1.story.md", "# Story 6.1: x\n\n**Status:** Approved\n\n## Tasks\n\n- [x] a\n- [ ] b\n")
	expect(t, r, `[{"id":"story-6.1","alternatives":["…",{"name":"clean-up"},"…"]}]`)
	sourcetest.Do(r, New(), sources.ActionRequest{Name: sources.CleanUp})
	sourcetest.FindsNothing(t, r, New())
}
