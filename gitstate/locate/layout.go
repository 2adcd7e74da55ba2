package locate

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/internal/dotgit"
)

// layout holds the settings of a repository that decide where its worktree is. git reads these settings only from the
// repository's own files, so we can read them without starting git.
type layout struct {
	bare     bool
	workTree string
}

// readLayout reads the settings that all worktrees share. If extensions.worktreeConfig is on, the worktree's own settings override them. If
// it is off, core.bare and core.worktree do not apply to a linked worktree.
func readLayout(gitDir, commonDir string) layout {
	s := ReadSettings(filepath.Join(commonDir, "config"))
	if IsTrue(s["extensions.worktreeconfig"]) {
		for key, value := range ReadSettings(filepath.Join(gitDir, "config.worktree")) {
			s[key] = value
		}
	} else if gitDir != commonDir {
		return layout{}
	}
	return layout{bare: IsTrue(s["core.bare"]), workTree: s["core.worktree"]}
}

// ReadSettings reads a settings file into a map from "section.key" (lower case) to the value. It leaves out subsections. The map is empty
// if the file cannot be read.
func ReadSettings(path string) map[string]string {
	text, err := ReadFile(path)
	if err != nil {
		return map[string]string{}
	}
	return dotgit.ParseSettings(string(text))
}

// IsTrue returns the value of a yes/no setting. A value that is not yes or no counts as no.
func IsTrue(v string) bool {
	b, _ := ParseBool(v)
	return b
}

// ParseBool reads git's words for yes and no. The empty text and the number 0 mean no, and any other number means yes. ok is false for any
// other text.
func ParseBool(v string) (yes, ok bool) {
	switch strings.ToLower(v) {
	case "true", "yes", "on", "1":
		return true, true
	case "false", "no", "off", "0", "":
		return false, true
	}
	n, err := strconv.Atoi(v)
	return n != 0, err == nil
}
