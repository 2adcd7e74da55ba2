package candidate

import (
	"context"
	"strings"
	"time"

	"github.com/git-resume/git-resume/gitstate/settings"
)

// staleAfter is the age at which work counts as old, unless the user sets another one.
const staleAfter = 14 * 24 * time.Hour

// StaleAfter returns the age from which work counts as old. It is the setting resume.stale, or two weeks.
func (e *Finder) StaleAfter(ctx context.Context) (time.Duration, error) {
	return duration(ctx, e.Repo.Settings, "resume.stale", staleAfter)
}

// duration reads one of our settings. If the setting is missing, duration returns the argument "usual". Starting git is slow, so duration
// does not ask git if no settings file mentions our program.
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

// setting returns the value of one of our settings in lower case, or "" if it is not set. It starts git only if the setting is mentioned
// somewhere, because starting git is slow.
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
