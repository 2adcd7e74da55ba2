package ongoing

import (
	"os"
	"path/filepath"

	"github.com/git-resume/git-resume/internal/gittest"
)

const someID = "0ff3bbb9c8bba2291654cd64067fa417ff54c508"

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// asideLocks lists the lock files that were moved out of git's way.
func asideLocks(own *gittest.Repo) []string {
	names, _ := filepath.Glob(filepath.Join(common(own), "resume", "trash", "locks", "*"))
	return names
}

func common(own *gittest.Repo) string {
	return own.Git("rev-parse", "--path-format=absolute", "--git-common-dir")
}
