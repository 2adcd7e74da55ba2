package forward

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/worktree/place"
)

// work is a worktree, compared with the two commits of a move.
type work struct {
	tree   *gitstate.Repo
	root   *os.Root
	status map[string]gitstate.Change
}

// look opens the worktree, whose uncommitted changes are known. The caller must close the field "root" of the result.
func (m Mover) look(changes []gitstate.Change) (*work, error) {
	w := &work{tree: m.Tree, status: map[string]gitstate.Change{}}
	for _, c := range changes {
		w.status[c.Path] = c
	}
	var err error
	w.root, err = os.OpenRoot(m.Tree.WorkTree)
	return w, err
}

// changed reports whether a path differs from the older commit, either in the index or in the worktree. If the older commit has no file at
// this path, any file there counts as changed, because the status does not list ignored files.
func (w *work) changed(d past.Delta) bool {
	if _, ok := w.status[d.Path]; ok {
		return true
	}
	_, err := w.root.Lstat(d.Path)
	return d.Old.ID == "" && !place.Gone(err)
}

// mayBeOurs reports whether a killed move may have changed a path: its version in the index is that of the older or of the newer commit.
// The result is false for submodules, and for paths that cannot be restored safely.
func (w *work) mayBeOurs(d past.Delta) bool {
	c, ok := w.status[d.Path]
	if d.Old.Mode == object.ModeSubmodule || d.New.Mode == object.ModeSubmodule || !w.plain(d.Path) {
		return false
	}
	return !ok || !c.Unmerged && (!c.Staged() || c.IndexID == d.New.ID)
}

// plain reports whether a path can be restored safely. Each of its parents must be a real folder or missing, because a link could make us
// remove files elsewhere. The path must not contain a newline or a quote, because it is passed to git on a line of its own.
func (w *work) plain(name string) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if info, err := w.root.Lstat(dir); err == nil && !info.IsDir() || err != nil && !place.Gone(err) {
			return false
		}
	}
	return !strings.ContainsAny(name, "\n\r\"")
}

// The method "written" selects the paths at which a killed move may have written or removed a file. At such a path the file is missing, or
// it has the content of one of the two commits, or only the beginning of that content. Any other content comes from somebody else.
func (w *work) written(ctx context.Context, all []past.Delta) ([]past.Delta, error) {
	var out, files []past.Delta
	for _, d := range all {
		info, err := w.root.Lstat(d.Path)
		switch {
		case place.Gone(err):
			out = append(out, d)
		case err != nil:
		case info.Mode().IsRegular():
			files = append(files, d)
		case info.Mode()&fs.ModeSymlink != 0 && w.sameLink(ctx, d):
			out = append(out, d)
		}
	}
	if len(files) == 0 {
		return out, nil
	}
	var names strings.Builder
	for _, d := range files {
		names.WriteString(d.Path + "\n")
	}
	ids, err := w.tree.Git(ctx, process.Call{Args: []string{"hash-object", "--stdin-paths"}, Stdin: strings.NewReader(names.String()), Dir: w.tree.WorkTree})
	if err != nil {
		return nil, err
	}
	list := strings.Fields(string(ids))
	for i, d := range files {
		whole := i < len(list) && (object.ID(list[i]) == d.New.ID || object.ID(list[i]) == d.Old.ID)
		if whole || w.cutOff(ctx, d.Path, d.New) || w.cutOff(ctx, d.Path, d.Old) {
			out = append(out, d)
		}
	}
	return out, nil
}

// sameLink reports whether a link has the same target as in one of the two commits.
func (w *work) sameLink(ctx context.Context, d past.Delta) bool {
	to, err := w.root.Readlink(d.Path)
	return err == nil && slices.ContainsFunc([]object.Version{d.Old, d.New}, func(v object.Version) bool {
		if v.Mode != object.ModeLink {
			return false
		}
		text, err := w.tree.Objects.Blob(ctx, v.ID)
		return err == nil && string(text) == to
	})
}

// cutOff reports whether the content of a file is the beginning of a version. The whole version counts too. A killed git may leave such a
// file, because git writes directly into the final file.
func (w *work) cutOff(ctx context.Context, name string, v object.Version) bool {
	if v.ID == "" || v.Mode == object.ModeLink {
		return false
	}
	f, err := w.root.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	whole, err := w.tree.Git(ctx, process.Call{Args: []string{"cat-file", "--filters", "--path=" + name, string(v.ID)}})
	if err != nil {
		return false
	}
	start, err := io.ReadAll(io.LimitReader(f, int64(len(whole))+1))
	return err == nil && bytes.HasPrefix(whole, start)
}

// restore sets paths back to their versions in the older commit, first in the index, then in the worktree. If it is killed, it can be
// called again.
func (w *work) restore(ctx context.Context, locks []string, all []past.Delta) error {
	var specs, old []string
	for _, d := range all {
		if c, ok := w.status[d.Path]; ok && c.Staged() {
			specs = append(specs, ":(top,literal)"+d.Path)
		}
	}
	if len(specs) > 0 { // otherwise the index needs no change, and a full disk may make a change impossible
		_, err := w.tree.Git(ctx, process.Call{Args: []string{"reset", "-q", "--pathspec-from-file=-", "--pathspec-file-nul"}, Mode: process.Write,
			Dir: w.tree.WorkTree, Stdin: strings.NewReader(strings.Join(specs, "\x00")), Locks: locks})
		if err != nil {
			return err
		}
	}
	for _, d := range all {
		if d.Old.ID != "" {
			old = append(old, d.Path)
			continue
		}
		if err := w.root.Remove(d.Path); err != nil && !place.Gone(err) {
			return err
		}
		for dir := path.Dir(d.Path); dir != "." && w.root.Remove(dir) == nil; dir = path.Dir(dir) {
			continue // the loop condition removes each parent folder that is now empty
		}
	}
	if len(old) == 0 {
		return nil
	}
	_, err := w.tree.Git(ctx, process.Call{Args: []string{"checkout-index", "-f", "-z", "--stdin"}, Mode: process.Write,
		Dir: w.tree.WorkTree, Stdin: strings.NewReader(strings.Join(old, "\x00") + "\x00"), Locks: locks})
	return err
}
