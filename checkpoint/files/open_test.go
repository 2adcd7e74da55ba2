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
