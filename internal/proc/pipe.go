package proc

import (
	"os"
	"slices"
)

// WithoutPipeline removes the other commands of our own shell pipeline from the list. They only produce our input or pass on our output.
// On systems other than Linux it removes nothing.
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
			pipes, found = append(pipes, own...), true // repeat the search, because other processes may share a pipe with this one
			return true
		})
	}
	return rest
}
