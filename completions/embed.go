// Package completions embeds the completion scripts of the shells, so that the program can install them.
package completions

import _ "embed"

// The completion script of each shell.
var (
	//go:embed git-resume.bash
	Bash []byte
	//go:embed _git-resume
	Zsh []byte
	//go:embed git-resume.fish
	Fish []byte
	// FishConf runs when fish starts, so that "git resume" is completed too.
	//go:embed git-resume-conf.fish
	FishConf []byte
)
