package gitstate

import (
	"context"
	"fmt"
	"strings"
)

// RefMove is one move of a ref, as this clone saw it.
type RefMove struct {
	// Old is empty for the first one that is known.
	Old, New OID
	Message  string
}

// maxSteps bounds how far a reflog is read back.
const maxSteps = 1000

// Log lists the moves of a ref, the newest first; none if there is no log of it.
// A reflog is kept by this clone alone: nothing that is fetched can write it.
func (r *Refs) Log(ctx context.Context, ref string) ([]RefMove, error) {
	out, err := r.git.Git(ctx, Call{Args: []string{
		"log", "-g", "-z", "--no-show-signature", "--no-color", "--format=%H %gs", fmt.Sprintf("--max-count=%d", maxSteps), ref, "--",
	}})
	if err != nil {
		return nil, fmt.Errorf("read the log of %s: %w", ref, err)
	}
	var steps []RefMove
	for rec := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		id, message, _ := strings.Cut(rec, " ")
		if !IsOID(id) {
			continue
		}
		if len(steps) > 0 {
			steps[len(steps)-1].Old = OID(id)
		}
		steps = append(steps, RefMove{New: OID(id), Message: message})
	}
	return steps, nil
}
