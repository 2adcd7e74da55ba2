package proc

import (
	"path/filepath"
	"slices"
	"strings"
)

// shells lists the names of shells. A shell that is called with "-c" does not count as the process that does the work (see Driver), because
// it only runs one command.
var shells = []string{"sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "csh", "tcsh", "yash"}

// carriers lists programs that only run commands for another process. They do not count as the process that does the work (see Driver).
var carriers = []string{"git", "timeout", "sudo", "doas", "strace", "ltrace", "time", "setsid", "flock", "nohup", "env", "nice", "xargs",
	"script", "unshare", "runuser", "tini", "dumb-init"}

func isCarrier(args []string) bool {
	name := programName(args)
	if slices.Contains(carriers, name) || strings.HasPrefix(name, "git-") {
		return true
	}
	return useOfShell(args) == oneCommand
}

// IsTerminalShell reports whether a command line starts a shell that reads its commands from a terminal or a pipe.
// Such a shell stays alive when the work that it started dies.
func IsTerminalShell(args []string) bool { return useOfShell(args) == reading }

// IsScript reports whether a command line starts a shell that runs a script file or a -c argument.
func IsScript(args []string) bool {
	use := useOfShell(args)
	return use == script || use == oneCommand
}

// shellUse says how a command line uses a shell.
type shellUse int

const (
	noShell shellUse = iota
	oneCommand
	script
	reading
)

// useOfShell finds out from a command line how a shell is used. The first word that is not an option ends the options, as in a real shell.
func useOfShell(args []string) shellUse {
	if len(args) > 1 && programName(args) == "busybox" {
		args = args[1:]
	}
	if options := windowsShells[programName(args)]; options != nil && len(args) > 0 {
		return useOfWindowsShell(options, args[1:])
	}
	if len(args) == 0 || !slices.Contains(shells, programName(args)) {
		return noShell
	}
	for i := 1; i < len(args); i++ {
		switch a := args[i]; {
		case a == "-" || a == "--":
			return useOfRest(args[i+1:])
		case a == "" || a[0] != '-' && a[0] != '+':
			return script
		case a == "--command" || strings.HasPrefix(a, "--command="):
			return oneCommand
		case a == "--rcfile" || a == "--init-file":
			i++
		case strings.HasPrefix(a, "--"):
		case a[0] == '-' && strings.Contains(a, "c"):
			return oneCommand
		case a[0] == '-' && strings.Contains(a, "s"):
			return reading
		case strings.ContainsAny(a[len(a)-1:], "oO"): // skip the next word, which is the value of this option
			i++
		}
	}
	return reading
}

// windowsShells lists the shells of Windows with their options after which a single command or a script follows.
var windowsShells = map[string][]string{"cmd": {"/c", "/r"}, "powershell": powershell, "pwsh": powershell}

var powershell = []string{"-c", "-command", "-e", "-ec", "-encodedcommand", "-f", "-file"}

// useOfWindowsShell finds out how a shell of Windows is used. Its options may be written in any case.
func useOfWindowsShell(options, words []string) shellUse {
	for _, w := range words {
		at := slices.Index(options, strings.ToLower(w))
		switch {
		case at < 0:
		case strings.HasPrefix(options[at], "-f"):
			return script
		default:
			return oneCommand
		}
	}
	return reading
}

func useOfRest(words []string) shellUse {
	if len(words) > 0 {
		return script
	}
	return reading
}

// programName returns the name of the program in a command line, without its folder, without the leading "-" of a login shell, and without
// the ending of programs on Windows.
func programName(args []string) string {
	if len(args) == 0 {
		return ""
	}
	name := filepath.Base(args[0])
	if len(name) > len(".exe") && strings.EqualFold(name[len(name)-len(".exe"):], ".exe") { // as Windows, ignore case
		name = strings.ToLower(name[:len(name)-len(".exe")])
	}
	return strings.TrimPrefix(name, "-")
}
