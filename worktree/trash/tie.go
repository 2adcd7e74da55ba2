package trash

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/worktree/series"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// keepSafely calls keepReachable and checks that all objects exist. If a running "gc --prune=now" has deleted some, keepSafely resets the
// refs, and the result "again" says that everything must be saved again. While a gc is running, keepSafely also puts the objects into new
// packs, which the gc does not delete.
func (d *discardJob) keepSafely(ctx context.Context, admin string, try int) (again bool, err error) {
	err = d.keepReachable(ctx, admin)
	danger := series.GcAtWork(d.repo) // look for a gc first: if it ends before allThere is called, allThere finds what the gc has deleted
	if err == nil && d.allThere(ctx) && (!danger || d.packAll(ctx)) {
		return false, nil
	}
	if err != nil && d.refsWhole(ctx) {
		return false, err
	}
	if err := d.resetRefs(ctx); err != nil {
		return false, err
	}
	if try == series.Tries {
		return false, series.ErrVanished
	}
	return true, nil
}

// packAll puts the saved objects into packs, and reports whether this worked.
func (d *discardJob) packAll(ctx context.Context) bool {
	for _, s := range d.series() {
		if s.Pack(ctx) != nil {
			return false
		}
	}
	return true
}

// allThere reports whether all saved objects exist.
func (d *discardJob) allThere(ctx context.Context) bool {
	s := series.Of(d.repo, series.Discarded, d.rec.Run)
	kept, err := d.repo.Refs.Ref(ctx, s.Ref)
	return err == nil && kept != "" && series.Whole(ctx, d.repo, kept, s.Apart(ctx)...)
}

func (d *discardJob) refsWhole(ctx context.Context) bool {
	for _, s := range d.series() {
		if at, err := d.repo.Refs.Ref(ctx, s.Ref); err != nil || at != "" && !series.Whole(ctx, d.repo, at, s.Apart(ctx)...) {
			return false
		}
	}
	return true
}

// keepReachable makes everything that must be saved reachable from the ref of discarded work: the branch, the snapshots, and the objects to
// which the worktree's git dir refers.
func (d *discardJob) keepReachable(ctx context.Context, admin string) error {
	t := &keptObjects{repo: d.repo, ids: map[string]string{}}
	t.entry.Label = series.Label{Run: d.rec.Run, At: d.req.Now()}
	if d.rec.Branch != "" {
		tip, err := d.repo.Refs.Ref(ctx, refs.Name(d.rec.Branch))
		if err != nil {
			return err
		}
		if tip != "" {
			d.rec.Tip = tip
		}
		t.keep("branch", d.rec.Tip)
		log, copied := d.reflogs()
		for _, path := range []string{log, copied} {
			noteIDs(t.ids, path, "branch-log", fullID())
		}
	}
	snapshots, err := series.Of(d.repo, series.Snapshots, d.rec.Run).Read(ctx)
	if err != nil {
		return err
	}
	if t.entry.snapshots = snapshots.Root; snapshots.Root != "" {
		t.note("snapshots", snapshots.Root)
	}
	if err := t.addAdmin(ctx, admin); err != nil {
		return err
	}
	t.addIndex(ctx, admin, snapshots.Last().ID)
	if err := t.addNamed(ctx); err != nil {
		return err
	}
	return t.write(ctx, refs.Name(d.rec.Branch))
}

// keptObjects collects the objects of a discarded run that must be saved.
type keptObjects struct {
	repo  *gitstate.Repo
	entry discardEntry
	// ids maps each id that was found in a file to the name of that file.
	ids map[string]string
	// tips lists all commits to save. The field "needed" lists the commits to which the branch or HEAD will point again after an undo.
	// The field "named" lists the commits whose ids were found in files.
	tips, needed []object.ID
	named        []keptObject
}

func (t *keptObjects) note(why string, id object.ID) {
	t.entry.notes = append(t.entry.notes, fmt.Sprintf("%s %s", why, id))
}

// keep collects a commit to which the branch or HEAD will point again after an undo.
func (t *keptObjects) keep(why string, id object.ID) {
	if series.Unset(string(id)) {
		return
	}
	t.note(why, id)
	t.tips, t.needed = append(t.tips, id), append(t.needed, id)
}

