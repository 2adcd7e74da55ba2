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

// withoutOwnHook must remove only what certainly belongs to our own hook.
func TestWithoutOwnHook(t *testing.T) {
	t.Parallel()
	const own = "[hook \"git-resume\"]\n"
	for text, want := range map[string]string{
		"[core]\n\tbare = false\n":                          "[core]\n\tbare = false\n",
		"[a]\n\tb\n" + own + "\tcommand = \"notice\"\n":     "[a]\n\tb\n",
		own + "\tevent = x\n[resume]\n\tnotice = all":       "[resume]\n\tnotice = all\n",
		own + "\tevent = x\n\t[resume] notice = all\n":      "\t[resume] notice = all\n",
		own + "# \\\n[resume]\n\tnotice = all\n":            "[resume]\n\tnotice = all\n",
		"[a]\n\tb = c \\\n" + own + "\tnotice = all\n":      "[a]\n\tb = c \\\n" + own + "\tnotice = all\n",
		"[hook \"git-resume\"] event = x\n\tnotice = all\n": "[hook \"git-resume\"] event = x\n\tnotice = all\n",
	} {
		if got := withoutOwnHook(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
