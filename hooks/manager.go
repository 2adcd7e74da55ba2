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

// manager is a tool that owns the hooks of a repository: what we put into git's folder it would overwrite or never run.
type manager struct {
	name string
	// dir is where its hooks folder lies in the work tree; sign is a file by which it is known otherwise.
	dir  string
	sign []string
	// file is where our lines belong, and lines are what belongs there.
	file  string
	lines string
	// free: the lines can be added to the file as they are; otherwise a person must fit them in.
	free func(text string) bool
	// first: the lines go before all others, for a script may end before it comes to its last line.
	first bool
	// then is what makes the manager take notice.
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

// hasRoom reports whether another key can follow at the end of a YAML file: it has keys at its edge and nothing else,
// and none of them is ours. Where it is written in another way, such as in braces, a person must fit the lines in.
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

// The lines that mark what we added to another tool's file.
const (
	blockBegins = "# git-resume begins"
	blockEnds   = "# git-resume ends"
	// openLine is added to the first one where the file had no end of line, so that it has none again afterwards.
	openLine = " (the line before had no end)"
)

// managerOf finds the tool to which the hooks of this repository belong, or nil.
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
	if err := r.Guard.Replace(m.path(r), []byte(m.with(string(text)))); err != nil {
		return fmt.Errorf("write the file of %s: %w", m.name, err)
	}
	return nil
}

// with is a text with our lines in it; what says which program reads the file stays the first line.
func (m *manager) with(text string) string {
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

// remove takes our lines away; a file that held nothing else goes too.
func (m *manager) remove(r *gitstate.Repo) error {
	text, err := os.ReadFile(m.path(r))
	if err != nil {
		return err
	}
	left, ok := without(string(text))
	if !ok {
		return fmt.Errorf("'%s' holds only part of our lines; take them out by hand", m.file)
	}
	if left == "" {
		return os.Remove(m.path(r))
	}
	return r.Guard.Replace(m.path(r), []byte(left))
}

// without is a text as it was before our lines were put into it; not ok if they are not there as a whole.
func without(text string) (left string, ok bool) {
	before, rest, ok := strings.Cut(text, "\n"+blockBegins+openLine+"\n")
	if !ok {
		before, rest, ok = strings.Cut(text, blockBegins+"\n")
	}
	_, after, closed := strings.Cut(rest, blockEnds+"\n")
	return before + after, ok && closed
}

func (m *manager) text() []string { return strings.Split(strings.TrimRight(m.lines, "\n"), "\n") }
