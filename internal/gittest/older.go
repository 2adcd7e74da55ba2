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

// olderCommit is the last version that wrote journals as chains of commits, without signatures.
const olderCommit = "a888808"

var buildOlder = sync.OnceValues(func() (string, error) {
	root := moduleRoot()
	if err := exec.Command("git", "-C", root, "cat-file", "-e", olderCommit+"^{tree}").Run(); err != nil {
		return "", nil // a shallow clone, or not a repository at all
	}
	dir, err := os.MkdirTemp("", "git-resume-test-older-")
	if err != nil {
		return "", err
	}
	built.Store(dir, true)
	source, bin := filepath.Join(dir, "source"), filepath.Join(dir, "bin")
	script := `mkdir "$2" "$3" && git -C "$1" archive "$4" | tar xf - -C "$2"`
	if out, err := exec.Command("sh", "-c", script, "sh", root, source, bin, olderCommit).CombinedOutput(); err != nil {
		return "", fmt.Errorf("lay out the version before: %w\n%s", err, out)
	}
	// The folder has another name each time. -trimpath keeps that name out of the program, so that Go finds in its cache what it built before.
	if err := BuildInto(bin, source, "-trimpath", "-tags", "urfave_cli_no_docs"); err != nil {
		return "", fmt.Errorf("build the version before: %w", err)
	}
	if err := os.RemoveAll(source); err != nil {
		return "", err
	}
	return bin, nil // doctor installs manual pages and completions beside this folder, inside dir
})

// OlderBinary returns the folder that holds the program of the version before.
// The test is skipped where that version is not in the history of this checkout.
func OlderBinary(t testing.TB) string {
	t.Helper()
	dir, err := buildOlder()
	if err != nil {
		t.Fatal(err)
	}
	if dir == "" {
		t.Skipf("the version before, %s, is not in this clone: fetch the whole history", olderCommit)
	}
	return dir
}

// Older returns the same repository with the program of the version before on its PATH.
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
