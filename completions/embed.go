// Package completions embeds the completion scripts of the shells, so that the program can install them.
package completions

import _ "embed"

// Each variable contains the completion script of one shell.
var (
	//go:embed git-resume.bash
	Bash []byte
	//go:embed _git-resume
	Zsh []byte
	//go:embed git-resume.fish
	Fish []byte
	// FishConf is a script that fish runs when it starts. It is needed to complete "git resume".
	//go:embed git-resume-conf.fish
	FishConf []byte
)
