package main

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/gittest"
)

func TestHints_areExecuted(t *testing.T) {
	executed := map[string]bool{}
	for _, text := range filesOf(t, allScripts...) {
		for line := range strings.Lines(text) {
			for _, m := range regexp.MustCompile(`git(?:-resume| resume)\b[^;&|)]*`).FindAllString(line, -1) {
				executed[shape(m)] = true
			}
		}
	}
	hinted := 0
	for file, text := range filesOf(t, screens...) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, m := range regexp.MustCompile("git resume [^\\n\"'`()]*").FindAllString(strings.ReplaceAll(text, `\n`, "\n"), -1) {
			hinted++
			if !anyLike(executed, shape(m)) {
				t.Errorf("%s: no script executes anything like %q (%s)", filepath.Base(file), m, shape(m))
			}
		}
	}
	if hinted == 0 {
		t.Error("no hints were found")
	}
}

// suggested matches the forms in which a screen suggests a command: in quotes, in brackets, behind a colon, or as the first column of a table.
var suggested = regexp.MustCompile(`'(git resume[^'\n]*)'|"(git resume[^"\n]*)"|\[(git resume[^\]\n]*)\]|\((git resume[^()\n]*)\)|(?m:(?:^  +|: )(git resume(?: -?[^\s()]+)*)(?:$|  ))`)

// suggestions returns the commands that a screen suggests.
func suggestions(screen string) (out []string) {
	for _, m := range suggested.FindAllStringSubmatch(screen, -1) {
		out = append(out, strings.Join(m[1:], ""))
	}
	return out
}

// notSuggested matches the lines of the script, usage lines, and lines that only speak of a command.
var notSuggested = regexp.MustCompile(`^[>#]|usage: |^error: |^ +git resume .*[[|]|^  [-+~] |"git resume (set|skipped) |git resume .*(COMMAND|[[|])`)

// Every command that a picture shows as a suggestion is typed into a shell, as users do, in an empty repository. There it can do nothing, but
// a command line that the program does not understand is a usage error also there.
func TestHints_areUnderstood(t *testing.T) {
	t.Parallel()
	if got := suggestions("hint: see it with 'git resume log a'\n  git resume a --yes   continue\nTo get it back: git resume undo a\n"); len(got) != 3 {
		t.Fatalf("suggestions: %q", got)
	}
	known := map[string]string{}
	for _, text := range filesOf(t, "testdata/pictures/*.txt") {
		for line := range strings.Lines(text) {
			if notSuggested.MatchString(line) {
				continue
			}
			for _, s := range suggestions(line) {
				if form := shape(s) + " " + strconv.Itoa(len(strings.Fields(s))); s < known[form] || known[form] == "" {
					known[form] = s
				}
			}
		}
	}
	nowhere := gittest.Empty(t).WithBinary()
	nowhere.Git("remote", "add", "origin", "../nothing")
	for _, s := range slices.Sorted(maps.Values(known)) {
		if strings.HasPrefix(s, "git resume demo") || strings.HasPrefix(s, "git resume agents") { // they need no repository
			continue
		}
		if mentioned(s) {
			continue
		}
		out, code := nowhere.Try("sh", "-c", s+" </dev/null")
		if code == exit.Usage && !strings.HasSuffix(s, " -h") || code == 127 {
			t.Errorf("%s: exit code %d\n%s", s, code, out)
		}
	}
}

// mentioned reports whether a sentence only mentions a command.
func mentioned(s string) bool {
	return s == "git resume start" || s == "git resume task start" || strings.Contains(s, "[--task TASK]")
}

// placeholder matches a line with a command that contains RUN or NAME.
var placeholder = regexp.MustCompile(`(?m)^.*\bgit resume\b[^"'\n]*\b(RUN|NAME)\b.*$`)

// unnamed returns the first line that suggests a command with RUN or NAME instead of a real name, or "" if there is none. Usage lines may
// contain these words.
func unnamed(text string) string {
	for _, line := range placeholder.FindAllString(text, -1) {
		if !strings.Contains(line, "usage:") && !strings.Contains(line, "[RUN") && !strings.Contains(line, "start --name NAME") {
			return line
		}
	}
	return ""
}

func TestHints_carryTheName(t *testing.T) {
	if unnamed("hint: see it with 'git resume log RUN'") == "" || unnamed("usage: git resume log [RUN]") != "" {
		t.Fatal("a name that is left out is not found")
	}
	for _, patterns := range [][]string{allScripts, screens, {"../../internal/sources/*/testdata/*.golden"}} {
		for file, text := range filesOf(t, patterns...) {
			if hint := unnamed(text); hint != "" && !strings.HasSuffix(file, "_test.go") {
				t.Errorf("%s: %s", file, hint)
			}
		}
	}
}

// anyLike reports whether one of the executed commands has the name of the hint and all flags of the hint.
func anyLike(executed map[string]bool, hint string) bool {
	words, flags, _ := strings.Cut(hint, "--")
	for command := range executed {
		own, _, flagged := strings.Cut(command, "--")
		have := strings.Fields(command)
		missing := slices.ContainsFunc(strings.Fields(hint), func(f string) bool { return !slices.Contains(have, f) })
		if own == words && flagged == (flags != "") && !missing {
			return true
		}
	}
	return false
}

// screens lists the source files that contain messages for people.
var screens = []string{"../../internal/screen/*.go", "../../internal/screen/*/*.go"}

func filesOf(t *testing.T, patterns ...string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, name := range matching(t, patterns...) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out[name] = string(text)
	}
	return out
}

// shape returns the parts of a command that identify it: its name and its long flags.
func shape(command string) string {
	words := strings.Fields(command)
	if words[0] == "git" {
		words = words[1:]
	}
	var name, flags []string
	known := commandNames()
	for _, w := range words[1:] {
		w = strings.Trim(w, "\"',.\\")
		switch {
		case strings.HasPrefix(w, "--"):
			w, _, _ = strings.Cut(w, "=")
			flags = append(flags, w)
		case len(name) == 0 && len(flags) == 0 && known[w], len(name) == 1 && known[name[0]+" "+w]:
			name = append(name, w)
		}
	}
	slices.Sort(flags)
	return strings.TrimSpace(strings.Join(name, " ") + " " + strings.Join(slices.Compact(flags), " "))
}

// commandNames returns the names of the program's commands and subcommands.
func commandNames() map[string]bool {
	out := map[string]bool{}
	p := &program{}
	for _, c := range (commands{p}).app().Commands {
		out[c.Name] = true
		for _, sub := range c.Subcommands {
			out[c.Name+" "+sub.Name] = true
		}
	}
	return out
}

// matching returns the names of the files that match the patterns. It fails the test if no file matches.
func matching(t *testing.T, patterns ...string) (names []string) {
	t.Helper()
	for _, pattern := range patterns {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, found...)
	}
	if len(names) == 0 {
		t.Fatalf("%s: no files", patterns)
	}
	return names
}
