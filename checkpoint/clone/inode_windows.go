package clone

import "path/filepath"

// inodeOf falls back to the path: a moved repository then counts as another clone, which is the safe side.
func inodeOf(path string) string { return filepath.ToSlash(path) }

// deviceOf is nothing here.
func deviceOf(string) string { return "" }
