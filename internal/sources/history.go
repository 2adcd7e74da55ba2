package sources

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/git-resume/git-resume/gitstate/index"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/commitlog"
)

// stateFolders lists files and folders in which workflow systems keep their state. One git process lists the commits of all of them.
var stateFolders = []string{
	".auto-claude", ".agent-memory", ".long-run", ".planning", ".taskmaster", "specs", ".specify/specs", ".kiro/specs", "openspec/changes", "task_plan.md",
	"conductor", ".agent-os/specs", "agent-os/specs", ".spec-workflow/specs", "execplans", ".agent/execplans", "tasks", ".aios", ".aiox", "qa", "plan", "docs/stories", "docs/specs", SuperpowersPlans, superpowersOldPlans,
	"_bmad-output", "bmad-output", "docs/implementation-artifacts", "docs/sprint-artifacts", ".bmad-ephemeral", "docs/sprint-status.yaml",
}

// lastWindow is how far back LastCommits and NewestCommit look. Most files that somebody works on have a commit in this time.
const lastWindow = 90 * 24 * time.Hour

// treeHistory is what is known about the commits and the index of one worktree. Most worktrees contain no work of another system, and only
// their HEAD is needed. So the rest is read only when it is needed.
type treeHistory struct {
	head    object.ID
	touched func() *commitlog.Touched
	index   func() *index.List
	// listing is the result of the function "touched", or nil before its first call.
	listing atomic.Pointer[commitlog.Touched]
}

// historyOf returns the history of a worktree. It reads HEAD only once, so that all sources see the same commit during one command.
func (v *View) historyOf(ctx context.Context, t Tree) *treeHistory {
	v.mu.Lock()
	defer v.mu.Unlock()
	h := v.histories[t.WorkTree]
	if h != nil {
		return h
	}
	head := t.Head
	if head == "" {
		tree := v.Repo.At(t.Place)
		defer tree.Close()
		_, head, _ = tree.Refs.Head(ctx) // if HEAD cannot be read, head stays empty and no commits are looked at
	}
	h = &treeHistory{head: head, index: sync.OnceValue(func() *index.List { return index.Read(t.GitDir, v.Repo.CommonDir) })}
	h.touched = sync.OnceValue(func() *commitlog.Touched {
		there := slices.DeleteFunc(slices.Clone(stateFolders), func(dir string) bool { return !t.Has(dir) })
		listing := commitlog.NewTouched(v.Repo.At(t.Place), head, there)
		h.listing.Store(listing)
		return listing
	})
	if v.histories == nil {
		v.histories = map[string]*treeHistory{}
	}
	v.histories[t.WorkTree] = h
	return h
}

// known leaves out the files that are certainly not in the index, and returns the rest.
func (h *treeHistory) known(files []string) []string {
	return slices.DeleteFunc(slices.Clone(files), func(f string) bool { return !h.index().MayHave(f) })
}

// Head returns the commit that is checked out in a worktree, or "" if there is none or it cannot be read.
func (v *View) Head(ctx context.Context, t Tree) object.ID { return v.historyOf(ctx, t).head }

// Touches returns the commits in the history of HEAD that changed any of the paths. The arguments "since", "most" and "enough" limit the
// search, as in commitlog.Touched.Of.
func (v *View) Touches(ctx context.Context, t Tree, since time.Time, most int, enough commitlog.Enough, paths ...string) []past.Touch {
	h := v.historyOf(ctx, t)
	paths = slices.DeleteFunc(slices.Clone(paths), func(p string) bool {
		return !h.index().MayHave(p) && t.Has(p) && !t.isDir(p) // a file that exists but is not in the index was probably never committed
	})
	return h.touched().Of(ctx, since, most, enough, paths)
}

// NewestCommit returns the newest commit that changed any of the given files, and when it was made. The id is empty if there is no such
// commit within lastWindow.
func (v *View) NewestCommit(ctx context.Context, t Tree, paths ...string) (object.ID, time.Time) {
	h := v.historyOf(ctx, t)
	newest := h.touched().Newest(ctx, v.Now.Add(-lastWindow), h.known(paths))
	return newest.ID, newest.Made
}

// documents are the endings of files that describe work. A commit that changes only such files carries out nothing of a plan for code.
var documents = []string{".md", ".mdx", ".markdown", ".txt", ".rst", ".adoc", ".png", ".jpg", ".svg"}

// IsDocument reports whether a file is a document, by its name.
func IsDocument(file string) bool { return slices.Contains(documents, strings.ToLower(path.Ext(file))) }

// OnlyDocuments reports whether a commit changed nothing but documents, the files of tools in hidden folders, and files in the folder that
// has the folder "root" of a piece of work. For a merge, it compares with the first parent. It is false if git cannot tell.
func (v *View) OnlyDocuments(ctx context.Context, id object.ID, root string) bool {
	return v.onlyDocuments(ctx, id, root, func([]past.Delta) bool { return true })
}

// OnlyPlans reports whether a commit added the given plan, and OnlyDocuments is true for it. Such a commit was made before the work, so its
// subject names what is planned and not what was done.
func (v *View) OnlyPlans(ctx context.Context, id object.ID, root, plan string) bool {
	return v.onlyDocuments(ctx, id, root, func(changes []past.Delta) bool {
		return slices.ContainsFunc(changes, func(d past.Delta) bool { return d.Path == plan && d.Letter == 'A' })
	})
}

func (v *View) onlyDocuments(ctx context.Context, id object.ID, root string, also func([]past.Delta) bool) bool {
	changes, err := past.Diff(ctx, v.Repo, id+"^", id, past.DiffOptions{})
	if err != nil || !also(changes) {
		return false
	}
	beside := path.Dir(strings.TrimSuffix(root, "/")) + "/"
	return !slices.ContainsFunc(changes, func(d past.Delta) bool {
		hidden := strings.HasPrefix(d.Path, ".") && strings.Contains(d.Path, "/") && !strings.HasPrefix(d.Path, ".github/")
		return !IsDocument(d.Path) && !hidden && (beside == "./" || !strings.HasPrefix(d.Path, beside))
	})
}

// LastCommits returns for each of the given files the newest commit that changed it. Files without such a commit within lastWindow are
// left out.
func (v *View) LastCommits(ctx context.Context, t Tree, paths ...string) map[string]past.Touch {
	h := v.historyOf(ctx, t)
	return h.touched().Last(ctx, v.Now.Add(-lastWindow), h.known(paths))
}

// RestLogs ends the git processes that list commits. They are started again when they are needed.
func (v *View) RestLogs() {
	v.mu.Lock()
	all := slices.Collect(maps.Values(v.histories))
	v.mu.Unlock() // waiting for a git process with v.mu locked could block forever
	for _, h := range all {
		if listing := h.listing.Load(); listing != nil {
			listing.Rest()
		}
	}
	v.Recent.Rest()
}

// looseTips returns commits that are perhaps on no local branch: detached HEADs of worktrees, and the default branch of origin.
func (v *View) looseTips(ctx context.Context) (tips []object.ID) {
	for _, t := range v.Trees {
		if at := v.Head(ctx, t); t.Branch == "" && at != "" && !slices.Contains(tips, at) {
			tips = append(tips, at)
		}
	}
	at, err := v.Repo.Refs.Ref(ctx, refs.Name("refs/remotes/origin/HEAD"))
	if err == nil && at != "" && !slices.Contains(tips, at) {
		tips = append(tips, at)
	}
	return tips
}
