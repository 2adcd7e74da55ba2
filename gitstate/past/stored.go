package past

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
)

// AsStored returns a tree in which the uncommitted files of a worktree are as git would store them: with the line ends of the repository,
// and after the user's filters, for example that of Git LFS. The argument "work" is a tree with these files as they are on disk, and "head"
// is the commit from which they differ. The new objects exist only in this store. If git cannot convert the files, for example because one
// of them is gone, AsStored returns "work".
//
// "git status" runs the filters of changed files too, but not those of untracked files, so AsStored does not run them either.
func (s *Scratch) AsStored(ctx context.Context, tree *gitstate.Repo, head, work object.ID) (object.ID, error) {
	roots, err := Trees(ctx, s.underlying, head, work)
	if err != nil {
		return "", err
	}
	deltas, err := changedTrees(ctx, s.underlying, roots[0], roots[1])
	if err != nil {
		return "", err
	}
	var known, crlf, untracked []Delta
	for _, d := range deltas {
		switch {
		case d.New.Mode&0o170000 != 0o100000 || strings.ContainsAny(d.Path, "\n\r\"") || !s.mayConvert(tree, d.Path):
		case d.Old.ID == "":
			untracked = append(untracked, d)
		case s.hasCRLF(ctx, d.Old.ID):
			crlf = append(crlf, d)
		default:
			known = append(known, d)
		}
	}
	stored := map[string]object.Version{}
	view := tree.Through(s.env...)
	defer view.Close()
	asCommitted := settingsEnv("core.autocrlf", "false") // git does not change the line ends of a file that is committed with CRLF
	err = errors.Join(s.convert(ctx, view, known, nil, stored), s.convert(ctx, view, crlf, asCommitted, stored), s.convert(ctx, view, untracked, withoutFilters(ctx, tree), stored))
	for _, d := range crlf {
		if v, ok := stored[d.Path]; ok && !s.hasCRLF(ctx, v.ID) { // the attribute text=auto has the same exception
			delete(stored, d.Path)
		}
	}
	if err != nil || len(stored) == 0 {
		return work, nil
	}
	s.underlying = s.Repo // the repository itself does not have the new objects
	return s.replace(ctx, roots[1], "", stored)
}

// convert stores files of a worktree as git would, and adds those that are stored differently to the map "stored".
func (s *Scratch) convert(ctx context.Context, view *gitstate.Repo, all []Delta, env []string, stored map[string]object.Version) error {
	if len(all) == 0 {
		return nil
	}
	var names strings.Builder
	for _, d := range all {
		names.WriteString(d.Path + "\n")
	}
	args := []string{"-c", "core.safecrlf=false", "-c", "core.fsync=none", "hash-object", "-w", "--stdin-paths"}
	out, err := view.Git(ctx, process.Call{Args: args, Stdin: strings.NewReader(names.String()), Dir: view.WorkTree, Env: env})
	if err != nil {
		return err
	}
	ids := strings.Fields(string(out))
	if len(ids) != len(all) {
		return fmt.Errorf("git hash-object printed %d ids for %d files", len(ids), len(all))
	}
	for i, d := range all {
		if v := (object.Version{Mode: d.New.Mode, ID: object.ID(ids[i])}); v != d.New {
			stored[d.Path] = v
		}
	}
	return nil
}

// replace returns a tree in which the given files have other versions. The argument "prefix" is the path of the tree with a slash.
func (s *Scratch) replace(ctx context.Context, tree object.ID, prefix string, files map[string]object.Version) (object.ID, error) {
	list, err := s.underlying.Objects.Tree(ctx, string(tree))
	if err != nil {
		return "", err
	}
	for i, e := range list {
		name := prefix + e.Name
		if v, ok := files[name]; ok {
			list[i].ID = v.ID
		}
		if e.Mode != object.ModeDir || !hasBelow(files, name+"/") {
			continue
		}
		if list[i].ID, err = s.replace(ctx, e.ID, name+"/", files); err != nil {
			return "", err
		}
	}
	return s.put(ctx, "tree", object.TreeData(list))
}

func hasBelow(files map[string]object.Version, dir string) bool {
	for name := range files {
		if strings.HasPrefix(name, dir) {
			return true
		}
	}
	return false
}

func (s *Scratch) hasCRLF(ctx context.Context, id object.ID) bool {
	data, err := s.BlobUpTo(ctx, id, maxConverted)
	return err == nil && bytes.Contains(data, []byte("\r\n"))
}

// maxConverted limits how much of a committed file is read to find its line ends.
const maxConverted = 16 << 20

// mayConvert reports whether settings or attributes may make git store a file differently from how it is on disk.
func (s *Scratch) mayConvert(tree *gitstate.Repo, file string) bool {
	if tree.Settings.Mentions("autocrlf") || tree.Settings.Mentions("attributesfile") {
		return true
	}
	home, _ := tree.Var("HOME")
	config, ok := tree.Var("XDG_CONFIG_HOME")
	if !ok {
		config = filepath.Join(home, ".config")
	}
	all := []string{tree.CommonPath("info", "attributes"), filepath.Join(config, "git", "attributes"), "/etc/gitattributes"}
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		all = append(all, filepath.Join(tree.WorkTree, filepath.FromSlash(dir), ".gitattributes"))
		if dir == "." {
			break
		}
	}
	for _, name := range all {
		if _, err := os.Lstat(name); err == nil {
			return true
		}
	}
	return false
}

// withoutFilters returns an environment in which git runs no filter. It does not change the line ends that git stores.
func withoutFilters(ctx context.Context, tree *gitstate.Repo) []string {
	config, err := tree.Settings.Config(ctx)
	if err != nil {
		return nil
	}
	var pairs []string
	for key := range config.Section("filter.") {
		switch end := strings.LastIndexByte(key, '.'); key[end+1:] {
		case "clean", "process":
			pairs = append(pairs, key, "", key[:end]+".required", "false")
		}
	}
	return settingsEnv(pairs...)
}

// settingsEnv returns an environment with settings for git. The arguments are keys, each followed by its value. A key may contain "=", which
// the option -c of git cannot express.
func settingsEnv(pairs ...string) []string {
	env := []string{fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(pairs)/2)}
	for i := 0; i+1 < len(pairs); i += 2 {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i/2, pairs[i]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i/2, pairs[i+1]))
	}
	return env
}
