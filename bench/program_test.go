package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// mostBytes is the largest size that is allowed for the program. docs/design/12-surface.md says what keeps the program small.
const mostBytes = 16_250_000

func TestMeasureProgram(t *testing.T) {
	needClock(t)
	program := filepath.Join(gittest.Binary(t), "git-resume")
	info, err := os.Stat(program)
	if err != nil {
		t.Fatal(err)
	}
	size := float64(info.Size())
	table = append(table, row{"size of the program / 16.25 MB", fmt.Sprintf("%.2f MB", size/1e6), "16.25 MB", size / mostBytes, 1})
}
