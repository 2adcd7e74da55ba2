package gitops_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/sources/gitops"
)

// BenchmarkScan measures a search in 51 worktrees without any unfinished operation. The search must not start git.
func BenchmarkScan(b *testing.B) {
	r := gittest.Git{}.Fresh(b, "repo")
	for i := range 50 {
		r.Git("worktree", "add", "-q", "--detach", fmt.Sprintf("../trees/%d", i))
	}
	r, calls := r.Counting()
	p, err := locate.Find(r.Dir, r.Env)
	if err != nil {
		b.Fatal(err)
	}
	repo := gitstate.Open(p, r.Env)
	defer repo.Close()
	var worktrees, scan time.Duration
	for b.Loop() {
		begun := time.Now()
		trees := repo.Linked()
		listed := time.Now()
		found, err := gitops.All(b.Context(), repo, proc.Table{}, trees)
		if err != nil || len(found) > 0 || len(trees) != 51 {
			b.Fatalf("%d trees, found %+v, error %v", len(trees), found, err)
		}
		worktrees, scan = worktrees+listed.Sub(begun), scan+time.Since(listed)
	}
	if started := calls(); len(started) > 0 {
		b.Errorf("git was started: %q", started)
	}
	b.ReportMetric(float64(worktrees.Microseconds())/float64(b.N), "µs-list/op")
	b.ReportMetric(float64(scan.Microseconds())/float64(b.N), "µs-scan/op")
}
