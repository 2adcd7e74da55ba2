package gittest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// olderCommit is the last version that wrote journals as chains of commits, without signatures.
const olderCommit = "a888808"

var buildOlder = sync.OnceValues(func() (string, error) {
	_, file, _, _ := runtime.Caller(0)
	root := filepath.Dir(filepath.Dir(filepath.Dir(file)))
	if err := exec.Command("git", "-C", root, "cat-file", "-e", olderCommit+"^{tree}").Run(); err != nil {
		return "", nil // a shallow clone, or no repository at all
	}
	dir, err := os.MkdirTemp("", "git-resume-test-older-")
	if err != nil {
		return "", err
	}
	built.Store(dir, true)
	script := `set -e
mkdir "$2/source"
git -C "$1" archive "$3" | tar xf - -C "$2/source"
cd "$2/source"
go build -trimpath -tags urfave_cli_no_docs -o "$2/git-resume" ./cmd/git-resume
rm -rf "$2/source"`
	if out, err := exec.Command("sh", "-c", script, "sh", root, dir, olderCommit).CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the version before: %w\n%s", err, out)
	}
	return dir, nil
})

// Older is the same repository with the program of the version before on its PATH.
// The test is skipped where that version is not in the history at hand.
func (r *Repo) Older() *Repo {
	r.T.Helper()
	dir, err := buildOlder()
	if err != nil {
		r.T.Fatal(err)
	}
	if dir == "" {
		r.T.Skipf("the version before, %s, is not in this clone: fetch the whole history", olderCommit)
	}
	path := ""
	for _, v := range r.Env {
		if list, ok := strings.CutPrefix(v, "PATH="); ok {
			path = list
		}
	}
	return r.With("PATH=" + dir + string(os.PathListSeparator) + path)
}
