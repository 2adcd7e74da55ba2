package planning

import (
	"cmp"
	"fmt"
	"testing"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

// TestStarted: a plan without a summary counts as started if a commit made after the plan carries out a part of it. Work continues at this
// plan.
func TestStarted(t *testing.T) {
	t.Parallel()
	for subject, begun := range map[string]string{
		"feat(01-01): parse the list":      "01-01",
		"test(1-1)!: add failing tests":    "01-01",
		"docs(01-01): create the plan":     "",
		"feat(01-02): parse another list":  "01-02",
		"feat(01-03): parse a third list":  "",
		"feat: parse the list as in 01-01": "",
		"feat(phase-1): parse the list":    "01-01",
		"fix(01-foundation): parse it":     "01-01",
		"docs(phase-1): the plan":          "",
		"feat(phase-9): parse the list":    "",
	} {
		r := gittest.New(t)
		sourcetest.Place(r, "testdata/project.txtar")
		both(remove(".planning/phases"), planned("phases/01-foundation/01-01", "phases/01-foundation/01-02"))(r)
		r.Git("add", "-A")
		r.Git("commit", "-q", "-m", "docs: plan it")
		r.With("GIT_COMMITTER_DATE=2030-01-02T04:04:05Z").Git("commit", "-q", "--allow-empty", "-m", subject)
		found := sourcetest.Find(r, New())
		want := sources.NotStarted
		if begun != "" {
			want = sources.Interrupted
		}
		if len(found) != 1 || found[0].State != want || found[0].Point.Task != cmp.Or(begun, "01-01") {
			t.Errorf("%s: %+v", subject, found)
		}
		for _, task := range found[0].Tasks {
			if (task.State == checkpoint.Active) != (task.ID == begun) {
				t.Errorf("%s: %+v", subject, task)
			}
		}
	}
}

// TestUnderWay: work continues at the plan that the newest commit names, even if an earlier phase is still open in the roadmap or has a
// pause note in its folder. When that plan gets a summary, work continues at the first open plan.
func TestUnderWay(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	sourcetest.Place(r, "testdata/project.txtar")
	both(remove(".planning/phases"), done("phases/01-foundation/01-01"), planned("phases/02-editor/02-01", "phases/02-editor/02-02"))(r)
	r.Write(".planning/ROADMAP.md", "- [ ] **Phase 1: Ground**\n- [ ] **Phase 2: Editor**\n")
	replace(state, "Completed 02-01-PLAN.md", "planned")(r)
	at := func(second int, subject, want string) {
		t.Helper()
		r.Git("add", "-A")
		r.With(fmt.Sprintf("GIT_COMMITTER_DATE=2030-01-02T04:04:%02dZ", second)).Git("commit", "-q", "--allow-empty", "-m", subject)
		if found := sourcetest.Find(r, New()); len(found) != 1 || found[0].Point.Task != want {
			t.Errorf("%s: %+v", subject, found)
		}
	}
	at(1, "docs(02): create the plans", "02-01")
	at(2, "feat(02-02): draw it", "02-02")
	done("phases/02-editor/02-02")(r)
	r.Write(".planning/phases/01-foundation/.continue-here.md", "---\nphase: 01-foundation\ntask: clean up\n---\n")
	at(3, "docs(02-02): complete the plan", "02-01")
	both(planned("phases/01-foundation/01-02"), remove(".planning/phases/01-foundation/.continue-here.md"))(r)
	at(4, "docs(01): one more plan", "02-01")
	at(5, "feat(01-02): repair the ground", "01-02") // an earlier phase counts too
}

// TestUnderWay_withoutSummaries: nobody writes summaries. Then two things together show where work continues: the phases that commits name,
// and the phase that STATE.md names. STATE.md alone does not show it.
func TestUnderWay_withoutSummaries(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	sourcetest.Place(r, "testdata/project.txtar")
	both(remove(".planning/phases"), planned("phases/01-foundation/01-01", "phases/03-export/03-01"))(r)
	r.Write(roads, "- [ ] **Phase 1: Ground**\n- [x] **Phase 2: Editor**\n- [ ] **Phase 3: Export**\n")
	r.Write(state, "# State\n\n## Current Position\n\nPhase: 3 of 3 (Export)\nStatus: Ready to execute\n")
	for i, c := range []struct{ subject, want string }{
		{"docs: plan it", "01-01"},
		{"feat(phase-1): lay the ground", "01-01"},
		{"feat(phase-2): write the editor", "03-01"}, // phase 2 is over and has no plan, so STATE.md decides
	} {
		r.Git("add", "-A")
		r.With(fmt.Sprintf("GIT_COMMITTER_DATE=2030-01-02T04:04:%02dZ", i)).Git("commit", "-q", "--allow-empty", "-m", c.subject)
		found := sourcetest.Find(r, New())
		if len(found) != 1 || found[0].Point.Task != c.want || (found[0].State == sources.NotStarted) != (i == 0) {
			t.Errorf("%s: %+v", c.subject, found)
		}
	}
}

// TestLeft: all plans of a phase have summaries, and STATE.md says that the phase is complete or names the next phase. Then work
// continues at the next phase, even if the roadmap still shows the completed phase as open.
func TestLeft(t *testing.T) {
	t.Parallel()
	for position, want := range map[string]string{
		"Phase: 1\nPlan: 1 of 1\nStatus: In progress":      "01",
		"Phase: 1\nPlan: 1 of 1\nStatus: Phase complete":   "2",
		"Phase: 1\nPlan: 1 of 1\nStatus: Phase 1 complete": "2",
		"Phase: 1\nPlan: 1 of 1\nStatus: Phase 0 complete": "01",
		"Phase: 1 (complete)\nPlan: 1 of 1":                "2",
		"Phase: 2\nPlan: Not started\nStatus: Not started": "2",
	} {
		r := gittest.New(t)
		sourcetest.Place(r, "testdata/project.txtar")
		both(remove(".planning/phases"), both(planned("phases/01-foundation/01-01"), done("phases/01-foundation/01-01")))(r)
		r.Write(roads, "- [ ] **Phase 1: Ground**\n- [ ] **Phase 2: Editor**\n")
		r.Write(state, "# State\n\n## Current Position\n\n"+position+"\n")
		if found := sourcetest.Find(r, New()); len(found) != 1 || found[0].Point.Task != want {
			t.Errorf("%s: %+v", position, found)
		}
		r.Write(roads, "- [ ] **Phase 1: Ground**\n") // phase 1 is now the last phase, so the next step is to close it
		if found := sourcetest.Find(r, New()); len(found) != 1 || found[0].Point.Task != "01" {
			t.Errorf("%s, the last phase: %+v", position, found)
		}
	}
}

// TestActive: a commit of STATE.md counts as activity, even if the file itself names an older time.
func TestActive(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	sourcetest.Place(r, "testdata/project.txtar")
	r.Git("add", "-A")
	r.With("GIT_COMMITTER_DATE=2030-01-02T04:04:05Z", "GIT_AUTHOR_DATE=2030-01-02T04:04:05Z").Git("commit", "-q", "-m", "docs: progress")
	if found := sourcetest.Find(r, New()); len(found) != 1 || found[0].Active.Year() != 2030 || found[0].From != "the time of STATE.md" {
		t.Errorf("%+v", found)
	}
}

// TestNote_plannedLater: a note about a phase whose plans all have summaries is outdated if a later phase was planned after the note was
// written.
func TestNote_plannedLater(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		first, second sourcetest.Mutation
		want          string
	}{
		"planned after the note":  {add(".planning/phases/01-foundation/.continue-here.md", noted), planned("phases/02-editor/02-01"), "02-01"},
		"planned before the note": {planned("phases/02-editor/02-01"), add(".planning/phases/01-foundation/.continue-here.md", noted), "01-foundation"},
	} {
		r := gittest.New(t)
		sourcetest.Place(r, "testdata/project.txtar")
		both(remove(".planning/phases"), both(planned("phases/01-foundation/01-01"), done("phases/01-foundation/01-01")))(r)
		for i, m := range []sourcetest.Mutation{c.first, c.second} {
			m(r)
			r.Git("add", "-A")
			r.With(fmt.Sprintf("GIT_COMMITTER_DATE=2030-01-02T04:04:%02dZ", i), fmt.Sprintf("GIT_AUTHOR_DATE=2030-01-02T04:04:%02dZ", i)).Git("commit", "-q", "-m", "work")
		}
		if found := sourcetest.Find(r, New()); len(found) != 1 || found[0].Point.Task != c.want {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

const noted = "---\nphase: 01-foundation\ntask: try it out\n---\n"

// TestMilestone: STATE.md says that the milestone is complete, and its counts say that all plans and phases are done. Then the milestone
// is over, even if the roadmap still shows an open phase.
func TestMilestone(t *testing.T) {
	t.Parallel()
	for counts, over := range map[string]bool{"completed_phases: 1": true, "completed_phases: 0": false} {
		r := gittest.New(t)
		sourcetest.Place(r, "testdata/project.txtar")
		both(remove(".planning/phases"), both(planned("phases/01-foundation/01-01"), done("phases/01-foundation/01-01")))(r)
		r.Write(roads, "- [ ] **Phase 1: Ground**\n")
		r.Write(state, "---\nstatus: Milestone complete\nprogress:\n  total_phases: 1\n  "+counts+"\n  total_plans: 1\n  completed_plans: 1\n---\n# State\n")
		if found := sourcetest.Find(r, New()); len(found) != 1 || (found[0].Over != "") != over {
			t.Errorf("%s: %+v", counts, found)
		}
		for word, over := range map[string]bool{"idle": over, "executing": false} { // now the roadmap also lists phase 2, which belongs to the next milestone
			r.Write(roads, "- [x] **Phase 1: Ground**\n- [ ] **Phase 2: Editor**\n")
			r.Write(state, "---\nstatus: "+word+"\nprogress:\n  total_phases: 1\n  "+counts+"\n  total_plans: 1\n  completed_plans: 1\n---\n# State\n")
			if found := sourcetest.Find(r, New()); len(found) != 1 || (found[0].Over != "") != over {
				t.Errorf("%s, %s: %+v", counts, word, found)
			}
		}
	}
}