// addIndex collects objects that only the index refers to. These are staged files, and trees that git caches in the index. If they were
// missing after an undo, every gc would fail.
func (t *keptObjects) addIndex(ctx context.Context, admin string, newest object.ID) {
	place, err := locate.Find(t.repo.CommonDir, []string{"GIT_DIR=" + admin})
	if admin == "" || err != nil {
		return
	}
	at := t.repo.At(place)
	defer at.Close()
	args := []string{"rev-list", "--objects", "--no-object-names", "--single-worktree", "--ignore-missing", "--indexed-objects", "--not", "HEAD^{tree}"}
	if snap, err := snapshot.Load(ctx, t.repo, newest); err == nil {
		for _, tree := range []object.ID{snap.Tree, snap.Index} {
			if tree != "" {
				args = append(args, string(tree))
			}
		}
	}
	out, err := at.Git(ctx, process.Call{Args: args})
	if err != nil {
		return // git cannot list the objects, for example because the index is damaged
	}
	for id := range strings.FieldsSeq(string(out)) {
		t.ids[id] = "index"
	}
}

// addAdmin collects HEAD, the versions of resolved conflicts, and the ids in the files of a worktree's git dir.
func (t *keptObjects) addAdmin(ctx context.Context, admin string) error {
	if admin == "" {
		return nil
	}
	place, err := locate.Find(t.repo.CommonDir, []string{"GIT_DIR=" + admin})
	if err != nil {
		return nil // git cannot use this git dir, so no ids are collected from it
	}
	at := t.repo.At(place)
	defer at.Close()
	if _, head, err := at.Refs.Head(ctx); err == nil {
		t.keep("head", head)
	}
	if err := collectIDs(t.ids, admin); err != nil {
		return err
	}
	sides, err := resolveUndo(ctx, at)
	t.addObjects(sides)
	return err
}

// addNamed adds the objects whose ids were collected from files. It skips ids of objects that do not exist.
func (t *keptObjects) addNamed(ctx context.Context) error {
	commits, others, err := existingObjects(ctx, t.repo, t.ids)
	if err != nil {
		return err
	}
	for _, k := range commits {
		t.tips = append(t.tips, k.id)
	}
	t.named = commits
	t.addObjects(others)
	return nil
}

func (t *keptObjects) addObjects(others []keptObject) {
	seen := map[string]bool{}
	for _, e := range t.entry.objects {
		seen[e.Name] = true
	}
	for _, k := range others {
		why, kind, _ := strings.Cut(k.why, "\x00")
		t.note(why, k.id)
		if seen[string(k.id)] {
			continue
		}
		seen[string(k.id)] = true
		mode := object.ModeFile
		if kind == "tree" {
			mode = object.ModeDir
		}
		t.entry.objects = append(t.entry.objects, object.Entry{Name: string(k.id), Mode: mode, ID: k.id})
	}
}

// write stores the entry and updates the ref. Commits that only the given branch contains are saved too, because the branch is about to be
// deleted.
func (t *keptObjects) write(ctx context.Context, branch refs.Name) error {
	k, err := series.KeepFor(ctx, t.repo, t.entry.Run, branch, t.tips, t.needed)
	if err != nil {
		return err
	}
	for _, n := range t.named {
		if k.Raw[n.id] != nil { // list only the commits that were copied; the others are reachable from another ref
			t.note(n.why, n.id)
		}
	}
	t.entry.commits = k
	_, err = series.Of(t.repo, series.Discarded, t.entry.Run).Add(ctx, func(p *object.Pending) (object.ID, []object.ID, error) {
		return t.entry.add(p), k.On, nil
	})
	return err
}

// resetRefs resets the ref of each series to the newest complete entry of the series. Later entries are incomplete if a gc has deleted some
// of their objects.
func (d *discardJob) resetRefs(ctx context.Context) error {
	for _, s := range d.series() {
		if err := s.Shorten(ctx, d.before[s.Ref]); err != nil {
			return err
		}
	}
	return nil
}
