package execution

import "testing"

// A failure is described in words. A cause that a user made up is shown unchanged.
func TestFailure(t *testing.T) {
	t.Parallel()
	one := 1
	for want, got := range map[string]string{
		"exit code 1":                 Failure(CauseExit, &one),
		"its time limit was exceeded": Failure(CauseTimeout, &one),
		"network":                     Failure("network", nil),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
