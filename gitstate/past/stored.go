package past

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
)

// mostCompared is the size of the largest file that Stored reads. Larger files are not compared.
const mostCompared = 100 << 20

// Stored returns a git tree with the present content of a worktree, as git would commit it: with the line ends of the repository, and after the
// user's filters, for example that of Git LFS. The argument "files" lists the files that are not as in HEAD. Stored asks git to add these
// files to a copy of the index; the tree and its new objects exist only in this store. The result "left" lists the files that were not
// read.
//
// "git status" runs the filters of changed files too, but not those of untracked files, so Stored does not run them either.
func (s *Scratch) Stored(ctx context.Context, tree *gitstate.Repo, files []string) (id object.ID, left []string, err error) {
	index := filepath.Join(s.dir, "index")
	if err := copyIndex(filepath.Join(tree.GitDir, "index"), index); err != nil {
		return "", nil, err
	}
	view := tree.Through(append([]string{"GIT_INDEX_FILE=" + index}, s.env...)...)
	defer view.Close()
	untracked := map[string]bool{}
	noFilters := withoutFilters(ctx, tree)
	if noFilters != nil {
		changes, err := view.Status(ctx)
		if err != nil {
			return "", nil, err
		}
		for _, c := range changes {
			untracked[c.Path] = c.Untracked()
		}
	}
	var known, added strings.Builder
	for _, f := range files {
		info, err := os.Lstat(filepath.Join(tree.WorkTree, filepath.FromSlash(f)))
		switch {
		case strings.HasSuffix(f, "/"): // a repository of its own
			left = append(left, f)
		case err == nil && (info.Size() > mostCompared || !info.Mode().IsRegular() && !info.IsDir() && info.Mode()&fs.ModeSymlink == 0):
			left = append(left, f)
		case untracked[f]:
			added.WriteString(f + "\x00")
		default:
			known.WriteString(f + "\x00")
		}
	}
	for _, part := range []struct {
		names string
		env   []string
	}{{known.String(), nil}, {added.String(), noFilters}} {
		if part.names == "" {
			continue
		}
		args := []string{"-c", "core.hooksPath=" + os.DevNull, "-c", "core.safecrlf=false", "-c", "core.fsync=none", "update-index", "--add", "--remove", "--replace", "-z", "--stdin"}
		if _, err := view.Git(ctx, process.Call{Args: args, Stdin: strings.NewReader(part.names), Dir: view.WorkTree, Env: part.env}); err != nil {
			return "", nil, fmt.Errorf("read the uncommitted files: %w", err)
		}
	}
	// git may look at files again when it writes the index, because they are as new as the index
	out, err := view.Git(ctx, process.Call{Args: []string{"-c", "core.hooksPath=" + os.DevNull, "-c", "core.fsync=none", "write-tree"}, Env: noFilters})
	if err == nil {
		s.underlying = s.Repo // the repository itself does not have the new objects
	}
	return object.ID(strings.TrimSpace(string(out))), left, err
}

// copyIndex copies the index of a worktree. Without an index, the copy does not exist either.
//
// The copy keeps the time of the index: git reads again what is not older than the index, because a file can change twice within one tick of
// the clock. With a younger copy it would take such a file for unchanged.
func copyIndex(from, to string) error {
	info, err := os.Stat(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, data, 0o600)
	}
	if err == nil {
		err = os.Chtimes(to, info.ModTime(), info.ModTime())
	}
	return err
}

// withoutFilters returns an environment in which git runs no filter, or nil if the user has none. It does not change the line ends that git
// stores.
func withoutFilters(ctx context.Context, tree *gitstate.Repo) []string {
	config, err := tree.Settings.Config(ctx)
	if err != nil {
		return nil
	}
	var env []string
	given, _ := tree.Var("GIT_CONFIG_COUNT")
	n, _ := strconv.Atoi(given) // the user's own settings in the environment stay
	set := func(key, value string) {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", n, key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", n, value))
		n++
	}
	for key := range config.Section("filter.") {
		switch end := strings.LastIndexByte(key, '.'); key[end+1:] {
		case "clean", "process":
			set(key, "")
			set(key[:end]+".required", "false")
		}
	}
	if env == nil {
		return nil
	}
	return append(env, fmt.Sprintf("GIT_CONFIG_COUNT=%d", n))
}
