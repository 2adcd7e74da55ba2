package execution

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/process"
)

// StillByHand lists the files that somebody changed by hand and that have not changed since. The argument "hand" maps these files to the
// ids of their contents.
func StillByHand(ctx context.Context, repo *gitstate.Repo, hand map[string]string) ([]string, error) {
	if len(hand) == 0 {
		return nil, nil
	}
	paths := slices.Sorted(maps.Keys(hand))
	now, err := Contents(ctx, repo, paths)
	return slices.DeleteFunc(paths, func(p string) bool { id, ok := now[p]; return !ok || id != hand[p] }), err
}

// Contents returns the object id of each file's current content. The id of a missing file is "". Folders, special files, and regular files
// with a line break in their name are left out.
func Contents(ctx context.Context, repo *gitstate.Repo, paths []string) (map[string]string, error) {
	h, err := repo.Settings.Hasher(ctx)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	var files []string
	for _, p := range paths {
		full := filepath.Join(repo.WorkTree, filepath.FromSlash(p))
		info, err := os.Lstat(full)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			out[p] = ""
		case err != nil:
			return nil, err
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(full)
			if err != nil {
				return nil, err
			}
			out[p] = string(h.ID("blob", []byte(to)))
		case info.Mode().IsRegular() && !strings.ContainsAny(p, "\n"):
			files = append(files, p)
		}
	}
	if len(files) == 0 {
		return out, nil
	}
	text, err := repo.Git(ctx, process.Call{Args: []string{"hash-object", "--no-filters", "--stdin-paths"}, Stdin: strings.NewReader(strings.Join(files, "\n") + "\n")})
	if err != nil {
		return nil, fmt.Errorf("read the uncommitted files: %w", err)
	}
	for i, id := range strings.Fields(string(text)) {
		if i < len(files) {
			out[files[i]] = id
		}
	}
	return out, nil
}
