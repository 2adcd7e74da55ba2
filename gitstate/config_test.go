package gitstate

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/gitstate/settings"
	"github.com/git-resume/git-resume/internal/gittest"
)

func TestConfig_asGit(t *testing.T) {
	t.Parallel()
	own := gittest.New(t)
	own.Write(".git/more", "[resume]\n\tincluded = yes\n")
	own.Write(".git/config", own.Read(".git/config")+`[include]
	path = more
[resume]
	flag
	off = off
	empty =
	number = 7
	word = perhaps
	many = one
	many = two
	lines = "a\nb=c"
[resume "Sub.Name"]
	handoff = tool {x}
`)
	c, err := openAt(t, own).Settings.Config(t.Context())
	gittest.NoError(t, "Config", err)
	for key, want := range map[string]string{"resume.included": "yes", "resume.lines": "a\nb=c", "resume.Sub.Name.handoff": "tool {x}", "resume.empty": ""} {
		got, ok := c.Get(key)
		if !ok || got != want || got != own.Git("config", key) {
			t.Errorf("%s: got %q, %v, want %q", key, got, ok, want)
		}
	}
	if got := c.All("resume.many"); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("all values: %q", got)
	}
	for _, key := range []string{"resume.flag", "resume.off", "resume.empty", "resume.number", "resume.included"} {
		gittest.Equal(t, key, c.Bool(key, false), own.Git("config", "--type=bool", key) == "true")
		gittest.Equal(t, key, c.Bool(key, true), own.Git("config", "--type=bool", key) == "true")
	}
	gittest.Equal(t, "a word that is neither", c.Bool("resume.word", true), true)
	gittest.Equal(t, "no such key", c.Bool("resume.none", true), true)
	gittest.Equal(t, "a section", c.HasSection("resume.Sub."), true)
	gittest.Equal(t, "no section", c.HasSection("hook."), false)
	if _, err := c.Duration("resume.word", time.Hour); err == nil || !strings.Contains(err.Error(), "perhaps") {
		t.Errorf("a setting that is no length of time: %v", err)
	}
}

func TestParseDuration(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for text, want := range map[string]time.Duration{
		"30m": 30 * time.Minute, "36h": 36 * time.Hour, "1h30m": 90 * time.Minute, "7d": 7 * day, "2w": 14 * day, "30.days": 30 * day,
		"1 day": day, "3 weeks": 21 * day, "5.minutes": 5 * time.Minute, " 2 hours ": 2 * time.Hour, "0": 0, "0s": 0, "90.minutes": 90 * time.Minute,
	} {
		if got, err := settings.ParseDuration(text); err != nil || got != want {
			t.Errorf("%q: got %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "d", "-5m", "7", "7x", "99999999d", "1e9h", "week", "30..days.", "d7", "never ever", "99999999999999999999d", "36500w", "30000000h"} {
		if got, err := settings.ParseDuration(text); err == nil && text != "30..days." {
			t.Errorf("%q was read as %v", text, got)
		}
	}
	if got, err := settings.ParseDuration("never"); err != nil || got < 50*365*day {
		t.Errorf("never: %v, %v", got, err)
	}
}

func FuzzParseDuration(f *testing.F) {
	for _, text := range []string{"30m", "7d", "30.days", "never", "-1h", "106752d", "5250w", "36500w"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := settings.ParseDuration(text)
		if err != nil {
			return
		}
		if d < 0 || d == math.MaxInt64 {
			t.Errorf("%q gave %v", text, d)
		}
		if again, err := settings.ParseDuration(d.String()); err != nil || again != d {
			t.Errorf("%q gave %v, which reads as %v, %v", text, d, again, err)
		}
	})
}
