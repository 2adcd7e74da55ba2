package planning

import (
	"os"
	"testing"

	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

func TestSamples(t *testing.T) {
	sourcetest.Samples{Seed: "0", Dir: os.Getenv("SAMPLES")}.Run(t, New())
}
