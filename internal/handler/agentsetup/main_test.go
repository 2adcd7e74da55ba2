package agentsetup

import (
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// TestMain puts temporary folders into memory, if possible: the tests write thousands of files, and each of them is flushed to the disk.
func TestMain(m *testing.M) { gittest.Main(m) }
