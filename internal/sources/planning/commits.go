package planning

import (
	"strings"
	"time"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// scopedPlan matches the subject of a commit that carries out a part of a plan, such as "feat(01-02): parse the list", and captures its type
// and the plan.
var scopedPlan = textdoc.NewForm(`^([A-Za-z]+)\(([0-9]+(?:\.[0-9]+)?-[0-9]+)\)!?:`)

// proofTime is the age up to which a plan is compared with commits, so that git is not asked about old projects.
const proofTime = 30 * 24 * time.Hour

// startedBy returns the newest commit on the checked out branch that carries out a part of the plan to continue with, or
// "" if none is found.
func startedBy(s *diagnosis) object.ID {
	if s.point == nil || s.point.path == "" {
		return ""
	}
	written, by := s.View.Written(s.Ctx, s.Tree, s.point.path)
	if by != "commit" || s.View.Now.Sub(written) > proofTime {
		return ""
	}
	h := s.View.Recent.History(s.Ctx, written)
	here := h.Within(s.View.Head(s.Ctx, s.Tree))
	for c := range h.Newer(written) {
		m := scopedPlan.FindStringSubmatch(c.Subject)
		if m != nil && !strings.EqualFold(m[1], "docs") && !strings.EqualFold(m[1], "plan") && sources.NaturalOrder(m[2], s.point.id) == 0 && here(c.ID) {
			return c.ID
		}
	}
	return ""
}
