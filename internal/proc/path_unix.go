//go:build unix

package proc

import (
	"os"
	"path/filepath"
	"strings"
)

// program searches the child's own PATH for the program; it returns the name itself if it finds nothing.
// It skips folders that are not absolute, because files in the user's current directory must not be trusted.
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

// variable returns the last value of a variable in the child's environment.
func (c Command) variable(name string) string {
	for i := len(c.Env) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(c.Env[i], name+"="); ok {
			return v
		}
	}
	return ""
}
