package plan

import (
	"path"
	"strings"

	"github.com/git-resume/git-resume/internal/textdoc"
)

// path reports an input or output that cannot be used, for example because it leads out of the worktree or into the .git folder.
func (c *checker) path(at place, owner, p string) {
	if p == "" {
		if c.places == nil {
			c.fault(at, owner+" has an empty path in '"+at.key+"'", "remove the empty path")
		}
		return // an empty path is a fault that was reported, here or by the reader of the plan
	}
	if why := pathFault(p); why != "" {
		c.fault(at, "'"+at.key+"' of "+owner+" has the path "+quote(p)+", which "+why, pathCure(why))
	}
}

// These are the reasons to refuse a path.
const (
	isAbsolute   = "is absolute"
	isHome       = "begins with '~'"
	isMagic      = "begins with ':'"
	hasDrive     = "names a drive"
	hasBackslash = "has a backslash"
	hasHidden    = "has a control character"
	leavesTree   = "has '..' in it"
	reachesGit   = "reaches into '.git'"
	isBadGlob    = "is not a valid pattern"
	hasGluedStar = "has '**' next to other text"
)

// pathFault returns the reason why a path or pattern cannot be used, or "".
func pathFault(p string) string {
	switch {
	case strings.ContainsFunc(p, textdoc.Hidden):
		return hasHidden
	case strings.HasPrefix(p, "/"):
		return isAbsolute
	case strings.HasPrefix(p, "~"):
		return isHome
	case strings.HasPrefix(p, ":"):
		return isMagic
	case len(p) > 1 && p[1] == ':':
		return hasDrive
	case strings.Contains(p, `\`):
		return hasBackslash
	}
	for _, part := range strings.Split(p, "/") {
		if why := partFault(part); why != "" {
			return why
		}
	}
	return ""
}

func partFault(part string) string {
	if part == ".." {
		return leavesTree
	}
	// Some file systems remove trailing dots and spaces, ignore case, or give .git the short name "git~1".
	bare := strings.ToLower(strings.TrimRight(part, ". "))
	if bare == ".git" || bare == "git~1" {
		return reachesGit
	}
	if _, err := path.Match(part, ""); err != nil {
		return isBadGlob
	}
	if strings.Contains(part, "**") && part != "**" {
		return hasGluedStar
	}
	return ""
}

func pathCure(why string) string {
	switch why {
	case isMagic:
		return "write the path without the ':', as a plain path or a pattern such as 'db/**'"
	case hasBackslash:
		return "write '/' between folders"
	case hasHidden:
		return "remove this character"
	case reachesGit:
		return "use files of the worktree; git's own files cannot be inputs or outputs"
	case isBadGlob:
		return "close every '[' with ']', and put something between them"
	case hasGluedStar:
		return "let '**' stand for whole folders, for example '**/*.go'"
	}
	return "write the path from the top of the repository, for example 'db/schema.sql'"
}
