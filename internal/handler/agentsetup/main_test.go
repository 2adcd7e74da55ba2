package agentsetup

import (
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// TestMain puts temporary folders into memory, if possible, because the tests flush many files to the disk.
func TestMain(m *testing.M) { gittest.Main(m) }
