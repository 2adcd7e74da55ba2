package locate

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

// ReadSettings reads "section.key" (lower case) of a settings file; subsections are left out.
func ReadSettings(path string) map[string]string {
	text, err := ReadFile(path)
	if err != nil {
		return map[string]string{}
	}
	return dotgit.ParseSettings(string(text))
}

// IsTrue reads a yes/no setting; what is neither counts as no.
func IsTrue(v string) bool {
	b, _ := ParseBool(v)
	return b
}

// ParseBool reads git's words for yes and no; ok is false for any other.
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
