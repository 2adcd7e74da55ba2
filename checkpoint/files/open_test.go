package files

import (
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate/object"
)

// FuzzOpenFile checks that the journal in a parsed file is always a valid object id or empty.
func FuzzOpenFile(f *testing.F) {
	f.Add([]byte(`{"v":1,"journal":"` + strings.Repeat("a", 40) + `","head":"--output=x"}`))
	f.Add([]byte(`{"pid":-1,"start":1}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if o := parseOpen(text); o.Journal != "" && !object.IsID(string(o.Journal)) {
			t.Fatalf("%q names the journal %q", text, o.Journal)
		}
	})
}

// FuzzParseLooked checks that invalid ids of runs and commits are dropped.
func FuzzParseLooked(f *testing.F) {
	f.Add([]byte(`{"v":1,"clone":"c","at":"2026-11-14T18:00:00Z","runs":{"job-a7f3":{"at":"2026-11-14T18:00:00Z","seq":7,"tip":"41b7b7e6a3f0c1d2e3f4a5b6c7d8e9f0a1b2c3d4"}}}`))
	f.Add([]byte(`{"v":1,"clone":"c","runs":{"../x":{"tip":"--output=x"},"job-a7f3":{"tip":"--all"}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		for id, at := range parseLooked(text, "c").Runs {
			if !id.Valid() || at.Tip != "" && !object.IsID(string(at.Tip)) {
				t.Errorf("kept %q with commit %q", id, at.Tip)
			}
		}
	})
}
