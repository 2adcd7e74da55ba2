package gitstate

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// TestReplace_killed kills a writer that has made a new file but not yet moved it into place. The next writer removes the new file, but
// only after the first writer is dead.
func TestReplace_killed(t *testing.T) {
	t.Parallel()
	own := gittest.New(t)
	dir := gittest.OtherDevice(t, own.Dir)
	own = own.With("GITSTATE_TEST_FILE=" + filepath.Join(dir, "odd\nname"))
	made := filepath.Join(dir, "made")
	w := startWriter(t, own, "beside", "", made)
	r := openAt(t, own)
	if _, err := r.Guard.Writing(); err != nil {
		t.Fatal(err)
	}
	r.Close()
	if n := strings.Count(gittest.ListDir(t, dir), ".tmp"); n != 1 {
		t.Fatalf("a living writer's file is gone: %q", gittest.ListDir(t, dir))
	}
	w.kill(w.cmd.Process.Pid)
	r = openAt(t, own)
	if _, err := r.Guard.Writing(); err != nil {
		t.Fatal(err)
	}
	if names := gittest.ListDir(t, dir); names != "made" {
		t.Errorf("%q is left", names)
	}
}
