package boxes

import (
	"flag"
	"os"
	"testing"

	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

var update = flag.Bool("update", false, "write the golden file of the samples again")

func TestSamples(t *testing.T) {
	sourcetest.Samples{Seed: "conductor", Dir: os.Getenv("SAMPLES"), Update: *update, Titled: true, Reasons: map[string]string{
		"AyyoubHub/autoapply 0950ff542": "the task is ticked and names its commit, which Conductor writes when the whole task is committed; of this phase only the verification by a person is left",
	}}.Run(t, New())
}
