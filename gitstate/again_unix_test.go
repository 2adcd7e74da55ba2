//go:build unix

package gitstate

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/internal/gittest"
)

// repairing is the input of a command that fails because of the file at path. The input is rewound by Seek before each new attempt. Seek
// counts the attempts in n, and deletes that file, so that the next attempt succeeds.
type repairing struct {
	*strings.Reader
	path string
	n    *int
}

func (m repairing) Seek(offset int64, whence int) (int64, error) {
	*m.n++
	_ = os.Remove(m.path)
	return m.Reader.Seek(offset, whence)
}

// TestGit_startsAgainAfterALostFolder checks that git is started again, at most five times, if it cannot write an object because the
// object's folder is missing. A dangling symbolic link in place of this folder makes git fail in the same way as a simultaneous "git gc".
func TestGit_startsAgainAfterALostFolder(t *testing.T) {
	t.Parallel()
	own := gittest.New(t)
	r := openAt(t, own)
	const text = "text of a file\n"
	id := strings.TrimSpace(own.Pipe(text, "hash-object", "--stdin"))
	folder := filepath.Join(own.Dir, ".git", "objects", id[:2])
	gittest.NoError(t, "link", os.Symlink("nowhere", folder))
	write := func(in io.Reader) error {
		_, err := r.Git(t.Context(), process.Call{Args: []string{"hash-object", "-w", "--stdin"}, Mode: process.Write, Stdin: in})
		return err
	}
	n := 0
	if err := write(repairing{strings.NewReader(text), "", &n}); err == nil || !strings.Contains(err.Error(), "unable to create temporary file") {
		t.Errorf("the folder stays away: %v", err)
	}
	gittest.Equal(t, "attempts after the first", n, 5)
	n = 0
	gittest.NoError(t, "the folder comes back", write(repairing{strings.NewReader(text), folder, &n}))
	gittest.Equal(t, "attempts after the first", n, 1)
	gittest.Equal(t, "the object", own.Git("cat-file", "-p", id), strings.TrimSpace(text))
}
