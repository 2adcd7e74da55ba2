package sources

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
)

// View is what a source may look at: one repository with all its worktrees.
type View struct {
	Repo *gitstate.Repo
	// Trees are the worktrees that are registered and there, the main one first.
	Trees []Tree
	// Registered are all registrations, also those whose folder is not there.
	Registered []gitstate.Linked
	Now        time.Time
	// Setting gives the values of a git setting.
	Setting func(key string) []string

	*learned
	trail *trail
}

// learned is what one command asked git about a repository; all sources share it.
type learned struct {
	asked touchesAsked
	mu    sync.Mutex
	clean map[string]map[string]bool // by worktree, the paths that stand as they were committed
	// changes, by worktree, are what is not as it was committed.
	statusMu sync.Mutex
	changes  map[string]func() ([]gitstate.Change, error)
}

// Tree is one registered worktree.
type Tree struct {
	gitstate.Linked
	Files
}

// NewView looks at a repository; it starts no process.
func NewView(r *gitstate.Repo, now time.Time, setting func(string) []string) *View {
	v := &View{Repo: r, Now: now, Setting: setting, Registered: r.Linked(), learned: &learned{}}
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

// Folder is a folder of one name in some of the worktrees: what is committed is there in several.
type Folder struct {
	// ID is its name, behind its project where another project has that name too; Dir is where it lies below each worktree.
	ID, Dir string
	Trees   []Tree
}

// Folders are those of all projects of a source directly below its own folder, or one within that, as far as they are wanted.
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

// folders are those directly below one folder, over all worktrees and in natural order.
// A worktree without that folder costs one look.
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

// projects are the folders in which a source looks for its own, each empty or ending in a slash: the top of a worktree,
// and what the user named, with or without the source's own folder at its end.
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

// Settle says where work goes on that recorded a branch: in the worktree that stands on it, and where none does,
// in one beside the repository that is still to be made. It is false if there is no such branch.
func (v *View) Settle(ctx context.Context, f *Found, branch string) bool {
	ref := refs.BranchOf(branch)
	at, err := v.Repo.Refs.Ref(ctx, ref)
	if err != nil || at == "" {
		return false
	}
	f.Branch, f.Last = ref, at
	t, ok := v.OnBranch(ref)
	switch {
	case ok && t.Main() && t.WorkTree == f.Home: // it works where it stands, in a tree that is not its own
	case ok:
		f.Worktree = t.WorkTree
	default:
		v.SettleBeside(f)
	}
	return true
}

// SettleBeside puts a worktree that is still to be made where our own are, under the work's own name.
func (v *View) SettleBeside(f *Found) {
	f.Wants, f.Beside = "../"+v.Name()+".worktrees/"+f.Slug(), true
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

// Name is what the repository is called: the folder of its main worktree, or of the repository itself.
func (v *View) Name() string {
	if p, ok := v.Repo.Main(); ok {
		return filepath.Base(p.WorkTree)
	}
	return strings.TrimSuffix(filepath.Base(v.Repo.CommonDir), ".git")
}

// largestIndex is how much of an index is looked through for a name; what is larger is asked from git by a setting only.
const largestIndex = 64 << 20

// Tracked lists the folders of this name that hold tracked files, those that are known already perhaps left out.
// Where there are no others it reads the index and starts no process.
func (v *View) Tracked(ctx context.Context, t Tree, name string, known []string) ([]string, error) {
	index := filepath.Join(t.GitDir, "index")
	info, err := os.Stat(index)
	if err != nil || info.Size() > largestIndex || info.Size() > piece && !holds(index, name) {
		return nil, nil
	}
	data, err := locate.ReadFile(index)
	if err != nil || !mentionsMore(data, name, known) {
		return nil, nil // an index that cannot be read is git's own trouble, and is told by git
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

// mentionsMore looks for a name in an index behind anything but the folders that are known.
func mentionsMore(index []byte, name string, known []string) bool {
	for from := 0; ; from += len(name) {
		at := bytes.Index(index[from:], []byte(name))
		if at < 0 {
			return false
		}
		from += at
		end := from + len(name)
		if end >= len(index) || index[end] != '/' { // a file of that name, or the folder in the list of trees behind the files
			continue
		}
		isKnown := func(dir string) bool { return beginsPath(index, end-len(dir), dir) }
		if !slices.ContainsFunc(known, isKnown) {
			return true
		}
	}
}

// beginsPath reports whether an entry of an index begins at a place, and with this folder. The byte before a path is the lower half
// of its length; an index that is written in another way is never sure.
func beginsPath(index []byte, at int, dir string) bool {
	if at < 1 || !bytes.HasPrefix(index[at:], []byte(dir+"/")) {
		return false
	}
	length := bytes.IndexByte(index[at:], 0)
	return length > 0 && length < 0xfff && index[at-1] == byte(length)
}

// TakeAway is the change that takes files away; those that are not there are passed over.
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

// Version is one state of a file in the history.
type Version struct {
	Commit object.ID
	When   time.Time
	Author string
	Data   []byte
}

// History are the committed versions of a file on a worktree's branch, the newest first, at most most.
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
			continue // deleted there, or not for us
		}
		out = append(out, Version{Commit: c.ID, When: c.When, Author: c.Author, Data: o.Data})
	}
	return out, nil
}

// checkedOut is how long a checkout may pass for work: an older file is no worse sign than its own time,
// and asking git for each would cost more than all the rest.
const checkedOut = 24 * time.Hour

// Written is when the content of a file came to be, and what says so. A young file that stands as it was committed
// has the time of its commit: its own time is only that of a checkout.
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

// Committed reports whether a file stands as it was committed. The first question about a worktree costs two processes,
// the others nothing.
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

// Uncommitted is what is not as it was committed in a worktree. The first question costs a process, the others nothing.
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
		return clean // unknown: then the file's own time counts
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
