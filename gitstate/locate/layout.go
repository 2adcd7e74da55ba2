package locate

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/internal/dotgit"
)

// layout holds the settings of a repository that decide where its worktree is. git reads these settings only from the
// repository's own files, so we can read them without starting git.
type layout struct {
	bare     bool
	workTree string
	// extended is true if the repository has an extension that is not in the list of usual ones, or a newer format.
	extended bool
}

// usual lists the extensions that every supported version of git knows.
var usual = []string{"noop", "worktreeconfig", "partialclone", "preciousobjects", "objectformat"}

// isExtended reports whether git may refuse a repository with these settings.
func isExtended(s map[string]string) bool {
	switch s["core.repositoryformatversion"] {
	case "", "0":
		return false // git ignores unknown extensions then
	case "1":
	default:
		return true
	}
	for key := range s {
		if name, is := strings.CutPrefix(key, "extensions."); is && !slices.Contains(usual, name) {
			return true
		}
	}
	return false
}

// readLayout reads the settings that all worktrees share. If extensions.worktreeConfig is on, the worktree's own settings override them. If
// it is off, core.bare and core.worktree do not apply to a linked worktree.
func readLayout(gitDir, commonDir string) layout {
	s := ReadSettings(filepath.Join(commonDir, "config"))
	extended := isExtended(s)
	if IsTrue(s["extensions.worktreeconfig"]) {
		for key, value := range ReadSettings(filepath.Join(gitDir, "config.worktree")) {
			s[key] = value
		}
	} else if gitDir != commonDir {
		return layout{extended: extended}
	}
	return layout{bare: IsTrue(s["core.bare"]), workTree: s["core.worktree"], extended: extended}
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
