package main

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// runName is the name of a single command's run if the user gave none: it names the program that does the work,
// not the shell that starts it.
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

// shellWork is the first program in a shell's script, or the script's own name; empty if that is not obvious.
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

// preludes are commands that only prepare for the one that matters; language are words of the shell's own language, not programs.
var (
	preludes = []string{"cd", "set", "export", "source", ".", "umask", "true", ":", "echo", "printf", "mkdir"}
	language = []string{"for", "while", "until", "if", "case", "function", "{", "!", "select", "test", "[", "[[", "exit", "trap", "eval", "read", "wait"}
)

// firstProgram does not parse shell: it gives up if it would have to understand more than plain words.
func firstProgram(script string) string {
	script = regexp.MustCompile(`'[^']*'|"[^"]*"`).ReplaceAllString(script, "_") // a value with spaces stays together
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
