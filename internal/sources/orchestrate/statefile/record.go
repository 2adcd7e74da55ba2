// Package statefile reads and edits the state files of the orchestrate tools, which differ in format and field names. It does not
// decide what is reported.
package statefile

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
	"github.com/git-resume/git-resume/internal/textdoc/yamldoc"
)

// Record is the content of a state file, or of the best replacement if the file is broken.
type Record struct {
	Path   string
	Value  textdoc.Value
	Doubts []sources.Doubt
	// Rebuilt means that Value does not come from the file itself. Older means that an intact version was found, which can replace the
	// file. Broken means that there is no Value.
	Rebuilt, Older, Broken bool
}

// parser parses a state file. It returns an error if the content does not look like the expected kind of file.
type parser func([]byte) (textdoc.Value, error)

// Format returns the parser for a file, depending on its extension. The parser returns an error if the content cannot be parsed, or has
// none of the required keys.
func Format(name string, must ...string) parser {
	parse := yamldoc.Parse
	if strings.HasSuffix(strings.TrimSuffix(name, ".bak"), ".json") {
		parse = textdoc.ParseJSON
	}
	return func(data []byte) (textdoc.Value, error) {
		v, err := parse(data)
		if err != nil {
			return v, err
		}
		if !v.IsObject() {
			return v, &textdoc.DamageError{Why: "does not consist of keys and values"}
		}
		if len(must) > 0 && !v.Get(must...).Is() {
			return v, &textdoc.DamageError{Why: "has none of the keys " + strings.Join(must, ", ")}
		}
		return v, nil
	}
}

// Files reads the files of one worktree, and their versions in git.
type Files struct {
	Ctx  context.Context
	View *sources.View
	Tree sources.Tree
	// values caches the files that Parsed has read.
	values map[string]textdoc.Value
}

// Load reads a state file. If the file does not exist, ok is false. If the file cannot be used, Load adds a warning, and uses its backup,
// a temporary file or a committed version. Without any of these, the record is marked as Broken.
func (l *Files) Load(name string, read parser) (r Record, ok bool) {
	r.Path = name
	data, err := l.Tree.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return r, false
	}
	if err == nil {
		if r.Value, err = read(data); err == nil {
			return r, true
		}
	}
	r.Doubts = append(r.Doubts, Problem(name, err))
	var how string
	if r.Value, _, how = l.Older(name, read); how == "" {
		r.Broken = true
		return r, true
	}
	r.Rebuilt, r.Older = true, isDamage(err) // the older version may replace a damaged file, but not a file that only lacks the read permission
	r.Doubts = append(r.Doubts, sources.Doubt{Code: sources.DoubtFallback, Severity: conflicts.Warning, Path: name, Text: "the state was read from " + how})
	return r, true
}

// Problem returns a warning about a file that cannot be read. If the file may be intact, for example because only the read permission is
// missing, the warning prevents continuing.
func Problem(name string, err error) sources.Doubt {
	d := sources.DoubtOf(err, name)
	if !isDamage(err) {
		d.Severity = conflicts.Blocking
	}
	if errors.Is(err, fs.ErrPermission) {
		d.Text += "; check the permissions of the file"
	}
	return d
}

func isDamage(err error) bool {
	var damage *textdoc.DamageError
	return errors.As(err, &damage)
}

// Older finds an intact version of a broken file: the backup, a temporary file left by a killed process, or a version in the history. The
// last result says where it was found, and is "" if there is no intact version.
func (l *Files) Older(name string, read parser) (v textdoc.Value, data []byte, how string) {
	if data, err := l.Tree.Read(name + ".bak"); err == nil {
		if v, err := read(data); err == nil {
			return v, data, "its backup " + path.Base(name) + ".bak"
		}
	}
	ok, doubts := l.View.Recover(l.Ctx, l.Tree, name, func(b []byte) (err error) {
		data = b
		v, err = read(b)
		return err
	})
	if !ok || len(doubts) == 0 {
		return v, nil, ""
	}
	return v, data, "elsewhere: " + doubts[len(doubts)-1].Text
}

// List returns the paths of the matching files in a folder, or none if the folder cannot be listed.
func (l *Files) List(dir string, fits func(string) bool) []string {
	entries, _ := l.Tree.List(dir)
	var out []string
	for _, e := range entries {
		if !e.IsDir() && fits(e.Name()) {
			out = append(out, path.Join(dir, e.Name()))
		}
	}
	return out
}

// Folders returns the subfolders of a folder. The second argument limits their number.
func (l *Files) Folders(dir string, most int) []string {
	entries, _ := l.Tree.List(dir)
	var out []string
	for _, e := range entries {
		if e.IsDir() && len(out) < most {
			out = append(out, path.Join(dir, e.Name()))
		}
	}
	return out
}

// Short shortens a text from a state file before it is shown to people.
func Short(s string) string {
	const most = 120
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// Said returns a status word in quotes, or "nothing" if there is none.
func Said(word string) string {
	if word == "" {
		return "nothing"
	}
	return "'" + Short(word) + "'"
}

// UnknownStatus describes a status that has no known meaning, as the end of a sentence with "has".
func UnknownStatus(word string) string {
	if word == "" {
		return "no status"
	}
	return "the unknown status " + Said(word)
}
