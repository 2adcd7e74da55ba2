package autoclaude

import (
	"errors"
	"io/fs"
	"path"
	"slices"

	"github.com/git-resume/git-resume/internal/sources"
)

// archive returns the changes that move the plan and its records into a dated folder inside the spec's folder, and that delete their
// copies in other folders. The archived plan has the text of the best readable copy.
func (a *action) archive() ([]sources.Change, error) {
	var out []sources.Change
	keep := slices.IndexFunc(a.folders, func(f folder) bool { return f.tree.Main() })
	for i, f := range a.folders {
		if i != max(keep, 0) {
			out = append(out, f.removals()...)
			continue
		}
		for _, name := range planFiles {
			if !f.has(name) {
				continue
			}
			c := sources.Change{Tree: f.tree.WorkTree, Path: f.file(name), To: f.file(a.archivePath(name))}
			if name != "memory" {
				data, err := f.read(name)
				var refused *sources.RefusedError
				if err != nil && !errors.As(err, &refused) {
					return nil, err
				}
				c.Was = data // if the file must not be read, data is nil, but the file can still be moved
			}
			if best := a.planText(); name == planFile && best != nil && c.Was != nil && string(best) != string(c.Was) {
				c.Now = best
			}
			out = append(out, c)
		}
	}
	return out, nil
}

// removals returns changes that delete the plan, its records and the pause file in one folder. Files that cannot be read stay.
func (f folder) removals() []sources.Change {
	var out []sources.Change
	for _, name := range append([]string{planFile, pauseFile}, f.fileNames()...) {
		if !slices.Contains(planFiles, name) && path.Dir(name) != "memory" {
			continue
		}
		if data, err := f.read(name); err == nil {
			out = append(out, sources.Change{Tree: f.tree.WorkTree, Path: f.file(name), Was: nonNil(data), Gone: true})
		}
	}
	return out
}

// archivePath returns the path to which a file is moved when it is archived, relative to the spec's folder.
func (a *action) archivePath(name string) string {
	return path.Join(archived+a.l.v.Now.UTC().Format("20060102T150405Z"), name)
}

// copyToMain returns changes that copy files of the spec from its worktree to the main worktree, if they are missing or
// outdated there. The plan and the pause file are not copied.
func (a *action) copyToMain() []sources.Change {
	from := a.r.place
	if from.path == "" || from.tree.Main() {
		return nil
	}
	var out []sources.Change
	for _, to := range a.folders {
		if to.tree.WorkTree == from.tree.WorkTree {
			continue
		}
		for _, name := range from.fileNames() {
			if c, differs := copyChange(from, to, name); differs && len(out) < mostCopied {
				out = append(out, c)
			}
		}
	}
	return out
}

const mostCopied = 300

// fileNames lists the files in a spec's folder and in its memory folder, without the plan and the pause file.
func (f folder) fileNames() []string {
	var out []string
	for _, dir := range []string{"", "memory"} {
		entries, _ := f.tree.List(f.file(dir)) // a folder that cannot be listed counts as empty
		for _, e := range entries {
			if name := path.Join(dir, e.Name()); e.Type().IsRegular() && name != planFile && name != pauseFile {
				out = append(out, name)
			}
		}
	}
	return out
}

func copyChange(from, to folder, name string) (sources.Change, bool) {
	data, err := from.read(name)
	if err != nil {
		return sources.Change{}, false
	}
	c := sources.Change{Tree: to.tree.WorkTree, Path: to.file(name), Now: nonNil(data)}
	was, err := to.read(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return c, true
	case err != nil || string(was) == string(data):
		return c, false
	}
	c.Was = nonNil(was)
	record := name == historyFile || name == commitsFile
	return c, record || from.tree.Changed(from.file(name)).After(to.tree.Changed(to.file(name)))
}

func (a *action) unpause() ([]sources.Change, error) {
	var out []sources.Change
	for _, f := range a.folders {
		if !f.has(pauseFile) {
			continue
		}
		data, err := f.read(pauseFile)
		if err != nil {
			return nil, err
		}
		out = append(out, sources.Change{Tree: f.tree.WorkTree, Path: f.file(pauseFile), Was: nonNil(data), Gone: true})
	}
	return out, nil
}

// cleanUp returns changes that delete the pause file and the status file, if a finished spec left them behind.
func (a *action) cleanUp() ([]sources.Change, error) {
	var out []sources.Change
	for _, left := range (reporter{l: a.l, r: a.r, f: a.f}).staleMarks() {
		if left == a.r.paused {
			gone, err := a.unpause()
			if err != nil {
				return nil, err
			}
			out = append(out, gone...)
			continue
		}
		data, err := a.r.mark.tree.Read(left)
		if err != nil {
			return nil, err
		}
		out = append(out, sources.Change{Tree: a.r.mark.tree.WorkTree, Path: left, Was: nonNil(data), Gone: true})
	}
	return out, nil
}
