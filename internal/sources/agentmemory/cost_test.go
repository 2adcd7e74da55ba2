package agentmemory

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/git-resume/git-resume/internal/gittest"
	. "github.com/git-resume/git-resume/internal/sources/sourcetest"
)

// BenchmarkFind measures the cost of fifty open runs.
func BenchmarkFind(b *testing.B) {
	r := gittest.New(b)
	a, err := txtar.ParseFile(filepath.Join("testdata", "execution.txtar"))
	if err != nil {
		b.Fatal(err)
	}
	for n := range 50 {
		for _, f := range a.Files {
			r.Write(strings.Replace(f.Name, "a1b2", fmt.Sprintf("a%03d", n), 1), string(f.Data))
		}
	}
	Cost(b, r, New(), 50)
}

// BenchmarkNothing measures the cost in a repository without agent-memory runs.
func BenchmarkNothing(b *testing.B) {
	Cost(b, gittest.New(b), New(), 0)
}

// The time to read a very large state must grow in proportion to its size.
func TestFind_isNotSlowedDownBySize(t *testing.T) {
	t.Parallel()
	gittest.Linear(t, 30000, func(many int) { findMany(t, many) })
}

func findMany(t *testing.T, many int) {
	t.Helper()
	r := place(t, "execution.txtar")
	var graph, events strings.Builder
	graph.WriteString(`{"tasks":[`)
	for n := range many {
		if n > 0 {
			graph.WriteByte(',')
		}
		fmt.Fprintf(&graph, `{"id":"T%d","dependencies":["T%d"]}`, n, (n+1)%many)
		fmt.Fprintf(&events, `{"event_type":"task-blocked","task_id":"T%d","timestamp":"2026-11-10T10:00:00Z","event_id":"b%d"}`+"\n", n, n)
		fmt.Fprintf(&events, `{"event_type":"escalation-resolved","timestamp":"2026-11-10T10:00:00Z","details":{"original_escalation_id":"x%d"}}`+"\n", n)
	}
	graph.WriteString("]}")
	r.Write(graphAt, graph.String())
	r.Write(executor, events.String())
	f := find(r)
	if len(f.Tasks) != many || len(f.Doubts) > 80 || len(f.Questions) > 100 {
		t.Errorf("%d tasks, %d doubts, %d questions", len(f.Tasks), len(f.Doubts), len(f.Questions))
	}
}
