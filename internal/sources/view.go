package sources

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/refs"
)

// View is everything that a source may look at: one repository with all its worktrees.
type View struct {
	Repo *gitstate.Repo
	// Trees are the registered worktrees whose folder exists, the main one first.
	Trees []Tree
	// Registered are all registrations, including those whose folder is missing.
	Registered []gitstate.Linked
	Now        time.Time
	// Setting returns the values of a git setting.
	Setting func(key string) []string

	*sharedCache
	trail *trail
}

// sharedCache holds what one command learned from git about a repository; all sources share it.
type sharedCache struct {
	asked touchesAsked
	mu    sync.Mutex
	clean map[string]map[string]bool // per worktree: the paths whose content is as committed
	// changes returns, per worktree, the files that differ from the commit.
	statusMu sync.Mutex
	changes  map[string]func() ([]gitstate.Change, error)
}

// Tree is one registered worktree.
type Tree struct {
	gitstate.Linked
	Files
}

// NewView opens a view of a repository; it starts no process.
func NewView(r *gitstate.Repo, now time.Time, setting func(string) []string) *View {
	v := &View{Repo: r, Now: now, Setting: setting, Registered: r.Linked(), sharedCache: &sharedCache{}}
	for _, l := range v.Registered {
		if l.WorkTree != "" && !l.Missing {
			v.Trees = append(v.Trees, Tree{Linked: l, Files: Files{Top: l.WorkTree}.Listed()})
		}
	}
	return v
}

// OnBranch finds the worktree in which a branch is checked out.
func (v *View) OnBranch(ref refs.Name) (Tree, bool) {
	for _, t := range v.Trees {
		if ref != "" && t.Branch == ref {
			return t, true
		}
	}
	return Tree{}, false
}

// At finds the registered worktree whose top is this folder: any other folder is not a worktree, even if it looks like one.
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

// Folder is a folder that exists under one name in some of the worktrees: a committed folder is in several.
type Folder struct {
	// ID is its name, preceded by its project if another project has that name too; Dir is its path relative to each worktree.
	ID, Dir string
	Trees   []Tree
}

// Folders returns the wanted folders directly below the source's own folder (or below within) in all projects of the source.
func (v *View) Folders(source, own, within string, wanted func(t Tree, dir string) bool) (out []Folder, err error) {
	known := map[string]bool{}
	for _, project := range v.projects(source, own) {
		found, err := v.folders(project+own+within, wanted)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			if known[f.ID] {
				f.ID = project + f.ID
			}
			known[f.ID] = true
			out = append(out, f)
		}
	}
	return out, nil
}

// folders returns the wanted folders directly below one folder, over all worktrees and in natural order.
// A worktree without that folder costs one lookup.
func (v *View) folders(dir string, wanted func(t Tree, dir string) bool) ([]Folder, error) {
	at := map[string]int{}
	var out []Folder
	for _, t := range v.Trees {
		if !t.Has(dir) {
			continue
		}
		entries, err := t.List(dir)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if !e.IsDir() || !wanted(t, dir+"/"+e.Name()) {
				continue
			}
			i, ok := at[e.Name()]
			if !ok {
				i = len(out)
				at[e.Name()] = i
				out = append(out, Folder{ID: e.Name(), Dir: dir + "/" + e.Name()})
			}
			out[i].Trees = append(out[i].Trees, t)
		}
	}
	slices.SortFunc(out, func(a, b Folder) int { return NaturalOrder(a.ID, b.ID) })
	return out, nil
}

