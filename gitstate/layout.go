package gitstate

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/internal/dotgit"
)

// layout is what a repository's own settings say about where its work tree is.
// git takes it from these files alone, never from the user's settings or from included files,
// so that it can be read here without starting git.
type layout struct {
	bare     bool
	workTree string
}

// readLayout reads the shared settings, and above them the worktree's own where these are in use.
// A linked worktree without settings of its own is neither bare nor elsewhere, whatever the shared ones say.
func readLayout(gitDir, commonDir string) layout {
	s := readSettings(filepath.Join(commonDir, "config"))
	if isTrue(s["extensions.worktreeconfig"]) {
		for key, value := range readSettings(filepath.Join(gitDir, "config.worktree")) {
			s[key] = value
		}
	} else if gitDir != commonDir {
		return layout{}
	}
	return layout{bare: isTrue(s["core.bare"]), workTree: s["core.worktree"]}
}

// readSettings reads "section.key" (lower case) of a settings file; subsections are left out.
func readSettings(path string) map[string]string {
	text, err := readFile(path)
	if err != nil {
		return map[string]string{}
	}
	return dotgit.ParseSettings(string(text))
}

// isTrue reads a yes/no setting; what is neither counts as no.
func isTrue(v string) bool {
	b, _ := parseBool(v)
	return b
}

// parseBool reads git's words for yes and no; ok is false for any other.
func parseBool(v string) (yes, ok bool) {
	switch strings.ToLower(v) {
	case "true", "yes", "on", "1":
		return true, true
	case "false", "no", "off", "0", "":
		return false, true
	}
	n, err := strconv.Atoi(v)
	return n != 0, err == nil
}
