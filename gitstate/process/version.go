package process

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/internal/proc"
)

// OldestGit is the oldest git that has all that is asked of it here.
const OldestGit = "2.31"

// TooOldError says that the git program lacks what is needed.
type TooOldError struct{ Have string }

func (e *TooOldError) Error() string {
	return fmt.Sprintf("git %s is too old; %s or newer is needed", e.Have, OldestGit)
}

// tooOld looks at git's age when it failed as it does on what it does not know; nil if it is young enough.
// Nobody pays for the question while all goes well.
func (r *Program) tooOld(ctx context.Context, exit *proc.ExitError) *TooOldError {
	if exit.Code < 128 || exit.Signal != "" {
		return nil
	}
	have := r.Version(ctx)
	if have == "" || !OlderThan(have, OldestGit) {
		return nil
	}
	return &TooOldError{Have: have}
}

// Version is git's own, such as 2.39.5; empty if it does not say.
func (r *Program) Version(ctx context.Context) string {
	out, err := r.Command(Call{Args: []string{"version"}}).Run(ctx)
	words := strings.Fields(string(out.Stdout))
	if err != nil || len(words) < 3 {
		return ""
	}
	return words[2]
}

// AtLeast reports whether git is as new as this or newer.
func (r *Program) AtLeast(ctx context.Context, need string) bool {
	have := r.Version(ctx)
	return have != "" && !OlderThan(have, need)
}

// OlderThan compares major and minor; what cannot be read counts as young.
func OlderThan(have, need string) bool {
	var h, n [2]int
	if k, _ := fmt.Sscanf(have, "%d.%d", &h[0], &h[1]); k < 2 {
		return false
	}
	_, _ = fmt.Sscanf(need, "%d.%d", &n[0], &n[1])
	return h[0] < n[0] || h[0] == n[0] && h[1] < n[1]
}
