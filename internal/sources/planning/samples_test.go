package planning

import (
	"flag"
	"os"
	"testing"

	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

var update = flag.Bool("update", false, "write the golden file of the samples again")

func TestSamples(t *testing.T) {
	sourcetest.Samples{Seed: "0", Dir: os.Getenv("SAMPLES"), Update: *update}.Run(t, New())
}
