package settings

import (
	"slices"
	"strings"
	"testing"
)

func FuzzParseConfig(f *testing.F) {
	f.Add("core.bare\nfalse\x00resume.flag\x00a.b\nx\ny\x00")
	f.Fuzz(func(t *testing.T, text string) {
		c := parseConfig(text)
		entries := 0
		for entry := range strings.SplitSeq(text, "\x00") {
			if entry == "" {
				continue
			}
			entries++
			key, value, set := strings.Cut(entry, "\n")
			if set && !slices.Contains(c.All(key), value) {
				t.Errorf("%q is lost", entry)
			}
		}
		for _, all := range c.values {
			entries -= len(all)
		}
		if entries != 0 {
			t.Errorf("%d entries too few", entries)
		}
	})
}
