package gitops

import (
	"testing"

	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/internal/proc"
)

// A headline may say that the process of a lock is dead only if the processes could be listed.
func TestHeadline_lockOfUnknownProcess(t *testing.T) {
	t.Parallel()
	for life, want := range map[proc.Fate][2]string{
		proc.Dead:    {"1 lock file was left by a git process that is gone", "1 lock file of a dead process"},
		proc.Unknown: {"1 lock file of git exists; it is not known whether a git process is still running", "1 lock file, possibly of a running process"},
	} {
		s := State{Life: life, Ongoing: ongoing.Ongoing{Op: ongoing.StaleLock, Stop: ongoing.StopLeft, Files: []string{"/x/.git/index.lock"}}}
		if f := s.found(""); f.Headline != want[0] || f.Cause != want[1] {
			t.Errorf("%v: %q, %q", life, f.Headline, f.Cause)
		}
	}
}
