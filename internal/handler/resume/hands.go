package resume

import (
	"context"

	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/execution"
)

// keepByHand finds the files that were changed by hand, if the caller has not done that before.
func (x *executor) keepByHand(ctx context.Context) (err error) {
	if t := assess.StoppedTask(x.run()); x.q.ByHand == nil && t != nil {
		if x.q.ByHand, err = assess.HandEditsSince(ctx, x.repo, x.run(), t); err != nil {
			return err
		}
	}
	x.runner.ByHand = x.q.ByHand
	return nil
}

// reportByHand lists the files that were changed by hand and are still uncommitted.
func (x *executor) reportByHand(ctx context.Context) {
	if len(x.q.ByHand) == 0 {
		return
	}
	if now, err := execution.StillByHand(ctx, x.repo, x.q.ByHand); err == nil {
		x.out.ByHand = now
	}
}
