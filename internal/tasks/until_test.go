package tasks

import (
	"strings"
	"testing"
	"time"
)

func TestUntil_readsTimesAsPeopleWriteThem(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("there", 2*60*60)
	now := time.Date(2026, 11, 14, 17, 30, 10, 5e8, zone)
	for text, want := range map[string]string{
		"":                          "",
		"2h":                        "2026-11-14T17:30:10Z",
		"90m":                       "2026-11-14T17:00:10Z",
		"1h30m":                     "2026-11-14T17:00:10Z",
		"2 hours":                   "2026-11-14T17:30:10Z",
		"3d":                        "2026-11-17T15:30:10Z",
		"+45s":                      "2026-11-14T15:30:55Z",
		"18:00":                     "2026-11-14T16:00:00Z",
		"18:00:30":                  "2026-11-14T16:00:30Z",
		"17:30":                     "2026-11-15T15:30:00Z", // now is 17:30:10, so this means 17:30 tomorrow
		"9:05":                      "2026-11-15T07:05:00Z",
		"00:00":                     "2026-11-14T22:00:00Z",
		"6pm":                       "2026-11-14T16:00:00Z",
		"6 PM":                      "2026-11-14T16:00:00Z",
		"7:15am":                    "2026-11-15T05:15:00Z",
		"2026-12-24 18:00":          "2026-12-24T16:00:00Z",
		"2026-12-24T18:00":          "2026-12-24T16:00:00Z",
		"2030-01-02T03:04:05Z":      "2030-01-02T03:04:05Z",
		"2030-01-02T03:04:05+01:00": "2030-01-02T02:04:05Z",
		"2020-01-02T03:04:05Z":      "2020-01-02T03:04:05Z", // a time in the past is valid, because a report may come late
		" 2h ":                      "2026-11-14T17:30:10Z",
	} {
		if got, err := Until(text, now); err != nil || got != want {
			t.Errorf("%q: got %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"tomorrow", "soon", "never", "0h", "-2h", "2", "25:00", "18:60", "13pm", "2026-13-01T00:00:00Z", "18:00 CET", "90000000h", "2h later", "\x1b[2J"} {
		_, err := Until(text, now)
		if err == nil {
			t.Errorf("%q was taken", text)
			continue
		}
		for _, example := range []string{"2h", "90m", "18:00", "2026-11-14T10:42:07Z"} {
			if !strings.Contains(err.Error(), example) {
				t.Errorf("%q: %q gives no example like %s", text, err, example)
			}
		}
	}
}

func FuzzUntil(f *testing.F) {
	for _, text := range []string{"2h", "18:00", "6pm", "2026-12-24 18:00", "2030-01-02T03:04:05Z", "9999-12-31T23:59:59-12:00"} {
		f.Add(text)
	}
	now := time.Date(2026, 11, 14, 17, 30, 10, 0, time.UTC)
	f.Fuzz(func(t *testing.T, text string) {
		got, err := Until(text, now)
		if err != nil || got == "" {
			return
		}
		if _, err := time.Parse(time.RFC3339, got); err != nil || !strings.HasSuffix(got, "Z") {
			t.Errorf("%q became %q", text, got)
		}
	})
}
