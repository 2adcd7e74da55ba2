package refs

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
)

// Move is one entry of a ref's reflog in this clone.
type Move struct {
	// Old is empty for the oldest known move.
	Old, New object.ID
	Message  string
}

// maxSteps limits how many entries of a reflog are read.
const maxSteps = 1000

// Log lists the moves of a ref, newest first, at most maxSteps of them. The list is empty if the ref has no reflog. git never transfers
// reflogs between clones, so every entry was written in this clone.
func (r *Refs) Log(ctx context.Context, ref Name) ([]Move, error) {
	out, err := r.git.Git(ctx, process.Call{Args: []string{
		"log", "-g", "-z", "--no-show-signature", "--no-color", "--format=%H %gs", fmt.Sprintf("--max-count=%d", maxSteps), string(ref), "--",
	}})
	if err != nil {
		return nil, fmt.Errorf("read the reflog of %s: %w", ref, err)
	}
	var steps []Move
	for rec := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		id, message, _ := strings.Cut(rec, " ")
		if !object.IsID(id) {
			continue
		}
		if len(steps) > 0 {
			steps[len(steps)-1].Old = object.ID(id)
		}
		steps = append(steps, Move{New: object.ID(id), Message: message})
	}
	return steps, nil
}
