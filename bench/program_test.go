package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// mostBytes is the largest size that is allowed for the program. It had 17.08 MB on 17 November 2026, and 17.50 MB a day later.
const mostBytes = 17_500_000

func TestMeasureProgram(t *testing.T) {
	needClock(t)
	program := filepath.Join(gittest.Binary(t), "git-resume")
	info, err := os.Stat(program)
	if err != nil {
		t.Fatal(err)
	}
	size := float64(info.Size())
	table = append(table, row{"size of the program / 17.5 MB", fmt.Sprintf("%.1f MB", size/1e6), "17.5 MB", size / mostBytes, 1})
	r := gittest.New(t)
	contest{
		what: "start: 'version' / 'git version'", rounds: 40, budget: 3,
		ours: func() { r.MustResume("version") },
		gits: func() { r.Git("version") },
	}.run(t)
}
