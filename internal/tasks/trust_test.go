package tasks

import (
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/execution"
)

// FuzzApproval checks that parseApproval returns the words of a line unchanged.
func FuzzApproval(f *testing.F) {
	hash := execution.Hash("make", nil)
	f.Add("job-abcd " + hash + " - 00112233445566778899aabbccddeeff")
	f.Add(hash)
	f.Add("../x " + hash + " - m")
	f.Add("job-abcd\t" + hash + "  " + strings.Repeat("a", 40) + " m\r")
	f.Fuzz(func(t *testing.T, line string) {
		a, mac, ok := parseApproval(line)
		if !ok {
			return
		}
		words := strings.Fields(line)
		if !a.run.Valid() || len(words) != 4 || string(a.run) != words[0] || a.hash != words[1] || a.tip != words[2] || mac != words[3] || a.tip != noTip && !object.IsID(a.tip) {
			t.Fatalf("%q is read as %+v %s", line, a, mac)
		}
	})
}
