package boxes

import (
	"os"
	"testing"

	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

func TestSamples(t *testing.T) {
	sourcetest.Samples{Seed: "conductor", Dir: os.Getenv("SAMPLES"), Titled: true, Reasons: map[string]string{
		"AyyoubHub/autoapply 0950ff542": "the task is ticked and names its commit, which Conductor writes when the whole task is committed; of this phase only the verification by a person is left",
	}}.Run(t, New())
}
