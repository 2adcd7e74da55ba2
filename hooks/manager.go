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

// manager describes a tool that owns the hooks of a repository. A hook that we put into git's hooks folder would be
// overwritten or ignored.
type manager struct {
	name string
	// dir is the tool's hooks folder in the worktree. A tool without such a folder is recognized by one of the files in markerFiles.
	dir         string
	markerFiles []string
	// file is the tool's file to which our lines are added.
	file  string
	lines string
	// canAppend reports whether our lines can be added to the given text of the file. If not, a person must insert them.
	canAppend func(text string) bool
	// prepend is true if our lines are added at the beginning of the file, below a line with "#!". A script may exit before its last line.
	prepend bool
	// The field "then" is the command that makes the manager load the changed file, or empty if no command is needed.
	then string
}

const call = `git-resume hook post-checkout "$@" || :`

var managers = []manager{
	{
		name: "husky", dir: ".husky", file: ".husky/post-checkout", lines: call + "\n",
		canAppend: func(string) bool { return true }, prepend: true,
	},
	{
		name: "lefthook", markerFiles: []string{"lefthook.yml", "lefthook.yaml", ".lefthook.yml", ".lefthook.yaml", "lefthook.toml", "lefthook.json"},
		file:      "lefthook-local.yml",
		lines:     "post-checkout:\n  commands:\n    git-resume:\n      run: git-resume hook post-checkout {0} || true\n",
		canAppend: func(text string) bool { return canAppendKey(text, "post-checkout:") },
		then:      "lefthook install",
	},
	{
		name: "overcommit", markerFiles: []string{".overcommit.yml"}, file: ".overcommit.yml",
		lines:     "PostCheckout:\n  GitResume:\n    enabled: true\n    command: ['git-resume', 'hook', 'post-checkout']\n",
		canAppend: func(text string) bool { return canAppendKey(text, "PostCheckout:") },
		then:      "overcommit --sign",
	},
}

// canAppendKey reports whether another key can be appended to a YAML file. That is possible if every unindented line is blank, a comment,
// "---", or a key other than ours. If the file has another form, such as braces, a person must insert our lines.
func canAppendKey(text, key string) bool {
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

// These lines mark the beginning and the end of our lines in another tool's file.
const (
	blockBegins = "# git-resume begins"
	blockEnds   = "# git-resume ends"
	// openLine is added to blockBegins if the file did not end with a newline, so that uninstalling can restore that state. These words are
	// in people's files, so they must stay as they are.
	openLine = " (the line before had no end)"
)

// managerOf finds the tool that owns the hooks of this repository. It returns nil if no known tool does.
func managerOf(r *gitstate.Repo, dir string) *manager {
	if r.WorkTree == "" {
		return nil
	}
	for i := range managers {
		m := &managers[i]
		if m.dir != "" && strings.HasPrefix(dir+"/", filepath.Join(r.WorkTree, m.dir)+"/") {
			return m
		}
		for _, s := range m.markerFiles {
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

// has reports whether the manager's file contains our lines.
func (m *manager) has(r *gitstate.Repo) bool {
	text, err := os.ReadFile(m.path(r))
	return err == nil && bytes.Contains(text, []byte(blockBegins))
}

// add puts our lines into the manager's file. If a person must insert them, it returns a *ManagedError.
func (m *manager) add(r *gitstate.Repo) error {
	return locked(r, r.WorkTree, func() error { return m.addNow(r) })
}

func (m *manager) addNow(r *gitstate.Repo) error {
	text, err := os.ReadFile(m.path(r))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("read the hook file of %s: %w", m.name, err)
	}
	switch {
	case bytes.Contains(text, []byte(blockBegins)):
		return nil // another process has just added them
	case !m.canAppend(string(text)):
		return &ManagedError{Manager: m.name, File: m.file, Lines: m.text(), ByHand: true}
	}
	if err := r.Guard.Replace(m.path(r), []byte(m.addLines(string(text)))); err != nil {
		return fmt.Errorf("write the hook file of %s: %w", m.name, err)
	}
	return nil
}

// addLines returns the text with our lines added. A first line with "#!" stays the first line if a newline follows it.
func (m *manager) addLines(text string) string {
	block := blockBegins + "\n" + m.lines + blockEnds + "\n"
	if m.prepend {
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

// remove removes our lines from the hook manager's file. It deletes the file if nothing else is in it.
func (m *manager) remove(r *gitstate.Repo) error {
	return locked(r, r.WorkTree, func() error { return m.removeNow(r) })
}

func (m *manager) removeNow(r *gitstate.Repo) error {
	text, err := os.ReadFile(m.path(r))
	if errors.Is(err, os.ErrNotExist) || err == nil && !bytes.Contains(text, []byte(blockBegins)) {
		return nil // another process has just removed them
	}
	if err != nil {
		return err
	}
	left, ok := removeLines(string(text))
	if !ok {
		return fmt.Errorf("'%s' contains only some of the lines that git-resume added; remove them by hand", m.file)
	}
	if left == "" {
		return os.Remove(m.path(r))
	}
	return r.Guard.Replace(m.path(r), []byte(left))
}

// removeLines returns the text as it was before our lines were added. ok is false if our lines are missing or incomplete.
func removeLines(text string) (left string, ok bool) {
	before, rest, ok := strings.Cut(text, "\n"+blockBegins+openLine+"\n")
	if !ok {
		before, rest, ok = strings.Cut(text, blockBegins+"\n")
	}
	_, after, closed := strings.Cut(rest, blockEnds+"\n")
	return before + after, ok && closed
}

func (m *manager) text() []string { return strings.Split(strings.TrimRight(m.lines, "\n"), "\n") }
