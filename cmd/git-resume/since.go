package main

import (
	"regexp"
	"strconv"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-resume/git-resume/cmd/git-resume/early"
	"github.com/git-resume/git-resume/internal/conversation"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/quote"
)

// showSince prints what happened to runs since the person last looked, or since a time.
func showSince(p *program, c *cli.Context, run string) error {
	if c.Bool("patch") {
		return exit.Usagef("--since and --patch cannot be used together")
	}
	from, err := sinceTime(c.String("since"), early.Now())
	if err != nil {
		return err
	}
	t, err := p.talk(c)
	if err != nil {
		return err
	}
	return conversation.Since(t, run, from)
}

var daysAgo = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([0-9]{1,5})([dw])$`) })

// sinceTime reads the value of --since. The word "last" gives the zero time.
func sinceTime(text string, now time.Time) (time.Time, error) {
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	switch text {
	case "last":
		return time.Time{}, nil
	case "today":
		return midnight, nil
	case "yesterday":
		return midnight.AddDate(0, 0, -1), nil
	}
	if m := daysAgo().FindStringSubmatch(text); m != nil {
		n, _ := strconv.Atoi(m[1]) // the pattern allows digits only
		if m[2] == "w" {
			n *= 7
		}
		return now.AddDate(0, 0, -n), nil
	}
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return now.Add(-d), nil
	}
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02"} {
		if at, err := time.ParseInLocation(form, text, now.Location()); err == nil && at.Year() > 1 {
			return at, nil
		}
	}
	return time.Time{}, exit.Usagef("--since does not understand '%s'; use 'last', 'yesterday', '8h', '3d' or a time such as '2026-11-14 18:30'", quote.Printable(text))
}
