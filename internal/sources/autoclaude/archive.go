package autoclaude

import (
	"errors"
	"io/fs"
	"path"
	"slices"

	"github.com/git-resume/git-resume/internal/sources"
)

// live are the names that belong to a plan and its building; what was asked for stays where it is.
var live = []string{planFile, "memory", logsFile, workersFile, reviewFile, requestFile, givenUpFile, "qa_report.md", "build-progress.txt", pauseFile}

// archive puts the live state aside within the spec's own folder. Of two copies the one in the main worktree is put
// aside, with the plan that was followed; the other is taken away, for its worktree may be dropped next.
func (a *action) archive() ([]sources.Change, error) {
	var out []sources.Change
	keep := slices.IndexFunc(a.own, func(f folder) bool { return f.tree.Main() })
	for i, f := range a.own {
		if i != max(keep, 0) {
			out = append(out, f.takenAway()...)
			continue
		}
		for _, name := range live {
			if !f.has(name) {
				continue
			}
			c := sources.Change{Tree: f.tree.WorkTree, Path: f.file(name), To: f.file(a.aside(name))}
			if name != "memory" {
				data, err := f.read(name)
				var refused *sources.RefusedError
				if err != nil && !errors.As(err, &refused) {
					return nil, err
				}
				c.Was = data // what was refused can still be put aside
			}
			if best := a.best(); name == planFile && best != nil && c.Was != nil && string(best) != string(c.Was) {
				c.Now = best
			}
			out = append(out, c)
		}
	}
	return out, nil
}

// takenAway are the changes that remove the live state from a folder; what cannot be read stays.
func (f folder) takenAway() []sources.Change {
	var out []sources.Change
	for _, name := range append([]string{planFile}, f.carried()...) {
		if !slices.Contains(live, name) && path.Dir(name) != "memory" {
			continue
		}
		if data, err := f.read(name); err == nil {
			out = append(out, sources.Change{Tree: f.tree.WorkTree, Path: f.file(name), Was: present(data), Gone: true})
		}
	}
	return out
}

// aside is where a file goes that is not to count any more.
func (a *action) aside(name string) string {
	return path.Join(".archived-"+a.l.v.Now.UTC().Format("20060102T150405Z"), name)
}

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

// cleanUp takes the marks down that the finished work left behind.
func (a *action) cleanUp() ([]sources.Change, error) {
	var out []sources.Change
	for _, left := range (telling{l: a.l, r: a.r, f: a.f}).leftMarks() {
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
		out = append(out, sources.Change{Tree: a.r.mark.tree.WorkTree, Path: left, Was: present(data), Gone: true})
	}
	return out, nil
}
