//go:build unix

package proc

import (
	"os"
	"path/filepath"
	"strings"
)

// program searches the folders of the child's PATH for the program. If it finds nothing, or if the name contains a slash, it returns the
// name unchanged. It skips relative folders, because a program in the user's current directory must not be trusted.
func (c Command) program() string {
	if strings.Contains(c.Name, "/") {
		return c.Name
	}
	for _, dir := range filepath.SplitList(c.variable("PATH")) {
		path := filepath.Join(dir, c.Name)
		info, err := os.Stat(path)
		if filepath.IsAbs(dir) && err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path
		}
	}
	return c.Name
}

// variable returns the value of a variable in the child's environment. If the variable is set twice, the last value counts.
func (c Command) variable(name string) string {
	for i := len(c.Env) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(c.Env[i], name+"="); ok {
			return v
		}
	}
	return ""
}
