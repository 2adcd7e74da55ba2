//go:build unix

package gitstate

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// A file that belongs to somebody else still does when root replaces it.
func TestReplace_keepsTheOwner(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root may give files away")
	}
	own := gittest.New(t)
	r := openAt(t, own)
	file, ours := filepath.Join(own.Dir, "state"), filepath.Join(own.Dir, ".git", "resume", "trusted")
	for path, write := range map[string]func(string, []byte) error{file: r.Replace, ours: WriteFile} {
		noError(t, "folder", os.MkdirAll(filepath.Dir(path), 0o755))
		noError(t, "write", os.WriteFile(path, []byte("old\n"), 0o600))
		noError(t, "chown", os.Chown(path, 12345, 12346))
		noError(t, "chmod", os.Chmod(path, 0o640))
		noError(t, "replace", write(path, []byte("new\n")))
		info, err := os.Stat(path)
		noError(t, "stat", err)
		st := info.Sys().(*syscall.Stat_t)
		if st.Uid != 12345 || st.Gid != 12346 || info.Mode().Perm() != 0o640 {
			t.Errorf("%s: %d:%d, mode %o", path, st.Uid, st.Gid, info.Mode().Perm())
		}
	}
}
