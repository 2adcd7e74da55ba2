package specloop

import (
	"fmt"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
	. "github.com/git-resume/git-resume/internal/sources/sourcetest"
)

// BenchmarkFind measures how long Find needs for fifty workflows that are committed.
func BenchmarkFind(b *testing.B) {
	r := gittest.New(b)
	text := fixture("clarifying.txtar", index5)
	for n := range 50 {
		r.Write(fmt.Sprintf("specs/%03d-x/.workflow/index.md", n), text)
		r.Write(fmt.Sprintf("specs/%03d-x/spec.md", n), "x")
	}
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "state")
	Cost(b, r, New(), 50)
}

// BenchmarkNothing measures how long Find needs in a repository without specification workflows.
func BenchmarkNothing(b *testing.B) {
	Cost(b, gittest.New(b), New(), 0)
}

// The time to read an index must grow in proportion to its size.
func TestFind_isNotSlowedDownBySize(t *testing.T) {
	t.Parallel()
	gittest.Linear(t, 60000, func(many int) { findMany(t, many) })
}

func findMany(t *testing.T, many int) {
	t.Helper()
	r := place(t, "clarifying.txtar")
	var questions, gaps strings.Builder
	for n := range many {
		fmt.Fprintf(&questions, "| C%d.1 | what? | G-%d, G-%d | answered |\n", n, n, n+1)
		fmt.Fprintf(&gaps, "| Critical | G-%d | clarifying | |\n", n)
	}
	Both(Replace(index5, "|----|------------------|------|--------|\n", "|----|------------------|------|--------|\n"+questions.String()),
		Replace(index5, "|----------|--------|--------|------------|\n", "|----------|--------|--------|------------|\n"+gaps.String()))(r)
	age(r)
	f := Find(r, New())[0]
	if f.Point.Task != "B1" || len(f.Tasks) > 3000 || len(f.Doubts) > 40 {
		t.Errorf("%v, %d tasks, %d doubts", f.Point, len(f.Tasks), len(f.Doubts))
	}
}
