package taskmaster

import (
	"os"
	"testing"

	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

func TestSamples(t *testing.T) {
	sourcetest.Samples{Seed: "taskmaster", Dir: os.Getenv("SAMPLES"), Reasons: map[string]string{
		"eyaltoledano/claude-task-master 535fb5be7": "23 and 40 have subtasks, and none of these is in progress; 23.34 is where 23 continues, and it is what the tool itself names",
	}}.Run(t, New())
}