// projects returns the folders in which a source looks for its own folder, each empty or ending in a slash: the top of a worktree,
// and the folders that the user named in the settings, with or without the source's own folder at the end.
func (v *View) projects(source, own string) []string {
	out := []string{""}
	if v.Setting == nil {
		return out
	}
	for _, p := range v.Setting("resume." + source + ".path") {
		p = path.Clean(strings.ReplaceAll(p, `\`, "/"))
		if cut, ok := strings.CutSuffix("/"+p, "/"+own); ok {
			p = strings.TrimPrefix(cut, "/")
		}
		if p == "" || p == "." || !filepath.IsLocal(filepath.FromSlash(p)) || slices.Contains(out, p+"/") {
			continue
		}
		out = append(out, p+"/")
	}
	return out
}

// Settle decides where to continue work that recorded a branch: in the worktree that has the branch checked out, or otherwise
// in a new worktree beside the repository. It returns false if the branch does not exist.
func (v *View) Settle(ctx context.Context, f *Found, branch string) bool {
	ref := refs.BranchOf(branch)
	at, err := v.Repo.Refs.Ref(ctx, ref)
	if err != nil || at == "" {
		return false
	}
	f.Branch, f.Last = ref, at
	t, ok := v.OnBranch(ref)
	switch {
	case ok && t.Main() && t.WorkTree == f.Home: // the work happens in the main worktree, which is not its own
	case ok:
		f.Worktree = t.WorkTree
	default:
		v.SettleBeside(f)
	}
	return true
}

// SettleBeside plans a new worktree where git-resume creates its own worktrees, under the name of the work.
func (v *View) SettleBeside(f *Found) {
	f.Wants, f.Beside = "../"+v.Name()+".worktrees/"+f.Slug(), true
}

// Reroot translates an absolute path from another machine: it takes the longest tail of the path that exists here.
// It returns the path relative to the worktree, with slashes.
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

// Name returns the name of the repository: the folder of its main worktree, or of the repository itself.
func (v *View) Name() string {
	if p, ok := v.Repo.Main(); ok {
		return filepath.Base(p.WorkTree)
	}
	return strings.TrimSuffix(filepath.Base(v.Repo.CommonDir), ".git")
}

// TakeAway returns the changes that remove files; it ignores files that do not exist.
func (t Tree) TakeAway(files ...string) ([]Change, error) {
	var out []Change
	for _, file := range files {
		if file == "" || !t.Has(file) {
			continue
		}
		was, err := t.Read(file)
		if err != nil {
			return nil, err
		}
		out = append(out, Change{Tree: t.WorkTree, Path: file, Was: was, Gone: true})
	}
	return out, nil
}

// Version is one committed version of a file.
type Version struct {
	Commit object.ID
	When   time.Time
	Author string
	Data   []byte
}

// History returns the committed versions of a file on a worktree's branch, the newest first, at most most.
func (v *View) History(ctx context.Context, t Tree, path string, most int) ([]Version, error) {
	tree := v.Repo.At(t.Place)
	defer tree.Close()
	return versions(ctx, tree, "HEAD", path, most)
}

// HistoryOf is History for a branch, whether it is checked out or not.
func (v *View) HistoryOf(ctx context.Context, ref refs.Name, path string, most int) ([]Version, error) {
	return versions(ctx, v.Repo, string(ref), path, most)
}

func versions(ctx context.Context, repo *gitstate.Repo, tip, path string, most int) ([]Version, error) {
	commits, err := past.FileLog(ctx, repo, tip, most, path)
	if err != nil {
		return nil, err
	}
	var out []Version
	for _, c := range commits {
		o, err := repo.Objects.Object(ctx, string(c.ID)+":"+path)
		if err != nil || o.Type != "blob" || len(o.Data) > MaxFile {
			continue // deleted in that commit, not a file, or too large
		}
		out = append(out, Version{Commit: c.ID, When: c.When, Author: c.Author, Data: o.Data})
	}
	return out, nil
}

// checkedOut is the age up to which a file's time may come from a checkout instead of work: for an older file its own time is good
// enough, and asking git about every file would cost more than everything else.
const checkedOut = 24 * time.Hour

// Written returns when the content of a file was written, and the source of that time. For a recent file whose content is as
// committed that is the time of the commit, because the file's own time may only be the time of a checkout.
func (v *View) Written(ctx context.Context, t Tree, path string) (time.Time, string) {
	when := t.Changed(path)
	if when.IsZero() || v.Now.Sub(when) > checkedOut || !v.Committed(ctx, t, path) {
		return when, "file time"
	}
	tree := v.Repo.At(t.Place)
	defer tree.Close()
	if log, err := past.FileLog(ctx, tree, "HEAD", 1, path); err == nil && len(log) > 0 {
		return log[0].When, "commit"
	}
	return when, "file time"
}

// Committed reports whether a file's content is as committed. The first question about a worktree costs two processes,
// and the others cost nothing.
func (v *View) Committed(ctx context.Context, t Tree, path string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.clean == nil {
		v.clean = map[string]map[string]bool{}
	}
	clean, ok := v.clean[t.WorkTree]
	if !ok {
		clean = v.cleanPaths(ctx, t)
		v.clean[t.WorkTree] = clean
	}
	return clean[path]
}

// Uncommitted returns the files of a worktree that differ from the commit. The first call costs a process, and the others cost nothing.
func (v *View) Uncommitted(ctx context.Context, t Tree) ([]gitstate.Change, error) {
	v.statusMu.Lock()
	if v.changes == nil {
		v.changes = map[string]func() ([]gitstate.Change, error){}
	}
	ask, known := v.changes[t.WorkTree]
	if !known {
		ask = sync.OnceValues(func() ([]gitstate.Change, error) {
			tree := v.Repo.At(t.Place)
			defer tree.Close()
			return tree.Status(ctx)
		})
		v.changes[t.WorkTree] = ask
	}
	v.statusMu.Unlock()
	return ask()
}

func (v *View) cleanPaths(ctx context.Context, t Tree) map[string]bool {
	tree := v.Repo.At(t.Place)
	defer tree.Close()
	clean := map[string]bool{}
	tracked, err := tree.Index(ctx)
	if err != nil {
		return clean // unknown, so the file's own time counts
	}
	changed, err := v.Uncommitted(ctx, t)
	if err != nil {
		return clean
	}
	for _, e := range tracked {
		clean[e.Name] = !e.Hidden
	}
	for _, c := range changed {
		delete(clean, c.Path)
	}
	return clean
}
