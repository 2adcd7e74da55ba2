package snapshot

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/process"
)

// checkOut lets git write committed files below a folder, through its filters. It does not change the user's index.
func checkOut(ctx context.Context, repo *gitstate.Repo, items []Item, dir string) error {
	if len(items) == 0 {
		return nil
	}
	made := parents{root: dir, known: map[string]bool{}}
	for _, it := range items { // if a link has the name of a parent folder, remove it, so that git writes nothing outside of dir
		if err := made.make(it.Path); err != nil {
			return err
		}
	}
	tmp, done, err := repo.Guard.TempDir()
	if err != nil {
		return err
	}
	defer done()
	var entries, attributes strings.Builder
	for _, it := range items {
		fmt.Fprintf(&entries, "%o %s\t%s\x00", it.Mode, it.ID, it.Path)
		if isAttributes(it.Path) {
			attributes.WriteString(it.Path + "\x00")
		}
	}
	// GIT_WORK_TREE makes git read the attribute files in dir, even if dir is not the worktree.
	env := []string{"GIT_DIR=" + repo.GitDir, "GIT_WORK_TREE=" + dir, "GIT_INDEX_FILE=" + filepath.Join(tmp, "index")}
	git := func(in string, args ...string) error {
		_, err := repo.Git(ctx, process.Call{Args: args, Mode: process.Write, Dir: dir, Env: env, Stdin: strings.NewReader(in)})
		return err
	}
	if err := git(entries.String(), "update-index", "-z", "--index-info"); err != nil {
		return fmt.Errorf("prepare a checkout: %w", err)
	}
	if attributes.Len() > 0 { // the attributes must be on disk when git writes the other files, because they decide about filters
		if err := git(attributes.String(), "checkout-index", "-q", "-f", "-z", "--stdin"); err != nil {
			return fmt.Errorf("check out attributes: %w", err)
		}
	}
	if err := git("", "checkout-index", "-q", "-f", "-a"); err != nil {
		return fmt.Errorf("check out files: %w", err)
	}
	return nil
}

// isAttributes reports whether git reads attributes from a file with this path.
func isAttributes(path string) bool {
	return path == ".gitattributes" || strings.HasSuffix(path, "/.gitattributes")
}

// attributesIn returns the attribute files among the items.
func attributesIn(items []Item) (out []Item) {
	for _, it := range items {
		if isAttributes(it.Path) {
			out = append(out, it)
		}
	}
	return out
}
