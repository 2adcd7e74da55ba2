package hooks

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
)

// manager is a tool that owns the hooks of a repository: it would overwrite a hook that we put into git's folder, or never run it.
type manager struct {
	name string
	// dir is the tool's hooks folder in the work tree; sign lists the files by which the tool is recognized otherwise.
	dir  string
	sign []string
	// file is where our lines belong, and lines are those lines.
	file  string
	lines string
	// free reports whether the lines can be added to the file as they are; otherwise a person must fit them in.
	free func(text string) bool
	// first: our lines go before all others, because a script may exit before it reaches its last line.
	first bool
	// then is the command that makes the manager load the changed file.
	then string
}

const call = `git-resume hook post-checkout "$@" || :`

var managers = []manager{
	{
		name: "husky", dir: ".husky", file: ".husky/post-checkout", lines: call + "\n",
		free: func(string) bool { return true }, first: true,
	},
	{
		name: "lefthook", sign: []string{"lefthook.yml", "lefthook.yaml", ".lefthook.yml", ".lefthook.yaml", "lefthook.toml", "lefthook.json"},
		file:  "lefthook-local.yml",
		lines: "post-checkout:\n  commands:\n    git-resume:\n      run: git-resume hook post-checkout {0} || true\n",
		free:  func(text string) bool { return hasRoom(text, "post-checkout:") },
		then:  "lefthook install",
	},
	{
		name: "overcommit", sign: []string{".overcommit.yml"}, file: ".overcommit.yml",
		lines: "PostCheckout:\n  GitResume:\n    enabled: true\n    command: ['git-resume', 'hook', 'post-checkout']\n",
		free:  func(text string) bool { return hasRoom(text, "PostCheckout:") },
		then:  "overcommit --sign",
	},
}

// hasRoom reports whether another key can be appended to a YAML file: every line that is not indented is a key,
// and none of those keys is ours. If the file is written in another form, such as braces, a person must fit the lines in.
func hasRoom(text, key string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case line == "" || line == "---" || strings.ContainsAny(line[:1], " \t#"):
		case strings.ContainsAny(line[:1], "{}[]\"'-&*!|>@`%?,") || !strings.Contains(line, ":") || strings.HasPrefix(line, key):
			return false
		}
	}
	return true
}

// These lines mark what we added to another tool's file.
const (
	blockBegins = "# git-resume begins"
	blockEnds   = "# git-resume ends"
	// openLine is added to blockBegins if the file did not end with a newline, so that uninstalling can restore that.
	openLine = " (the line before had no end)"
)

// managerOf finds the tool that owns the hooks of this repository; it returns nil if there is none.
func managerOf(r *gitstate.Repo, dir string) *manager {
	if r.WorkTree == "" {
		return nil
	}
	for i := range managers {
		m := &managers[i]
		if m.dir != "" && strings.HasPrefix(dir+"/", filepath.Join(r.WorkTree, m.dir)+"/") {
			return m
		}
		for _, s := range m.sign {
			if _, err := os.Stat(filepath.Join(r.WorkTree, s)); err == nil {
				return m
			}
		}
	}
	return nil
}

func (m *manager) path(r *gitstate.Repo) string {
	return filepath.Join(r.WorkTree, filepath.FromSlash(m.file))
}

// has reports whether the manager's file holds our lines.
func (m *manager) has(r *gitstate.Repo) bool {
	text, err := os.ReadFile(m.path(r))
	return err == nil && bytes.Contains(text, []byte(blockBegins))
}

// add puts our lines into the manager's file.
func (m *manager) add(r *gitstate.Repo) error {
	text, err := os.ReadFile(m.path(r))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("read the file of %s: %w", m.name, err)
	}
	if !m.free(string(text)) {
		return &ManagedError{Manager: m.name, File: m.file, Lines: m.text(), Fit: true}
	}
	if err := r.Guard.Replace(m.path(r), []byte(m.addLines(string(text)))); err != nil {
		return fmt.Errorf("write the file of %s: %w", m.name, err)
	}
	return nil
}

// addLines returns the text with our lines added; a line "#!" stays the first one.
func (m *manager) addLines(text string) string {
	block := blockBegins + "\n" + m.lines + blockEnds + "\n"
	if m.first {
		head, rest := "", text
		if line, after, ok := strings.Cut(text, "\n"); ok && strings.HasPrefix(line, "#!") {
			head, rest = line+"\n", after
		}
		return head + block + rest
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		return text + "\n" + strings.Replace(block, blockBegins, blockBegins+openLine, 1)
	}
	return text + block
}

// remove takes our lines out of the manager's file, and deletes the file if it held nothing else.
func (m *manager) remove(r *gitstate.Repo) error {
	text, err := os.ReadFile(m.path(r))
	if err != nil {
		return err
	}
	left, ok := removeLines(string(text))
	if !ok {
		return fmt.Errorf("'%s' holds only part of our lines; take them out by hand", m.file)
	}
	if left == "" {
		return os.Remove(m.path(r))
	}
	return r.Guard.Replace(m.path(r), []byte(left))
}

// removeLines returns the text as it was before our lines were added; ok is false if our lines are not there completely.
func removeLines(text string) (left string, ok bool) {
	before, rest, ok := strings.Cut(text, "\n"+blockBegins+openLine+"\n")
	if !ok {
		before, rest, ok = strings.Cut(text, blockBegins+"\n")
	}
	_, after, closed := strings.Cut(rest, blockEnds+"\n")
	return before + after, ok && closed
}

func (m *manager) text() []string { return strings.Split(strings.TrimRight(m.lines, "\n"), "\n") }
