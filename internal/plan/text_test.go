package plan

import (
	"strings"
	"testing"
)

func TestSlug_fitsIntoARef(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Migrate Auth!":                "migrate-auth",
		"--a__b..c--":                  "a-b-c",
		"":                             "run",
		"日本語":                          "run",
		"../../etc":                    "etc",
		"v1.2":                         "v1-2",
		strings.Repeat("x", 90):        strings.Repeat("x", 40),
		strings.Repeat("a", 40) + " b": strings.Repeat("a", 40),
		strings.Repeat("a", 39) + " b": strings.Repeat("a", 39),
		"move the photo album to the new storage":   "move-the-photo-album-to-the-new-storage",
		"move the photo albums to the new storages": "move-the-photo-albums-to-the-new",
		"a.lock": "a-lock",
	} {
		if got := Slug(in); got != want {
			t.Errorf("Slug(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestQuote_hidesNothing(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a b":                   "'a b'",
		"été":                   "'été'",
		"a\nb":                  `'a\nb'`,
		"\x1b[2J":               `'\x1b[2J'`,
		"a\u202eb":              `'a\u202eb'`,
		"a\u200bb":              `'a\u200bb'`,
		`C:\x`:                  `'C:\x'`,
		"it's":                  "'it's'",
		"bad\xff":               "'bad\ufffd'",
		strings.Repeat("x", 99): "'" + strings.Repeat("x", 59) + "…'",
	} {
		if got := quote(in); got != want {
			t.Errorf("quote(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestClosest_guessesOnlyWhatIsNear(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"titel":                  "title",
		"input":                  "inputs",
		"output":                 "outputs",
		"on-interrupt":           "on_interrupt",
		"retry":                  "retries",
		"command":                "run",
		"name":                   "title",
		"depends_on":             "needs",
		"option":                 "options",
		"completely-else":        "",
		"":                       "",
		"xy":                     "",
		strings.Repeat("id", 99): "",
	} {
		if got := closest(word, taskKeys); got != want {
			t.Errorf("closest(%q) = %q, want %q", word, got, want)
		}
	}
}
