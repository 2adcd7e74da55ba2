package autoclaude

import (
	"errors"
	"io/fs"
	"path"

	"github.com/git-resume/git-resume/internal/sources"
)

// carry brings to the main worktree what is newer in the spec's own, beside the plan.
func (a *action) carry() []sources.Change {
	from := a.r.place
	if from.path == "" || from.tree.Main() {
		return nil
	}
	var out []sources.Change
	for _, to := range a.own {
		if to.tree.WorkTree == from.tree.WorkTree {
			continue
		}
		for _, name := range from.carried() {
			if c, differs := carryFile(from, to, name); differs && len(out) < mostCarried {
				out = append(out, c)
			}
		}
	}
	return out
}

// mostCarried bounds how many files are carried over.
const mostCarried = 300

// carried are the files of a spec's folder and of its memory, without the plan.
func (f folder) carried() []string {
	var out []string
	for _, dir := range []string{"", "memory"} {
		entries, _ := f.tree.List(f.file(dir)) // what cannot be listed is not carried
		for _, e := range entries {
			if name := path.Join(dir, e.Name()); e.Type().IsRegular() && name != planFile && name != pauseFile {
				out = append(out, name)
			}
		}
	}
	return out
}

func carryFile(from, to folder, name string) (sources.Change, bool) {
	data, err := from.read(name)
	if err != nil {
		return sources.Change{}, false
	}
	c := sources.Change{Tree: to.tree.WorkTree, Path: to.file(name), Now: present(data)}
	was, err := to.read(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return c, true
	case err != nil || string(was) == string(data):
		return c, false
	}
	c.Was = present(was)
	record := name == historyFile || name == commitsFile
	return c, record || from.tree.Changed(from.file(name)).After(to.tree.Changed(to.file(name)))
}

func (a *action) unpause() ([]sources.Change, error) {
	var out []sources.Change
	for _, f := range a.own {
		if !f.has(pauseFile) {
			continue
		}
		data, err := f.read(pauseFile)
		if err != nil {
			return nil, err
		}
		out = append(out, sources.Change{Tree: f.tree.WorkTree, Path: f.file(pauseFile), Was: present(data), Gone: true})
	}
	return out, nil
}
