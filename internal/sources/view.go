package sources

import (
	"cmp"
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
	"github.com/git-resume/git-resume/internal/commitlog"
)

// View gives a source read access to one repository and its worktrees.
type View struct {
	Repo *gitstate.Repo
	// Trees lists the worktrees whose folder exists. The main worktree, if it is among them, comes first.
	Trees []Tree
	// Registered lists all worktrees that git knows, including those whose folder is missing.
	Registered []gitstate.Linked
	Now        time.Time
	Setting    func(key string) []string
	// Recent has the newest commits of the repository.
	Recent *commitlog.Recent

	*sharedCache
	trail *trail
}

// sharedCache stores answers of git during one command, so that several sources do not ask twice.
type sharedCache struct {
	dates dateCache
	mu    sync.Mutex
	// histories maps each worktree to its commits and its git index.
	histories map[string]*treeHistory
	clean     map[string]map[string]bool // maps each worktree to its unchanged tracked files
	// statusMu protects the map "changes". For each worktree, this map has a function that lists the files that differ from HEAD.
	statusMu sync.Mutex
	changes  map[string]func() ([]gitstate.Change, error)
}

// Tree is one registered worktree.
type Tree struct {
	gitstate.Linked
	Files
}

// Revision names the commit that is checked out, for a git command that is executed in the worktree.
func (t Tree) Revision() string { return cmp.Or(string(t.Head), "HEAD") }

