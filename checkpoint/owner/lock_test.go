package owner

import (
	"encoding/json"
	"testing"

	"github.com/git-resume/git-resume/internal/proc"
)

// FuzzLockFile checks that the actor in any lock file can be written and read back unchanged. If the actor belongs to another clone, the
// fate of its process must be unknown.
func FuzzLockFile(f *testing.F) {
	f.Add([]byte(`{"host":"h","boot":"b","ns":"n","pid":7,"start":"1","command":"make","nonce":"x","clone":"c"}`))
	f.Add([]byte(`{"pid":-1,"start":1}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		a := parseActor(text)
		if fate := a.Fate(proc.Table{}, "another clone"); a.Clone != "" && a.Clone != "another clone" && fate != proc.Unknown {
			t.Fatalf("%s: another clone's process is %v", text, fate)
		}
		again, err := json.Marshal(a)
		if err != nil || *parseActor(again) != *a {
			t.Fatalf("%q was read, and written as %s: %v", text, again, err)
		}
	})
}
