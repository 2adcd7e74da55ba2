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

// recordsCommit is the version whose records every later version reads and continues. The tests build it from the history of this repository.
const recordsCommit = "65a1fd9d"

// HistoryEnv is the environment variable that says that the tests run in a clone with the whole history. They then fail if an earlier
// version is missing there; otherwise they are skipped, because the user may have a shallow clone.
const HistoryEnv = "GIT_RESUME_TEST_HISTORY"

var buildRecords = sync.OnceValues(func() (string, error) { return buildCommit(recordsCommit) })

// buildCommit builds the program as it was at a commit, and returns its folder. The result is empty if the history lacks the commit.
func buildCommit(commit string) (string, error) {
	root := moduleRoot()
	if err := exec.Command("git", "-C", root, "cat-file", "-e", commit+"^{tree}").Run(); err != nil {
		return "", nil
	}
	dir, err := os.MkdirTemp("", "git-resume-test-older-")
	if err != nil {
		return "", err
	}
	built.Store(dir, true)
	// "git resume doctor" writes manual pages and completions next to the folder "bin", so "bin" must be inside a folder of our own.
	source, bin := filepath.Join(dir, "source"), filepath.Join(dir, "bin")
	script := `mkdir "$2" "$3" && git -C "$1" archive "$4" | tar xf - -C "$2"`
	if out, err := exec.Command("sh", "-c", script, "sh", root, source, bin, commit).CombinedOutput(); err != nil {
		return "", fmt.Errorf("lay out version %s: %w\n%s", commit, err, out)
	}
	// Use -trimpath, because the folder has a different name each time. Without the name in the program, Go can use its build cache.
	if err := BuildInto(bin, source, "-trimpath", "-tags", "urfave_cli_no_docs"); err != nil {
		return "", fmt.Errorf("build version %s: %w", commit, err)
	}
	if err := os.RemoveAll(source); err != nil {
		return "", err
	}
	return bin, nil
}

func earlier(t testing.TB, commit string, build func() (string, error)) string {
	t.Helper()
	if !(Git{}).AtLeast(2, 33) {
		t.Skipf("version %s needs git 2.33", commit)
	}
	dir, err := build()
	switch {
	case err != nil:
		t.Fatal(err)
	case dir == "" && os.Getenv(HistoryEnv) != "":
		t.Fatalf("old records cannot be tested: version %s is not in this clone. Fetch the whole history of the repository", commit)
	case dir == "":
		t.Skipf("version %s is not in this clone: fetch the whole history", commit)
	}
	return dir
}

// Recorded returns the same repository with the version whose records must stay readable on its PATH.
func (r *Repo) Recorded() *Repo {
	r.T.Helper()
	return r.withProgram(earlier(r.T, recordsCommit, buildRecords))
}

// withProgram returns the same repository with a folder before the others on its PATH.
func (r *Repo) withProgram(dir string) *Repo {
	path := ""
	for _, v := range r.Env {
		if list, ok := strings.CutPrefix(v, "PATH="); ok {
			path = list
		}
	}
	return r.With("PATH=" + dir + string(os.PathListSeparator) + path)
}
