package taskmaster

import (
	"flag"
	"os"
	"testing"

	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

var update = flag.Bool("update", false, "write the golden file of the samples again")

func TestSamples(t *testing.T) {
	sourcetest.Samples{Seed: "taskmaster", Dir: os.Getenv("SAMPLES"), Update: *update, Reasons: map[string]string{
		"eyaltoledano/claude-task-master 535fb5be7": "23 and 40 have subtasks, and none of these is in progress; 23.34 is where 23 continues, and it is what the tool itself names",
	}}.Run(t, New())
}
