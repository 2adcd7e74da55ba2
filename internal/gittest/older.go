package gittest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// olderCommit is the commit of the last version that stored journals as chains of commits, without signatures.
const olderCommit = "a888808"

var buildOlder = sync.OnceValues(func() (string, error) {
	root := moduleRoot()
	if err := exec.Command("git", "-C", root, "cat-file", "-e", olderCommit+"^{tree}").Run(); err != nil {
		return "", nil // the older version is not in this clone's history, for example in a shallow clone
	}
	dir, err := os.MkdirTemp("", "git-resume-test-older-")
	if err != nil {
		return "", err
	}
	built.Store(dir, true)
	// "git resume doctor" writes manual pages and completions next to the folder "bin", so "bin" must be inside a folder of our own.
	source, bin := filepath.Join(dir, "source"), filepath.Join(dir, "bin")
	script := `mkdir "$2" "$3" && git -C "$1" archive "$4" | tar xf - -C "$2"`
	if out, err := exec.Command("sh", "-c", script, "sh", root, source, bin, olderCommit).CombinedOutput(); err != nil {
		return "", fmt.Errorf("lay out the version before: %w\n%s", err, out)
	}
	// Use -trimpath, because the folder has a different name each time. Without the name in the program, Go can use its build cache.
	if err := BuildInto(bin, source, "-trimpath", "-tags", "urfave_cli_no_docs"); err != nil {
		return "", fmt.Errorf("build the version before: %w", err)
	}
	if err := os.RemoveAll(source); err != nil {
		return "", err
	}
	return bin, nil
})

// OlderBinary returns the folder that holds an older version of the program. It skips the test if that version is not in the history of
// this checkout, or if the installed git is older than 2.33.
func OlderBinary(t testing.TB) string {
	t.Helper()
	if !(Git{}).AtLeast(2, 33) {
		t.Skip("the version before needs git 2.33")
	}
	dir, err := buildOlder()
	if err != nil {
		t.Fatal(err)
	}
	if dir == "" {
		t.Skipf("the version before, %s, is not in this clone: fetch the whole history", olderCommit)
	}
	return dir
}

// Older returns the same repository with an older version of the program on its PATH.
func (r *Repo) Older() *Repo {
	r.T.Helper()
	dir, path := OlderBinary(r.T), ""
	for _, v := range r.Env {
		if list, ok := strings.CutPrefix(v, "PATH="); ok {
			path = list
		}
	}
	return r.With("PATH=" + dir + string(os.PathListSeparator) + path)
}
