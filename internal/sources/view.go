package sources

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-resume/git-resume/gitstate"
)

// View is what a source may look at: one repository with all its worktrees.
type View struct {
	Repo *gitstate.Repo
	// Trees are the worktrees that are registered and there, the main one first.
	Trees []Tree
	Now   time.Time
	// Setting gives the values of a git setting.
	Setting func(key string) []string
}

// Tree is one registered worktree.
type Tree struct {
	gitstate.Linked
	Files
}

// NewView looks at a repository; it starts no process.
func NewView(r *gitstate.Repo, now time.Time, setting func(string) []string) *View {
	v := &View{Repo: r, Now: now, Setting: setting}
	for _, l := range r.Linked() {
		if l.WorkTree != "" && !l.Missing {
			v.Trees = append(v.Trees, Tree{Linked: l, Files: Files{Top: l.WorkTree}})
		}
	}
	return v
}

// OnBranch finds the worktree in which a branch is checked out.
func (v *View) OnBranch(ref string) (Tree, bool) {
	for _, t := range v.Trees {
		if ref != "" && t.Branch == ref {
			return t, true
		}
	}
	return Tree{}, false
}

// At finds the registered worktree whose top is this folder: any other folder is no worktree, whatever it looks like.
func (v *View) At(path string) (Tree, bool) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		real = path
	}
	for _, t := range v.Trees {
		if t.WorkTree == real || t.WorkTree == filepath.Clean(path) {
			return t, true
		}
	}
	return Tree{}, false
}

// Reroot finds what an absolute path of another machine means here: the longest tail of it that is there.
// It returns the path below the tree, with slashes.
func (t *Tree) Reroot(path string) (string, bool) {
	path = strings.ReplaceAll(path, `\`, "/")
	if rel, err := filepath.Rel(t.WorkTree, filepath.FromSlash(path)); err == nil && filepath.IsLocal(rel) {
		path = filepath.ToSlash(rel)
	}
	parts := strings.Split(strings.Trim(path, "/"), "/")
	const deepest = 64
	for i := max(0, len(parts)-deepest); i < len(parts); i++ {
		tail := strings.Join(parts[i:], "/")
		if filepath.IsLocal(filepath.FromSlash(tail)) && t.Has(tail) {
			return tail, true
		}
	}
	return "", false
}

// Version is one state of a file in the history.
type Version struct {
	Commit gitstate.OID
	When   time.Time
	Author string
	Data   []byte
}

// History are the committed versions of a file, the newest first, at most most.
func (v *View) History(ctx context.Context, t Tree, path string, most int) ([]Version, error) {
	tree := v.Repo.At(t.Place)
	defer tree.Close()
	commits, err := tree.FileLog(ctx, "HEAD", most, path)
	if err != nil {
		return nil, err
	}
	var out []Version
	for _, c := range commits {
		o, err := tree.Object(ctx, string(c.ID)+":"+path)
		if err != nil || o.Type != "blob" || len(o.Data) > MaxFile {
			continue // deleted there, or not for us
		}
		out = append(out, Version{Commit: c.ID, When: c.When, Author: c.Author, Data: o.Data})
	}
	return out, nil
}
