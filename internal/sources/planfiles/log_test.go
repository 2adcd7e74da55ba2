package planfiles

import (
	"testing"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

// TestLog: a phase that a newer progress.md records as done counts as done, if the number and the title are those of the plan.
func TestLog(t *testing.T) {
	t.Parallel()
	const plan = "### Phase 1: Login (red line 1)\n- [ ] a\n- **Status:** in_progress\n### Phase 2: Limits\n- [ ] b\n- **Status:** pending\n"
	for log, want := range map[string]string{
		"### Phase 1: Login\n- **Status:** complete\n":                          "2",
		"### Phase 1: Login — COMPLETE\n":                                       "2",
		"### 阶段 1：Login\n- **状态：** 已完成\n":                                       "2",
		"### Phase 1: Login\n- **Status:** in_progress\n":                       "1",
		"### Phase 1: Research\n- **Status:** complete\n":                       "1", // a phase of another plan
		"### Phase 3: Login\n- **Status:** complete\n":                          "1",
		"### Phase 1: Login — COMPLETE\n### Phase 2: Limits and tests (done)\n": "",
	} {
		r := gittest.New(t)
		write(plan)(r)
		r.Write(notes, "# Log\n")
		commit(11, "docs: plan it")(r)
		at := func(want string) {
			t.Helper()
			found := sourcetest.Find(r, New())
			if len(found) != 1 || found[0].Point.Task != want || (found[0].State == sources.Complete) != (want == "") || found[0].Calls[0] != "repo" {
				t.Errorf("%s: %+v", log, found)
			}
			if first := found[0].Tasks[0]; (first.State == checkpoint.Done) != (want != "1") || want != "1" && first.Evidence != "progress.md:2" {
				t.Errorf("%s: %+v", log, first)
			}
		}
		r.Write(notes, "# Log\n"+log)
		commit(12, "docs: what was done")(r)
		at(want)
		write(plan + "\n## Notes\n")(r)
		commit(13, "docs: the plan again")(r)
		at("1") // now the plan is newer than the log, so the log proves nothing
	}
}
