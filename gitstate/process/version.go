package process

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/internal/proc"
)

// OldestGit is the oldest version of git that has everything we need.
const OldestGit = "2.31"

// TooOldError reports that the git program is too old for what we need.
type TooOldError struct{ Have string }

func (e *TooOldError) Error() string {
	return fmt.Sprintf("git %s is too old; %s or newer is needed", e.Have, OldestGit)
}

// tooOld checks git's version after a failure that an unknown option could have caused. It returns nil if git is new enough. The version
// is only checked after a failure, because the check costs a process.
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

// Version returns git's version, such as 2.39.5, or "" if it is unknown.
func (r *Program) Version(ctx context.Context) string {
	out, err := r.Command(Call{Args: []string{"version"}}).Run(ctx)
	words := strings.Fields(string(out.Stdout))
	if err != nil || len(words) < 3 {
		return ""
	}
	return words[2]
}

// AtLeast reports whether git has at least this version. If the version is unknown, it returns false.
func (r *Program) AtLeast(ctx context.Context, need string) bool {
	have := r.Version(ctx)
	return have != "" && !OlderThan(have, need)
}

// OlderThan compares the major and minor version. A version that cannot be read counts as new enough.
func OlderThan(have, need string) bool {
	var h, n [2]int
	if k, _ := fmt.Sscanf(have, "%d.%d", &h[0], &h[1]); k < 2 {
		return false
	}
	_, _ = fmt.Sscanf(need, "%d.%d", &n[0], &n[1])
	return h[0] < n[0] || h[0] == n[0] && h[1] < n[1]
}
