//go:build unix

package proc

import (
	"os"
	"path/filepath"
	"strings"
)

// program is the file that a child's own PATH leads to; the name itself if that finds nothing.
// Folders that are not absolute are passed over: what lies where the user stands is not to be trusted.
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

// variable is the last value of a variable in the child's environment.
func (c Command) variable(name string) string {
	for i := len(c.Env) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(c.Env[i], name+"="); ok {
			return v
		}
	}
	return ""
}
