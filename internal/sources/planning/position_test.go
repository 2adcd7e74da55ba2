package planning

import (
	"fmt"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

const fourPhases = "- [x] **Phase 1: Ground**\n- [ ] **Phase 2: Editor**\n- [ ] **Phase 3: Export**\n- [ ] **Phase 5: Release**\n"

// TestPosition: phase 4 was carried out before phases 2 and 3. The next phase must be the one that STATE.md names. If STATE.md is older
// than the last summary, or if the named phase is over, the next phase must be 5.
func TestPosition(t *testing.T) {
	t.Parallel()
	for position, want := range map[string]string{
		"Phase: 2 of 5 (Editor)\nStatus: Phase 4 complete; back to phase 2": "2",
		"Phase: Phase 3 (Export)":                       "3",
		"Phase: 7 (Dashboard) - in progress":            "7", // counts, although the roadmap does not name phase 7
		"Phase: 1 of 5 (Ground)":                        "5", // phase 1 is over, so it does not count, and work continues after phase 4
		"Phase: 2 of 5\nStatus: Phase 2 complete":       "5",
		"Phase: 4 of 5 (Menu) - COMPLETE\nPlan: 1 of 1": "5",
		"Status: In progress":                           "5",
	} {
		r := gittest.New(t)
		sourcetest.Place(r, "testdata/project.txtar")
		both(remove(".planning/phases"), done("phases/01-foundation/01-01", "phases/04-menu/04-01"))(r)
		r.Write(roads, fourPhases+"- [x] **Phase 4: Menu**\n")
		write := func(second, file, text string) {
			r.Write(file, text)
			r.Git("add", "-A")
			date := "2030-01-02T04:04:" + second + "Z"
			r.With("GIT_COMMITTER_DATE="+date, "GIT_AUTHOR_DATE="+date).Git("commit", "-q", "-m", "docs: progress")
		}
		at := func(want string) {
			t.Helper()
			found := sourcetest.Find(r, New())
			if len(found) != 1 || found[0].Point.Task != want || len(found[0].Doubts) > 0 && want == "2" {
				t.Errorf("%s: %+v", position, found)
			}
		}
		write("01", state, "# State\n\n## Current Position\n\n"+position+"\n")
		at(want)
		planned("phases/03-export/03-01")(r)
		if want == "3" {
			at("03-01") // phase 3 has a plan now, so the plan comes next
		}
		remove(".planning/phases/03-export")(r)
		write("02", ".planning/phases/04-menu/04-01-SUMMARY.md", "done, and later than STATE.md\n")
		at("5")
	}
}

// TestMilestone_morePhases: the status "completed" is about a phase if STATE.md itself says that more phases are left. Only the words
// "milestone complete" are about the whole milestone.
func TestMilestone_morePhases(t *testing.T) {
	t.Parallel()
	counts := "progress:\n  total_phases: 2\n  completed_phases: 1\n  total_plans: 1\n  completed_plans: 1\n"
	never := strings.Replace(counts, "completed_phases: 1", "completed_phases: 0", 1)
	for text, over := range map[string]bool{
		"---\nstatus: completed\n" + never + "---\n# State\n":                                        true,
		"---\nstatus: completed\n---\n# State\n":                                                     true,
		"---\nstatus: completed\n" + counts + "---\n# State\n":                                       false,
		"---\nstatus: Milestone complete\n" + counts + "---\n# State\n":                              true,
		"# State\n\n## Current Position\n\nPhase: 1 of 2 (Ground)\nPlan: 1 of 1\nStatus: Complete\n": false,
		"# State\n\n## Current Position\n\nPhase: 2 of 2 (Ground)\nPlan: 1 of 1\nStatus: Complete\n": true,
	} {
		r := gittest.New(t)
		sourcetest.Place(r, "testdata/project.txtar")
		both(remove(".planning/phases"), done("phases/01-foundation/01-01"))(r)
		r.Write(roads, "- [x] **Phase 1: Ground**\n- [ ] **Phase 2: Editor**\n")
		r.Write(state, text)
		if found := sourcetest.Find(r, New()); len(found) != 1 || (found[0].Over != "") != over || found[0].Point.Task != "2" {
			t.Errorf("%s: %+v", text, found)
		}
	}
}

// TestMilestone_words: these are words with which people say that a milestone is over.
func TestMilestone_words(t *testing.T) {
	t.Parallel()
	for status, over := range map[string]bool{
		"milestone_complete": true, "Milestone v1.2 complete": true, "v1.2 milestone complete": true, "between_milestones": true, "Awaiting next milestone": true,
		"Ready to plan next milestone": true, "ready_for_next_milestone": true, "v1.1 complete - planning next milestone": true,
		"Milestone v1.2 created. Ready to plan phase 7": false, "milestone-audit-pending": false, "v1.2 tools complete, ready for phase 3": false, "Phase 3 complete": false, "": false,
	} {
		if got := endsMilestone(status); got != over {
			t.Errorf("%q: %v", status, got)
		}
	}
}

// TestEarlier: the plans of earlier phases do not show how near the end of the milestone is.
func TestEarlier(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	sourcetest.Place(r, "testdata/project.txtar")
	both(remove(".planning/phases"), both(done("phases/01-foundation/01-01", "phases/01-foundation/01-02", "phases/02-editor/02-01"), planned("phases/02-editor/02-02")))(r)
	r.Write(roads, "- [x] **Phase 1: Ground**\n- [ ] **Phase 2: Editor**\n")
	if found := sourcetest.Find(r, New()); len(found) != 1 || found[0].Point.Task != "02-02" || found[0].Earlier != 2 {
		t.Errorf("%+v", found)
	}
}

// TestRoadmapOnly: a project has a roadmap and no plans. If the roadmap shows a phase as closed, the project was started and is
// interrupted. Otherwise it was not started.
func TestRoadmapOnly(t *testing.T) {
	t.Parallel()
	for box, want := range map[string]sources.State{"[ ]": sources.NotStarted, "[x]": sources.Interrupted} {
		r := gittest.New(t)
		sourcetest.Place(r, "testdata/project.txtar")
		remove(".planning/phases")(r)
		r.Write(roads, "- "+box+" **Phase 1: Ground**\n- [ ] **Phase 2: Editor**\n")
		r.Write(state, "# State\n\n## Current Position\n\nPhase: 1 of 2 (Ground)\nStatus: Ready to plan\n")
		if found := sourcetest.Find(r, New()); len(found) != 1 || found[0].State != want {
			t.Errorf("%s: %+v", box, found)
		}
	}
}

// TestPosition_namedLast: STATE.md is older than a commit that names an open phase without plans. Then work continues at that phase.
func TestPosition_namedLast(t *testing.T) {
	t.Parallel()
	for subject, want := range map[string]string{"docs(02): research the phase": "2", "docs(1): wrap up": "3", "docs: research phase 2": "3"} {
		r := gittest.New(t)
		sourcetest.Place(r, "testdata/project.txtar")
		both(remove(".planning/phases"), done("phases/01-foundation/01-01"))(r)
		r.Write(roads, "- [x] **Phase 1: Ground**\n- [ ] **Phase 2: Editor**\n- [ ] **Phase 3: Export**\n")
		r.Write(state, "# State\n\n## Current Position\n\nPhase: 3 of 3 (Export)\nStatus: Ready to plan\n")
		for i, s := range []string{"docs: progress", subject} {
			r.Git("add", "-A")
			date := fmt.Sprintf("2030-01-02T04:04:0%dZ", i)
			r.With("GIT_COMMITTER_DATE="+date, "GIT_AUTHOR_DATE="+date).Git("commit", "-q", "--allow-empty", "-m", s)
		}
		if found := sourcetest.Find(r, New()); len(found) != 1 || found[0].Point.Task != want {
			t.Errorf("%s: %+v", subject, found)
		}
	}
}

// TestPosition_currentPlan: some versions of the planning system name the current plan only at the start of STATE.md. If this plan belongs
// to phase 2, then phase 1 is over.
func TestPosition_currentPlan(t *testing.T) {
	t.Parallel()
	for start, want := range map[string]string{"current_plan: 02-01\n": "02", "": "01"} {
		r := gittest.New(t)
		sourcetest.Place(r, "testdata/project.txtar")
		both(remove(".planning/phases"), both(planned("phases/01-foundation/01-01"), done("phases/01-foundation/01-01")))(r)
		r.Write(roads, "- [ ] **Phase 1: Ground**\n- [ ] **Phase 2: Editor**\n")
		r.Write(state, "---\n"+start+"status: executing\n---\n# State\n")
		if found := sourcetest.Find(r, New()); len(found) != 1 || strings.TrimLeft(found[0].Point.Task, "0") != strings.TrimLeft(want, "0") {
			t.Errorf("%q: %+v", start, found)
		}
	}
}

// TestAwaits: a last phase that waits for its verification is not over, whatever else is committed.
func TestAwaits(t *testing.T) {
	t.Parallel()
	for status, want := range map[string]bool{"verifying": true, "executing": false, "Phase complete - ready for verification": true} {
		r := gittest.New(t)
		sourcetest.Place(r, "testdata/project.txtar")
		both(remove(".planning/phases"), both(planned("phases/01-foundation/01-01"), done("phases/01-foundation/01-01")))(r)
		r.Write(roads, "- [ ] **Phase 1: Ground**\n")
		r.Write(state, "---\nstatus: "+status+"\n---\n# State\n")
		if found := sourcetest.Find(r, New()); len(found) != 1 || found[0].Awaits != want {
			t.Errorf("%s: %+v", status, found)
		}
	}
}

// TestOvertaken: a plan has no summary, and a plan of a later phase has one. Then the earlier plan counts as overtaken, and not as left to
// do.
func TestOvertaken(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	sourcetest.Place(r, "testdata/project.txtar")
	both(remove(".planning/phases"), both(planned("phases/01-foundation/01-01", "phases/02-editor/02-02"), done("phases/02-editor/02-01")))(r)
	found := sourcetest.Find(r, New())
	if len(found) != 1 || !found[0].Tasks[0].Overtaken || found[0].Tasks[len(found[0].Tasks)-1].Overtaken {
		t.Errorf("%+v", found)
	}
}
