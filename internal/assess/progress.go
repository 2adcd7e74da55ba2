package assess

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/candidate"
)

// mostFruitless is how often a run is continued at one task by itself although nothing comes of it.
const mostFruitless = 3

// standing is one sum over where a run stands when it is continued: its commits, what is uncommitted, and the state of the system that began it.
// Two equal ones mean that nothing came of what was done between them.
func standing(tip, work object.ID, state string) string {
	sum := sha256.Sum256([]byte(string(tip) + "\x00" + string(work) + "\x00" + state))
	return hex.EncodeToString(sum[:8])
}

// Standing is that of a run as it was looked at; empty where what is uncommitted is not known.
func (a *Assessment) Standing() string {
	if !a.Seen.Saved {
		return ""
	}
	return standing(a.Seen.Branch, a.Seen.Uncommitted, a.Seen.Found)
}

// progress finds out whether a run is continued again and again in vain. What came since the last time counts too, where it is known.
func (x *assessor) progress() {
	v := x.run().Vain
	if v.Times < mostFruitless || x.a.Seen.Saved && x.a.Standing() != v.Standing {
		return
	}
	text := fmt.Sprintf("it was continued %d times without a new commit, file or event", v.Times)
	if v.Task != "" {
		text = fmt.Sprintf("task '%s' was continued %d times without a new commit, file or event", v.Task, v.Times)
	}
	x.find(candidate.FindNoProgress, candidate.Info, text)
}
