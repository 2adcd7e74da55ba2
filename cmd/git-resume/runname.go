package main

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// runName returns a name for a run with a single command, if the user gave none. It is the name of the program that does the work. A
// shell, or a helper such as env, is skipped if runName can find out which program it starts.
func runName(args []string) string {
	name := filepath.Base(args[0])
	switch {
	case slices.Contains([]string{"sh", "bash", "dash", "zsh", "ksh", "fish"}, name):
		if work := shellWork(args[1:]); work != "" {
			return work
		}
	case slices.Contains([]string{"env", "nice", "nohup", "time", "command", "exec"}, name):
		if rest := behindAssignments(args[1:]); len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
			return runName(rest)
		}
	}
	return name
}

// shellWork returns the first program in a shell command, or the file name of a script. It returns "" if that is not obvious.
func shellWork(args []string) string {
	for i, a := range args {
		switch {
		case strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.Contains(a, "c"):
			if i+1 < len(args) {
				return firstProgram(args[i+1])
			}
			return ""
		case !strings.HasPrefix(a, "-"):
			return filepath.Base(a)
		}
	}
	return ""
}

// preludes contains commands that are not the real work, such as cd. language contains words of the shell that are not programs.
var (
	preludes = []string{"cd", "set", "export", "source", ".", "umask", "true", ":", "echo", "printf", "mkdir"}
	language = []string{"for", "while", "until", "if", "case", "function", "{", "!", "select", "test", "[", "[[", "exit", "trap", "eval", "read", "wait"}
)

// firstProgram returns the first program in a shell script. It does not parse the shell's syntax, and returns "" if the
// script is not simple.
func firstProgram(script string) string {
	script = regexp.MustCompile(`'[^']*'|"[^"]*"`).ReplaceAllString(script, "_") // replace quoted texts, because they may contain spaces
	for part := range strings.FieldsFuncSeq(script, func(r rune) bool { return strings.ContainsRune(";&|\n()", r) }) {
		words := behindAssignments(strings.Fields(part))
		if len(words) > 1 && words[0] == "exec" {
			words = words[1:]
		}
		if len(words) == 0 || slices.Contains(preludes, words[0]) {
			continue
		}
		if slices.Contains(language, words[0]) || words[0] == "_" || strings.ContainsAny(words[0], "$`*?[]~<>{}#\\\"'") {
			return ""
		}
		return filepath.Base(words[0])
	}
	return ""
}

func behindAssignments(words []string) []string {
	for len(words) > 0 {
		if name, _, ok := strings.Cut(words[0], "="); !ok || name == "" {
			break
		}
		words = words[1:]
	}
	return words
}
