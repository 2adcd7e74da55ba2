//go:build unix

package gitstate

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/git-resume/git-resume/internal/dotgit"
	"github.com/git-resume/git-resume/internal/gittest"
)

// If root replaces a file of another user, the new file must still belong to that user.
func TestReplace_keepsTheOwner(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root may give files away")
	}
	own := gittest.New(t)
	r := openAt(t, own)
	file, ours := filepath.Join(own.Dir, "state"), filepath.Join(own.Dir, ".git", "resume", "trusted")
	for path, write := range map[string]func(string, []byte) error{file: r.Guard.Replace, ours: dotgit.WriteFile} {
		gittest.NoError(t, "folder", os.MkdirAll(filepath.Dir(path), 0o755))
		gittest.NoError(t, "write", os.WriteFile(path, []byte("old\n"), 0o600))
		gittest.NoError(t, "chown", os.Chown(path, 12345, 12346))
		gittest.NoError(t, "chmod", os.Chmod(path, 0o640))
		gittest.NoError(t, "replace", write(path, []byte("new\n")))
		info, err := os.Stat(path)
		gittest.NoError(t, "stat", err)
		st := info.Sys().(*syscall.Stat_t)
		if st.Uid != 12345 || st.Gid != 12346 || info.Mode().Perm() != 0o640 {
			t.Errorf("%s: %d:%d, mode %o", path, st.Uid, st.Gid, info.Mode().Perm())
		}
	}
}

// If a user cannot keep a file's group, the new group must not get the old group's permissions.
func TestReplace_givesNoRightsToAnotherGroup(t *testing.T) {
	t.Parallel()
	const first, second, team = 23401, 23402, 23499
	u := gittest.NewUsers(t)
	program := filepath.Join(u.Dir, "bin", "writer")
	text, err := os.ReadFile(os.Args[0])
	gittest.NoError(t, "read", err)
	gittest.NoError(t, "copy", gittest.WriteProgram(program, text))
	for name, c := range map[string]struct {
		groups []int
		group  uint32
		mode   os.FileMode
	}{
		"a member of its group": {[]int{team}, team, 0o664},
		"somebody else":         {nil, second, 0o604},
	} {
		t.Run(name, func(t *testing.T) {
			r := u.Be(second, u.Folder(name, second, second, 0o755), c.groups...)
			r.Git("init", "-q", ".")
			file := filepath.Join(r.Dir, "state")
			gittest.NoError(t, "write", os.WriteFile(file, []byte("old\n"), 0o600))
			gittest.NoError(t, "chown", os.Chown(file, first, team))
			gittest.NoError(t, "chmod", os.Chmod(file, 0o664))
			if out, code := r.With(writerVariable+"=replace", "GITSTATE_TEST_FILE="+file).Try(program); code != 0 {
				t.Fatalf("exit code %d\n%s", code, out)
			}
			info, err := os.Stat(file)
			gittest.NoError(t, "stat", err)
			if st := info.Sys().(*syscall.Stat_t); st.Uid != second || st.Gid != c.group || info.Mode().Perm() != c.mode {
				t.Errorf("%d:%d, mode %o", st.Uid, st.Gid, info.Mode().Perm())
			}
		})
	}
}
