// Package handler connects the parts of git-resume that work on one repository. They return results and errors as values, and
// internal/screen turns both into words.
package handler
