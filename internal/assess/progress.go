package assess

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/candidate"
)

// mostFruitless is how often a run may be continued automatically at the same task without a result.
const mostFruitless = 3

// stateChecksum returns a checksum of a run's commits, its uncommitted work, and the state of the other system.
// If it is the same as before, the work since then had no result.
func stateChecksum(tip, work object.ID, state string) string {
	sum := sha256.Sum256([]byte(string(tip) + "\x00" + string(work) + "\x00" + state))
	return hex.EncodeToString(sum[:8])
}

// Standing returns a checksum of the assessed run's state; empty if its uncommitted work was not saved.
func (a *Assessment) Standing() string {
	if !a.Seen.Saved {
		return ""
	}
	return stateChecksum(a.Seen.Branch, a.Seen.Uncommitted, a.Seen.Found)
}

// progress adds a finding if a run was continued at least mostFruitless times without a result. It adds none if the state is known to have
// changed since the last of these attempts.
func (x *assessor) progress() {
	v := x.run().Fruitless
	if v.Times < mostFruitless || x.a.Seen.Saved && x.a.Standing() != v.Standing {
		return
	}
	x.addFinding(candidate.FindNoProgress.Case(), candidate.Info, candidate.Facts{Task: v.Task, Count: v.Times})
}