// NewView opens a view of a repository.
func NewView(r *gitstate.Repo, now time.Time, setting func(string) []string) *View {
	v := &View{Repo: r, Now: now, Setting: setting, Registered: r.Linked(), sharedCache: &sharedCache{}}
	v.Recent = commitlog.NewRecent(r, now, v.looseTips)
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

// At finds the worktree whose top folder is the given path. It accepts only worktrees that are registered with git.
func (v *View) At(path string) (Tree, bool) {
	for _, t := range v.Trees {
		if t.WorkTree == filepath.Clean(path) {
			return t, true
		}
	}
	real, err := filepath.EvalSymlinks(path)
	for _, t := range v.Trees {
		if err == nil && t.WorkTree == real {
			return t, true
		}
	}
	return Tree{}, false
}

// Folder is a folder with the same relative path in one or several worktrees.
type Folder struct {
	// ID is the name of the folder. If another folder already has this ID, the path of this folder's project is put before the name. Dir
	// is the path of the folder relative to the worktree.
	ID, Dir string
	Trees   []Tree
}

// Folders searches one folder in every project of the source: the folder "within" below the folder "own". It returns the subfolders for
// which wanted() returns true.
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

// folders returns the subfolders of dir for which wanted() returns true, from all worktrees and in natural order.
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

// projects returns the folders in which a source searches for its state folder: the top of the worktree, and the folders from the setting
// resume.<source>.path. Each result is empty or ends with a slash.
func (v *View) projects(source, own string) []string {
	out := []string{""}
	for _, p := range v.namedFolders(source) {
		if cut, ok := strings.CutSuffix("/"+p, "/"+own); ok {
			p = strings.TrimPrefix(cut, "/")
		}
		if p == "" || p == "." || slices.Contains(out, p+"/") {
			continue
		}
		out = append(out, p+"/")
	}
	return out
}

// namedFolders returns the folders from the setting resume.<source>.path, without paths that lead out of the worktree.
func (v *View) namedFolders(source string) (out []string) {
	if v.Setting == nil {
		return nil
	}
	for _, p := range v.Setting("resume." + source + ".path") {
		if p = path.Clean(strings.ReplaceAll(p, `\`, "/")); IsBelow(p) {
			out = append(out, p)
		}
	}
	return out
}

// Settle records a branch and its newest commit in f. It also sets the worktree in which the work continues, or suggests a new one. It
// returns false and changes nothing if the branch does not exist or cannot be read.
func (v *View) Settle(ctx context.Context, f *Found, branch string) bool {
	ref := refs.BranchOf(branch)
	at, err := v.Repo.Refs.Ref(ctx, ref)
	if err != nil || at == "" {
		return false
	}
	f.Branch, f.Last = ref, at
	t, ok := v.OnBranch(ref)
	switch {
	case ok && t.Main() && t.WorkTree == f.Home: // the work happens in the main worktree, so it has no separate worktree
	case ok:
		f.Worktree = t.WorkTree
	default:
		v.SettleBeside(f)
	}
	return true
}

// SettleBeside suggests a new worktree for the work, in the folder in which git-resume usually creates its worktrees.
func (v *View) SettleBeside(f *Found) {
	f.Wants, f.Beside = "../"+v.Name()+".worktrees/"+f.Slug(), true
}

// Reroot converts an absolute path from another machine into a path in this worktree. For example, /home/ann/app/src/a.go becomes src/a.go
// if that file exists here.
func (t *Tree) Reroot(path string) (string, bool) {
	path = strings.ReplaceAll(path, `\`, "/")
	if rel, err := filepath.Rel(t.WorkTree, filepath.FromSlash(path)); err == nil && filepath.IsLocal(rel) {
		path = filepath.ToSlash(rel)
	}
	parts := strings.Split(strings.Trim(path, "/"), "/")
	const deepest = 64
	for i := max(0, len(parts)-deepest); i < len(parts); i++ {
		tail := strings.Join(parts[i:], "/")
		if IsBelow(tail) && t.Has(tail) {
			return tail, true
		}
	}
	return "", false
}

// Name returns the name of the repository, which is the name of its main worktree's folder. Without a main worktree, it is the name of
// the git folder without ".git".
func (v *View) Name() string {
	if p, ok := v.Repo.Main(); ok {
		return filepath.Base(p.WorkTree)
	}
	return strings.TrimSuffix(filepath.Base(v.Repo.CommonDir), ".git")
}

// TakeAway returns the changes that remove the given files. It ignores files that do not exist.
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

// History returns committed versions of a file in the history of a worktree's HEAD, the newest first. The last argument limits how many
// commits are examined.
func (v *View) History(ctx context.Context, t Tree, path string, most int) ([]Version, error) {
	tree := v.Repo.At(t.Place)
	defer tree.Close()
	return versions(ctx, tree, t.Revision(), path, most)
}

// HistoryOf returns committed versions of a file in the history of a branch, the newest first. The branch need not be checked out.
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
			continue // this version of the file is missing or too large; it is missing if the commit deleted the file
		}
		out = append(out, Version{Commit: c.ID, When: c.When, Author: c.Author, Data: o.Data})
	}
	return out, nil
}

// checkedOut is an age. The modification time of a younger file is not trusted, because a clone or a checkout may have set it. The
// modification time of an older file is used, because such a file belongs to old work anyway.
const checkedOut = 35 * 24 * time.Hour

// Written returns when the content of a file was written. For a recent file without uncommitted changes, this is the time of the last
// commit that changed it, because a checkout may have set the modification time. For other files it is the modification time. The second
// result says which of the two it is.
func (v *View) Written(ctx context.Context, t Tree, path string) (time.Time, string) {
	v.dates.mu.Lock()
	defer v.dates.mu.Unlock()
	if at := v.date(ctx, t, []string{path})[path]; !at.IsZero() {
		return at, "commit"
	}
	return t.Changed(path), "file time"
}

// Committed reports whether a file is tracked and the same as in HEAD. The answer is false if git fails.
func (v *View) Committed(ctx context.Context, t Tree, path string) bool {
	if t.tip != nil {
		return t.Has(path)
	}
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

// Unfinished says why the files of a worktree may come from a checkout or a copy that was interrupted, or returns "". Then the times of the files
// say nothing. Without the argument "deep" it looks only at the index, and starts no git process if that has entries.
func (v *View) Unfinished(ctx context.Context, t Tree, deep bool) string {
	head := v.Head(ctx, t)
	if empty := v.historyOf(ctx, t).index().Empty(); head == "" || !empty && !deep {
		return ""
	}
	c, err := v.Repo.Objects.Commit(ctx, string(head))
	var files []object.Entry
	if err == nil {
		files, err = v.Repo.Objects.Tree(ctx, string(c.Tree))
	}
	switch {
	case err != nil:
		return "the repository is incomplete, because objects of commit " + head.Short() + " are missing; see them with: git fsck"
	case len(files) > 0 && v.historyOf(ctx, t).index().Empty():
		return "the checkout here is unfinished, because the index is missing or empty; write it, without a change of any file, with: git reset"
	}
	return ""
}

// Edited returns one of the files that is tracked and has uncommitted changes, or "". It starts git only if the index does not show that all
// of them are unchanged.
func (v *View) Edited(ctx context.Context, t Tree, paths []string) string {
	index := v.historyOf(ctx, t).index()
	maybe := slices.DeleteFunc(slices.Clone(paths), func(p string) bool {
		_, same := index.Unchanged(t.WorkTree, p)
		return same || !index.MayHave(p)
	})
	if len(maybe) == 0 {
		return ""
	}
	changes, err := v.Uncommitted(ctx, t)
	if err != nil {
		return "" // skip a worktree that cannot be read; another check reports that error
	}
	for _, c := range changes {
		if !c.Untracked() && slices.Contains(maybe, c.Path) {
			return c.Path
		}
	}
	return ""
}

// Uncommitted returns the files of a worktree that differ from HEAD. Only the first call for a worktree starts git.
func (v *View) Uncommitted(ctx context.Context, t Tree) ([]gitstate.Change, error) {
	if t.tip != nil {
		return nil, nil
	}
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
		return clean // if git fails, no file counts as committed
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
