package boxes

import (
	"flag"
	"os"
	"testing"

	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

var update = flag.Bool("update", false, "write the golden file of the samples anew")

func TestSamples(t *testing.T) {
	sourcetest.Samples{Seed: "conductor", Dir: os.Getenv("SAMPLES"), Update: *update, Titled: true, Reasons: map[string]string{}}.Run(t, New())
}
