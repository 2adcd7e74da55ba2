package evidence

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/object"
)

// FuzzRawCommit writes a commit in the format of "git log --format=raw" and parses it again.
func FuzzRawCommit(f *testing.F) {
	f.Add("subject\n\nResume-Run: job-ab2c\nResume-Task: a\n", "A U Thor <a@example.com>", 1700000000)
	f.Add("\n\n    indented\n\ncommit x\n", "> 5 <", -1)
	f.Fuzz(func(t *testing.T, message, who string, when int) {
		if strings.ContainsAny(who, "\n") || strings.Contains(who, "> ") || strings.Contains(message, "\x00") {
			return
		}
		var b strings.Builder
		id := someTip('a')
		b.WriteString("commit " + string(id) + "\ntree " + string(someTip('b')) + "\nparent " + string(someTip('c')) + "\ncommitter " + who + "> " + itoa(when) + " +0100\n\n")
		for l := range strings.Lines(message) {
			b.WriteString("    " + l)
		}
		c, ok := parseRaw(b.String())
		if !ok || c.ID != id || c.Tree != someTip('b') || len(c.Parents) != 1 || c.Message != message || c.Committer.When.Unix() != int64(when) {
			t.Fatalf("%q gave %+v", b.String(), c)
		}
		for _, e := range checkpoint.EvidenceOf(c, "job-ab2c") {
			if e.Commit.ID != id {
				t.Fatalf("evidence of %s", e.Commit.ID)
			}
		}
		_, _ = parseRaw(message) // the message alone, as a malformed record, must not crash the parser
	})
}

func itoa(n int) string {
	text, _ := json.Marshal(n)
	return string(text)
}

func someTip(c byte) object.ID { return object.ID(strings.Repeat(string(c), 40)) }
