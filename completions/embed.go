// Package completions holds what shells need to complete git resume, so that the program can put it in place.
package completions

import _ "embed"

// The completions of each shell.
var (
	//go:embed git-resume.bash
	Bash []byte
	//go:embed _git-resume
	Zsh []byte
	//go:embed git-resume.fish
	Fish []byte
)
