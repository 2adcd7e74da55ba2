package gitstate

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/refs"
)

// Linked is one worktree of a repository. It can also be the main worktree.
type Linked struct {
	locate.Place
	// Name is the name of the worktree's folder below ".git/worktrees". It is empty for the main worktree.
	Name string
	// Branch is a full ref name. It is empty while HEAD is detached.
	Branch refs.Name
	// Head is the commit that is checked out. It is empty if there is none, or if it was not read, as is usual in a
	// repository with reftables.
	Head object.ID
	// Locked is true if the worktree is locked, with or without a reason.
	Locked     bool
	LockReason string
	// Missing is true if the worktree was not found at the path that git has recorded for it. Then WorkTree is that path,
	// or empty if the record cannot be read.
	Missing bool
}

// Main reports whether this is the main worktree.
func (l Linked) Main() bool { return l.Name == "" }

const perGoroutine = 8

// Linked lists the worktrees, the main worktree first if there is one. Where possible it reads files, which is faster
// than asking git as Worktrees does.
func (r *Repo) Linked() []Linked {
	var out []Linked
	branches := r.tableBranches()
	if p, ok := r.Main(); ok {
		out = append(out, r.linked(p, "", branches))
	}
	entries, _ := os.ReadDir(r.CommonPath("worktrees")) // the folder is missing if there are no linked worktrees
	if len(entries) == 0 {
		return out
	}
	near := &worktreeFinder{common: r.CommonDir, real: map[string]string{}}
	near.plain = !locate.IsTrue(locate.ReadSettings(r.CommonPath("config"))["extensions.worktreeconfig"])
	look := func(name string) Linked {
		admin := r.CommonPath("worktrees", name)
		p, ok := near.linkedPlace(admin)
		if !ok {
			p = locate.Place{GitDir: admin, CommonDir: r.CommonDir, WorkTree: p.WorkTree}
		}
		l := r.linked(p, name, branches)
		l.Missing = !ok
		return l
	}
	out = append(out, make([]Linked, len(entries))...)
	linked := out[len(out)-len(entries):]
	var looked sync.WaitGroup
	for from := 0; from < len(entries); from += perGoroutine {
		looked.Go(func() {
			for i := from; i < min(from+perGoroutine, len(entries)); i++ {
				linked[i] = look(entries[i].Name())
			}
		})
	}
	looked.Wait()
	return out
}

// tableBranches asks git for the branches of all worktrees at once if the repository has reftables. Otherwise, or if git fails, it returns
// nil.
func (r *Repo) tableBranches() map[string]refs.Name {
	if !r.Refs.InTables() {
		return nil
	}
	all, err := r.Worktrees(context.Background())
	if err != nil {
		return nil // a single damaged worktree makes git's list fail, so the caller asks about each worktree separately
	}
	out := map[string]refs.Name{}
	for _, w := range all {
		out[w.Path] = w.Branch
	}
	return out
}

// worktreeFinder finds linked worktrees, and keeps data that many worktrees share.
type worktreeFinder struct {
	common string
	// plain is true if no worktree has its own settings.
	plain bool
	// The keys of the map "real" are parent folders of worktrees. The values are the same paths without symbolic links. mu protects the
	// map.
	mu   sync.Mutex
	real map[string]string
}

// linkedPlace finds the folder of a linked worktree from its admin folder below ".git/worktrees". Each of the two folders must contain a
// file that points to the other.
func (n *worktreeFinder) linkedPlace(admin string) (locate.Place, bool) {
	text, err := locate.ReadFile(filepath.Join(admin, "gitdir"))
	if err != nil {
		return locate.Place{}, false
	}
	top := filepath.Dir(locate.AbsFrom(admin, strings.TrimSpace(string(text))))
	if p, ok := n.findPlain(admin, top); ok {
		return p, true
	}
	p, err := locate.Find(top, nil)
	if err != nil || p.GitDir != locate.RealPath(admin) {
		return locate.Place{WorkTree: top}, false
	}
	return p, true
}

// findPlain is a faster locate.Find. It finds only worktrees in which the files that connect the worktree and its admin folder have the
// usual content. For other worktrees it returns false.
func (n *worktreeFinder) findPlain(admin, top string) (locate.Place, bool) {
	back, err := locate.ReadFile(filepath.Join(top, ".git"))
	if err != nil || !n.plain || strings.TrimRight(string(back), "\n") != "gitdir: "+admin {
		return locate.Place{}, false
	}
	shared, err := locate.ReadFile(filepath.Join(admin, "commondir"))
	if info, lerr := os.Lstat(top); err != nil || strings.TrimSpace(string(shared)) != "../.." || lerr != nil || !info.IsDir() {
		return locate.Place{}, false
	}
	return locate.Place{GitDir: admin, CommonDir: n.common, WorkTree: filepath.Join(n.realPath(filepath.Dir(top)), filepath.Base(top))}, true
}

func (n *worktreeFinder) realPath(parent string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	real, known := n.real[parent]
	if !known {
		real = locate.RealPath(parent)
		n.real[parent] = real
	}
	return real
}

func (r *Repo) linked(p locate.Place, name string, branches map[string]refs.Name) Linked {
	l := Linked{Place: p, Name: name}
	if reason, err := locate.ReadFile(filepath.Join(p.GitDir, "locked")); err == nil {
		l.Locked, l.LockReason = true, strings.TrimSpace(string(reason))
	}
	if branch, ok := branches[p.WorkTree]; ok {
		l.Branch = branch
		return l
	}
	tree := r.At(p)
	defer tree.Close()
	l.Branch, l.Head, _ = tree.Refs.Head(context.Background()) // a worktree with a damaged HEAD counts as detached
	return l
}
