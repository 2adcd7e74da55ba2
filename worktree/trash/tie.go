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

// tieSafely ties and looks whether all of it is there.
// A "gc --prune=now" that began before the refs existed may remove what was just written:
// then the refs are taken back and all must be saved again. One that is still at work may do so after the look,
// so what is there is put where it cannot be reached.
func (d *dropping) tieSafely(ctx context.Context, admin string, try int) (again bool, err error) {
	err = d.tie(ctx, admin)
	danger := series.GcAtWork(d.repo) // asked before the look: one that ended by then can do no more
	if err == nil && d.allThere(ctx) && (!danger || d.packed(ctx)) {
		return false, nil
	}
	if err != nil && d.refsWhole(ctx) {
		return false, err
	}
	if err := d.untie(ctx); err != nil {
		return false, err
	}
	if try == series.Tries {
		return false, series.ErrVanished
	}
	return true, nil
}

// packed puts what was kept into packs.
func (d *dropping) packed(ctx context.Context) bool {
	for _, s := range d.series() {
		if s.Pack(ctx) != nil {
			return false
		}
	}
	return true
}

// allThere reports whether nothing is missing of what was kept.
func (d *dropping) allThere(ctx context.Context) bool {
	s := series.Of(d.repo, series.Discarded, d.rec.Run)
	kept, err := d.repo.Refs.Ref(ctx, s.Ref)
	if err != nil {
		return false
	}
	if kept != "" && !series.Whole(ctx, d.repo, kept, s.Apart(ctx)...) {
		return false
	}
	old, err := d.repo.Refs.Ref(ctx, series.TrashRef(d.rec.Run))
	if err != nil || old == "" {
		return err == nil && kept != ""
	}
	return series.Whole(ctx, d.repo, old, "--branches", "--tags", "--remotes")
}

func (d *dropping) refsWhole(ctx context.Context) bool {
	for _, s := range d.series() {
		if at, err := d.repo.Refs.Ref(ctx, s.Ref); err != nil || at != "" && !series.Whole(ctx, d.repo, at, s.Apart(ctx)...) {
			return false
		}
	}
	return true
}

// tie makes branch, snapshots and all that the registration in admin names reachable from the ref of what was discarded.
func (d *dropping) tie(ctx context.Context, admin string) error {
	t := &tying{repo: d.repo, ids: map[string]string{}}
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

// tying collects what must be kept of a run that is dropped.
type tying struct {
	repo  *gitstate.Repo
	entry discardEntry
	// ids are named in files; the value says in which.
	ids map[string]string
	// tips are the commits to keep; those in needed come back as branch or HEAD, those in named stand in files.
	tips, needed []object.ID
	named        []keeper
}

func (t *tying) note(why string, id object.ID) {
	t.entry.notes = append(t.entry.notes, fmt.Sprintf("%s %s", why, id))
}

// keep keeps a commit that comes back by a name.
func (t *tying) keep(why string, id object.ID) {
	if series.Unset(string(id)) {
		return
	}
	t.note(why, id)
	t.tips, t.needed = append(t.tips, id), append(t.needed, id)
}

// addIndex collects what the index names and neither HEAD nor the newest snapshot has: files that were staged before
// the folder was removed by hand, and trees that git remembers there, without which every gc would fail after an undo.
func (t *tying) addIndex(ctx context.Context, admin string, newest object.ID) {
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
		return // torn, or of objects that are gone already: there is nothing to keep
	}
	for id := range strings.FieldsSeq(string(out)) {
		t.ids[id] = "index"
	}
}

// addAdmin adds HEAD and the resolved sides of a worktree's own git dir, and collects the ids that its files name.
func (t *tying) addAdmin(ctx context.Context, admin string) error {
	if admin == "" {
		return nil
	}
	place, err := locate.Find(t.repo.CommonDir, []string{"GIT_DIR=" + admin})
	if err != nil {
		return nil // torn so early that it names nothing
	}
	at := t.repo.At(place)
	defer at.Close()
	if _, head, err := at.Refs.Head(ctx); err == nil {
		t.keep("head", head)
	}
	if err := named(t.ids, admin); err != nil {
		return err
	}
	sides, err := resolveUndo(ctx, at)
	t.addObjects(sides)
	return err
}

// addNamed adds the objects behind the collected ids.
func (t *tying) addNamed(ctx context.Context) error {
	commits, others, err := keepers(ctx, t.repo, t.ids)
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

// addObjects adds files and trees.
func (t *tying) addObjects(others []keeper) {
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

// write stores the entry and moves the ref; the branch is the one that is about to go.
func (t *tying) write(ctx context.Context, branch refs.Name) error {
	k, err := series.KeepFor(ctx, t.repo, t.entry.Run, branch, t.tips, t.needed)
	if err != nil {
		return err
	}
	for _, n := range t.named {
		if k.Raw[n.id] != nil { // the others are not ours to keep
			t.note(n.why, n.id)
		}
	}
	t.entry.commits = k
	_, err = series.Of(t.repo, series.Discarded, t.entry.Run).Add(ctx, func(p *object.Pending) (object.ID, []object.ID, error) {
		return t.entry.add(p), k.On, nil
	})
	return err
}

// untie takes back refs whose objects a gc removed under us, down to the newest entry that is whole.
func (d *dropping) untie(ctx context.Context) error {
	for _, s := range d.series() {
		if err := s.Shorten(ctx, d.before[s.Ref]); err != nil {
			return err
		}
	}
	return nil
}
