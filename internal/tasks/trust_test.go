package tasks

import (
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/plan"
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

func TestUntrusted_namesWhatNeedsApproval(t *testing.T) {
	t.Parallel()
	p := plan.Plan{Setup: "make deps", Tasks: []plan.Task{{ID: "one", Run: "make one"}, {ID: "two", Run: "make two", Verify: "make check"}}}
	for want, commands := range map[string][]string{
		"the setup command of run 'job-a7f3' needs your approval in this clone": {"make deps"},
		"the command of task 'two' needs your approval in this clone":           {"make deps", "make check"},
	} {
		if got := Untrusted("job-a7f3", p, commands).Error(); got != want {
			t.Errorf("%v: %s", commands, got)
		}
	}
}
