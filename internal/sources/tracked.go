package sources

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate/process"
)

// Tracked lists the folders with the given name that contain tracked files. It reads the index file itself. Git is started only if the
// index file gives no certain answer.
func (v *View) Tracked(ctx context.Context, t Tree, name string) ([]string, error) {
	if t.tip != nil {
		return v.committedFolders(ctx, t, name)
	}
	if !mayHold(filepath.Join(t.GitDir, "index"), name) {
		return nil, nil // no path in the index contains the name, so git need not be started
	}
	if dirs, sure := v.historyOf(ctx, t).index().Folders(name); sure {
		return dirs, nil
	}
	out, err := v.Repo.At(t.Place).Git(ctx, process.Call{Args: []string{"ls-files", "-z", "--", ":(top,glob)**/" + name + "/**"}})
	if err != nil {
		return nil, fmt.Errorf("list tracked files below %s: %w", name, err)
	}
	var dirs []string
	for file := range strings.SplitSeq(string(out), "\x00") {
		before, _, ok := strings.Cut("/"+file, "/"+name+"/")
		dir := strings.TrimPrefix(before+"/"+name, "/")
		if ok && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs, nil
}

// committedFolders does the same as Tracked for a branch that is not checked out.
func (v *View) committedFolders(ctx context.Context, t Tree, name string) (dirs []string, err error) {
	out, err := v.Repo.Git(ctx, process.Call{Args: []string{"ls-tree", "-r", "-d", "-z", "--name-only", string(t.Head)}})
	for dir := range strings.SplitSeq(string(out), "\x00") {
		if path.Base(dir) == name && !slices.ContainsFunc(dirs, func(above string) bool { return strings.HasPrefix(dir, above+"/") }) {
			dirs = append(dirs, dir)
		}
	}
	return dirs, err
}
