package candidate

import (
	"context"
	"strings"
	"time"

	"github.com/git-resume/git-resume/gitstate/settings"
)

// staleAfter is when work counts as old, unless the user says otherwise.
const staleAfter = 7 * 24 * time.Hour

// StaleAfter is the age from which work is folded into one line.
func (e *Finder) StaleAfter(ctx context.Context) (time.Duration, error) {
	return duration(ctx, e.Repo.Settings, "resume.stale", staleAfter)
}

// duration is a setting of ours. Where no file of settings speaks of us, git is not asked: status would pay for it all day.
func duration(ctx context.Context, s *settings.Settings, key string, usual time.Duration) (time.Duration, error) {
	if !s.Mentions("resume") {
		return usual, nil
	}
	c, err := s.Config(ctx)
	if err != nil {
		return 0, err
	}
	return c.Duration(key, usual)
}

// setting is one of ours. Asking git for it would cost as much as all the rest,
// so that it is asked only where a file or the environment names it.
func setting(ctx context.Context, s *settings.Settings, key string) (string, error) {
	if !s.Mentions(strings.TrimPrefix(key, "resume.")) {
		return "", nil
	}
	c, err := s.Config(ctx)
	if err != nil {
		return "", err
	}
	v, _ := c.Get(key)
	return strings.ToLower(v), nil
}
