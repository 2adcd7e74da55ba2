package agentmemory

import (
	"testing"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
)

// The search for the phase of a closed run must not change the warnings. Here it finds that prd.md is missing, and there already is another
// warning about prd.md.
func TestReached_leavesTheWarnings(t *testing.T) {
	t.Parallel()
	r := &run{memory: &memory{dir: "m"}, docs: map[string]bool{"plan.md": true}, ledger: &ledger{logs: &logs{}}}
	r.doubts.About(sources.DoubtDiscrepancy, conflicts.Warning, "m/prd.md", "is a link")
	reached(r)
	if len(r.doubts) != 1 || r.doubts[0].Text != "m/prd.md is a link" {
		t.Errorf("%+v", r.doubts)
	}
}
