//go:build unix

package gitstate

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// One process moves ref after ref; where it fails or is killed the work goes on without a gap.
func TestStay_movesRefsWhateverBecomesOfIt(t *testing.T) {
	t.Parallel()
	own := gittest.New(t)
	r := openAt(t, own)
	r.Shield()
	head := OID(own.Git("rev-parse", "HEAD"))
	create := func(n int) {
		t.Helper()
		ref := fmt.Sprintf("refs/resume/n%d", n)
		noError(t, ref, r.UpdateRef(t.Context(), Update{Ref: ref, New: head}))
		equal(t, ref, own.Git("rev-parse", ref), string(head))
	}
	create(1)
	if !r.isPrompt(t.Context()) {
		t.Skip("this git answers at the end only")
	}
	first := r.mover.child.PID()
	create(2)
	equal(t, "process", r.mover.child.PID(), first)

	other := OID(own.Git("commit-tree", "-m", "other", "HEAD^{tree}"))
	assertStale(t, r.UpdateRef(t.Context(), Update{Ref: "refs/resume/n1", New: other}), StaleRefError{"refs/resume/n1", "", head})
	create(3)

	noError(t, "kill", syscall.Kill(r.mover.child.PID(), syscall.SIGKILL))
	create(4)
	create(5)
	marks, err := os.ReadDir(filepath.Join(own.Dir, ".git", "resume", "writing"))
	noError(t, "marks", err)
	equal(t, "marks", len(marks), 1)
	r.Close()
	equal(t, "processes that stay", r.mover == nil && r.batch == nil && r.differ == nil, true)
	own.Fsck()
}
