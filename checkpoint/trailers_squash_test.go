package checkpoint

import (
	"testing"

	"github.com/git-resume/git-resume/gitstate/object"
)

func TestEvidenceOf_squash(t *testing.T) {
	t.Parallel()
	c := object.Commit{Message: "job: 2 tasks\n\n- a\n- b\n\nResume-Run: job-ab2c\nResume-Task: a\nResume-Task: b\n"}
	got := EvidenceOf(c, "job-ab2c")
	if len(got) != 2 || got[0].Task != "a" || got[1].Task != "b" {
		t.Errorf("found %+v", got)
	}
}
