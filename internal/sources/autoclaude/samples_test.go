package autoclaude

import (
	"os"
	"path"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

// The source must find in each sample what the golden file lists. The sample 001-git-integration below tests/fixtures is first placed
// into the usual folder of specs.
func TestSamples(t *testing.T) {
	place := func(to string) string {
		if j := strings.Index(to, "/001-git-integration"); j >= 0 && strings.HasPrefix(to, "tests/fixtures/") {
			return path.Join(".auto-claude/specs", to[j:])
		}
		return to
	}
	sourcetest.Samples{Seed: "3", Dir: os.Getenv("SAMPLES"), Place: place}.Run(t, New())
}
