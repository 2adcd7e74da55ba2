package sources

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate/process"
)

// Tracked lists the folders with the given name that contain tracked files. It reads the index file itself. Git is started only if the
// index file gives no certain answer.
func (v *View) Tracked(ctx context.Context, t Tree, name string) ([]string, error) {
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
