package commit

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
)

// NestedError says that git cannot add a named path, because the path is a repository without commits or is inside another
// repository or worktree.
type NestedError struct {
	Path string
	// In is the repository or worktree that contains the path. It is empty if the path itself is a repository.
	In string
}

func (e *NestedError) Error() string {
	if e.In != "" {
		return fmt.Sprintf("'%s' is inside '%s', which is another repository or worktree", e.Path, e.In)
	}
	return fmt.Sprintf("'%s' is a repository without a commit, so git cannot add it", e.Path)
}

// checkNamed refuses named paths inside another repository or worktree, because git would silently add nothing for them.
func (m *maker) checkNamed() error {
	for _, p := range m.q.Paths {
		named := m.fromTop(p)
		for dir := path.Dir(named); filepath.IsLocal(named) && dir != "." && dir != "/"; dir = path.Dir(dir) {
			if _, err := os.Lstat(filepath.Join(m.r.WorkTree, filepath.FromSlash(dir), ".git")); err == nil {
				return &NestedError{Path: named, In: dir}
			}
		}
	}
	return nil
}

// addRest is called after "git add" failed with the error "first". If nested repositories without commits caused the failure, addRest
// repeats "git add" without them. If a named path is itself such a repository, it returns a NestedError. In all other cases it returns
// "first".
func (m *maker) addRest(ctx context.Context, first error) error {
	inside, err := commitless(ctx, m.r)
	if err != nil || len(inside) == 0 {
		return first
	}
	if m.q.Stage == Everything {
		m.out.Unadded = inside
		return m.add(ctx)
	}
	for _, p := range m.q.Paths {
		named := m.fromTop(p)
		for _, n := range inside {
			switch {
			case named == n:
				return &NestedError{Path: n}
			case named == "." || strings.HasPrefix(n, named+"/"):
				m.out.Unadded = append(m.out.Unadded, n)
			}
		}
	}
	if len(m.out.Unadded) == 0 {
		return first
	}
	return m.add(ctx)
}

// fromTop returns a path relative to the top of the worktree, with slashes.
func (m *maker) fromTop(path string) string {
	if !filepath.IsAbs(path) {
		dir := m.q.Dir
		if dir == "" {
			dir = m.r.WorkTree
		}
		path = filepath.Join(dir, path)
	}
	rel, err := filepath.Rel(m.r.WorkTree, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}

// pathspecs returns the pathspecs for "git add", separated by NUL.
func (m *maker) pathspecs() string {
	specs := m.q.Paths
	if m.q.Stage == Everything {
		specs = []string{":(top)"}
	}
	for _, path := range m.out.Unadded {
		specs = append(specs[:len(specs):len(specs)], ":(exclude,top,literal)"+path)
	}
	return strings.Join(specs, "\x00")
}

// commitless lists the untracked repositories in a worktree that have no commits, in git's order.
func commitless(ctx context.Context, r *gitstate.Repo) ([]string, error) {
	changes, err := r.Status(ctx)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, c := range changes {
		path, isFolder := strings.CutSuffix(c.Path, "/")
		if c.Index != '?' || !isFolder {
			continue
		}
		full := filepath.Join(r.WorkTree, filepath.FromSlash(path))
		place, err := locate.Find(full, nil)
		if err != nil || place.WorkTree != full {
			continue
		}
		at := r.At(place)
		if _, head, err := at.Refs.Head(ctx); err != nil || head == "" {
			out = append(out, path)
		}
		at.Close()
	}
	return out, nil
}
