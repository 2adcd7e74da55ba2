package proc

import (
	"os"
	"slices"
)

// WithoutPipeline leaves those out that only pass on what we say, or say what we read: the other commands of our own pipeline.
func WithoutPipeline(all []Process) []Process {
	pipes := pipesOf(os.Getpid())
	rest := slices.Clone(all)
	for found := true; found && len(pipes) > 0; {
		found = false
		rest = slices.DeleteFunc(rest, func(p Process) bool {
			own := pipesOf(p.PID)
			if !slices.ContainsFunc(own, func(pipe string) bool { return slices.Contains(pipes, pipe) }) {
				return false
			}
			pipes, found = append(pipes, own...), true // and who stands behind it in the row
			return true
		})
	}
	return rest
}
