package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
)

func TestFor_endsLocalRuns(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Write("plan.yaml", "name: job\ntasks:\n  - id: one\n    run: test -e \"$GO\" || sleep 60\n    on_interrupt: retry\n")
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "plan")
	goes := filepath.Join(t.TempDir(), "go")
	r = r.With("GO=" + goes)
	says(r, 18, []string{"stopped by", "The time limit is reached, and the run is not finished."}, "start", "plan.yaml", "--for", "4s")
	says(r, 18, []string{"The time limit is reached, and the run is not finished."}, "job", "--for", "1s")
	for _, args := range [][]string{
		{"--for", "0s"}, {"--for", "soon"}, {"--until", "25:00"}, {"--until", "2020-01-01 10:00"}, {"--until", ""}, {"--for", "1h", "--until", "18:00"},
	} {
		says(r, 129, nil, append([]string{"job"}, args...)...)
	}
	if err := os.WriteFile(goes, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	says(r, 0, []string{"finished"}, "job", "--until", time.Now().Add(2*time.Hour).Format("15:04"))
}

func TestParseUntil(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 17, 17, 30, 0, 0, time.Local)
	for text, want := range map[string]string{
		"18:00": "2026-11-17 18:00", "17:30": "2026-11-18 17:30", "09:05": "2026-11-18 09:05", "2026-11-19 08:00": "2026-11-19 08:00", "2026-11-19T08:00": "2026-11-19 08:00",
	} {
		if got, err := parseUntil(text, now); err != nil || got.Format("2006-01-02 15:04") != want {
			t.Errorf("%s: %s, %v", text, got, err)
		}
	}
}
