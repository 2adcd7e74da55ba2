package orchestrate

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
)

// record is a state file as read: by its own bytes, or from the next best place.
type record struct {
	path   string
	value  sources.Value
	doubts []sources.Doubt
	// rebuilt: it is not the file's own; older: it is an older version of the file; broken: there is none.
	rebuilt, older, broken bool
}

// reading turns bytes into a value, and refuses what is not this kind of state.
type reading func([]byte) (sources.Value, error)

// format reads a file by its ending; must names keys of which one has to be there.
func format(name string, must ...string) reading {
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

// files are those of one worktree, and what git has of them.
type files struct {
	ctx  context.Context
	view *sources.View
	tree sources.Tree
	// values are state files whose parts were looked up.
	values map[string]sources.Value
}

// load reads a state file; ok is false if there is none. What cannot be read is looked for in its backup
// and in the history, and that is said.
func (l *files) load(name string, read reading) (r record, ok bool) {
	r.path = name
	data, err := l.tree.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return r, false
	}
	if err == nil {
		if r.value, err = read(data); err == nil {
			return r, true
		}
	}
	r.doubts = append(r.doubts, problem(name, err))
	var how string
	if r.value, _, how = l.older(name, read); how == "" {
		r.broken = true
		return r, true
	}
	r.rebuilt, r.older = true, isDamage(err) // what only is not to be read is not broken, and must not be replaced
	r.doubts = append(r.doubts, sources.Doubt{Code: sources.DoubtFallback, Severity: conflicts.Warning, Path: name, Text: "the state was read from " + how})
	return r, true
}

// problem says what stands in the way of a file; what the system does not let us see keeps anybody from going on.
func problem(name string, err error) sources.Doubt {
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

// older finds the newest whole version of a broken file: its backup, what a killed writer left, else in the history.
func (l *files) older(name string, read reading) (v sources.Value, data []byte, how string) {
	if data, err := l.tree.Read(name + ".bak"); err == nil {
		if v, err := read(data); err == nil {
			return v, data, "its backup " + path.Base(name) + ".bak"
		}
	}
	ok, doubts := l.view.Recover(l.ctx, l.tree, name, func(b []byte) (err error) {
		data = b
		v, err = read(b)
		return err
	})
	if !ok || len(doubts) == 0 {
		return v, nil, ""
	}
	return v, data, "elsewhere: " + doubts[len(doubts)-1].Text
}

// list gives the names of the files in a folder that fit; a folder that cannot be listed has none.
func (l *files) list(dir string, fits func(string) bool) []string {
	entries, _ := l.tree.List(dir) // absent, refused or too large: nothing of ours can be told from it
	var out []string
	for _, e := range entries {
		if !e.IsDir() && fits(e.Name()) {
			out = append(out, path.Join(dir, e.Name()))
		}
	}
	return out
}

// folders gives the folders in a folder, at most most.
func (l *files) folders(dir string, most int) []string {
	entries, _ := l.tree.List(dir)
	var out []string
	for _, e := range entries {
		if e.IsDir() && len(out) < most {
			out = append(out, path.Join(dir, e.Name()))
		}
	}
	return out
}

// short bounds a text of a state file that is shown.
func short(s string) string {
	const most = 120
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
