// Package statefile reads the state files of the orchestrate family, whatever their format and the names of their fields,
// finds the words in them that say how far a work is, and changes those. It knows nothing of what is told about the work.
package statefile

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
)

// Record is a state file as read: by its own bytes, or from the next best place.
type Record struct {
	Path   string
	Value  sources.Value
	Doubts []sources.Doubt
	// Rebuilt: it is not the file's own; older: it is an older version of the file; broken: there is none.
	Rebuilt, Older, Broken bool
}

// reading turns bytes into a value, and refuses what is not this kind of state.
type reading func([]byte) (sources.Value, error)

// Format reads a file by its ending; must names keys of which one has to be there.
func Format(name string, must ...string) reading {
	parse := sources.ParseYAML
	if strings.HasSuffix(strings.TrimSuffix(name, ".bak"), ".json") {
		parse = sources.ParseJSON
	}
	return func(data []byte) (sources.Value, error) {
		v, err := parse(data)
		if err != nil {
			return v, err
		}
		if !v.IsObject() {
			return v, &sources.DamageError{Why: "is no record"}
		}
		if len(must) > 0 && !v.Get(must...).Is() {
			return v, &sources.DamageError{Why: "has none of " + strings.Join(must, ", ")}
		}
		return v, nil
	}
}

// Files are those of one worktree, and what git has of them.
type Files struct {
	Ctx  context.Context
	View *sources.View
	Tree sources.Tree
	// values are state files whose parts were looked up.
	values map[string]sources.Value
}

// Load reads a state file; ok is false if there is none. What cannot be read is looked for in its backup
// and in the history, and that is said.
func (l *Files) Load(name string, read reading) (r Record, ok bool) {
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
	r.Rebuilt, r.Older = true, isDamage(err) // what only is not to be read is not broken, and must not be replaced
	r.Doubts = append(r.Doubts, sources.Doubt{Code: sources.DoubtFallback, Severity: conflicts.Warning, Path: name, Text: "the state was read from " + how})
	return r, true
}

// Problem says what stands in the way of a file; what the system does not let us see keeps anybody from going on.
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
	var damage *sources.DamageError
	return errors.As(err, &damage)
}

// Older finds the newest whole version of a broken file: its backup, what a killed writer left, else in the history.
func (l *Files) Older(name string, read reading) (v sources.Value, data []byte, how string) {
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

// List gives the names of the files in a folder that fit; a folder that cannot be listed has none.
func (l *Files) List(dir string, fits func(string) bool) []string {
	entries, _ := l.Tree.List(dir) // absent, refused or too large: nothing of ours can be told from it
	var out []string
	for _, e := range entries {
		if !e.IsDir() && fits(e.Name()) {
			out = append(out, path.Join(dir, e.Name()))
		}
	}
	return out
}

// Folders gives the folders in a folder, at most most.
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

// Short bounds a text of a state file that is shown.
func Short(s string) string {
	const most = 120
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
