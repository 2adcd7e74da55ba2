package worktree

import (
	"context"
	"errors"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
)

// errVanish says that something deletes objects as fast as they are written.
var errVanish = errors.New("objects vanish as they are written: is a 'git gc --prune=now' at work?")

// tieSafely ties and looks whether all of it is there.
// A "gc --prune=now" that began before the refs existed may remove what was just written:
// then the refs are taken back and all must be saved again.
func (d *dropping) tieSafely(ctx context.Context, admin string, try int) (again bool, err error) {
	err = d.tie(ctx, admin)
	if err == nil && whole(ctx, d.repo, trashRef(d.rec.Run)) {
		return false, nil
	}
	if err != nil && d.refsWhole(ctx) {
		return false, err
	}
	if err := d.untie(ctx); err != nil {
		return false, err
	}
	if try == tries {
		return false, errVanish
	}
	return true, nil
}

func (d *dropping) refsWhole(ctx context.Context) bool {
	for _, ref := range []string{wipRef(d.rec.Run), trashRef(d.rec.Run)} {
		if at, err := d.repo.Ref(ctx, ref); err != nil || at != "" && !whole(ctx, d.repo, string(at)) {
			return false
		}
	}
	return true
}

// tie makes branch, snapshots and all that the registration in admin names reachable from the trash ref.
func (d *dropping) tie(ctx context.Context, admin string) error {
	run := d.rec.Run
	c := trashCommit{repo: d.repo, run: run, at: d.req.Now()}
	var reached []gitstate.OID
	keep := func(why string, id gitstate.OID) {
		if unset(string(id)) {
			return
		}
		c.commits = append(c.commits, keeper{why, id})
		reached = append(reached, id)
	}
	if d.rec.Branch != "" {
		tip, err := d.repo.Ref(ctx, string(d.rec.Branch))
		if err != nil {
			return err
		}
		if tip != "" {
			d.rec.Tip = tip
		}
		keep("branch", d.rec.Tip)
	}
	wip, err := d.repo.Ref(ctx, wipRef(run))
	if err != nil {
		return err
	}
	keep("snapshots", wip)
	ids := map[string]string{}
	if d.rec.Branch != "" {
		log, copied := d.reflogs()
		for _, path := range []string{log, copied} {
			noteIDs(ids, path, "branch-log", fullID())
		}
	}
	if err := c.addAdmin(ctx, admin, ids, keep); err != nil {
		return err
	}
	c.addIndex(ctx, admin, ids, wip)
	return c.addNamed(ctx, ids, reached)
}

// addIndex collects what the index names and neither HEAD nor the newest snapshot has: files that were staged before
// the folder was removed by hand, and trees that git remembers there, without which every gc would fail after an undo.
func (c *trashCommit) addIndex(ctx context.Context, admin string, ids map[string]string, snapshot gitstate.OID) {
	place, err := gitstate.Locate(c.repo.CommonDir, []string{"GIT_DIR=" + admin})
	if admin == "" || err != nil {
		return
	}
	at := c.repo.At(place)
	defer at.Close()
	args := []string{"rev-list", "--objects", "--no-object-names", "--single-worktree", "--ignore-missing", "--indexed-objects", "--not", "HEAD^{tree}"}
	if snapshot != "" {
		args = append(args, string(snapshot)+"^{tree}", string(snapshot)+"^2^{tree}")
	}
	out, err := at.Git(ctx, gitstate.Call{Args: args})
	if err != nil {
		return // torn, or of objects that are gone already: there is nothing to keep
	}
	for id := range strings.FieldsSeq(string(out)) {
		ids[id] = "index"
	}
}

// addAdmin adds HEAD and the resolved sides of a worktree's own git dir, and collects the ids that its files name.
func (c *trashCommit) addAdmin(ctx context.Context, admin string, ids map[string]string, keep func(string, gitstate.OID)) error {
	if admin == "" {
		return nil
	}
	place, err := gitstate.Locate(c.repo.CommonDir, []string{"GIT_DIR=" + admin})
	if err != nil {
		return nil // torn so early that it names nothing
	}
	at := c.repo.At(place)
	defer at.Close()
	if _, head, err := at.Head(ctx); err == nil {
		keep("head", head)
	}
	if err := named(ids, admin); err != nil {
		return err
	}
	c.others, err = resolveUndo(ctx, at)
	return err
}

// addNamed adds the objects behind the collected ids, and writes the commit.
func (c *trashCommit) addNamed(ctx context.Context, ids map[string]string, reached []gitstate.OID) error {
	commits, others, err := keepers(ctx, c.repo, ids)
	if err != nil {
		return err
	}
	if commits, err = onlyHere(ctx, c.repo, commits, reached...); err != nil {
		return err
	}
	c.commits = append(c.commits, commits...)
	c.others = append(c.others, others...)
	return c.write(ctx)
}

// untie takes back refs whose objects a gc removed under us, down to the newest snapshot that is whole.
func (d *dropping) untie(ctx context.Context) error {
	run := d.rec.Run
	trash, err := d.repo.Ref(ctx, trashRef(run))
	if err != nil {
		return err
	}
	good := trash
	for good != "" && !whole(ctx, d.repo, string(good)) {
		good = d.trashBefore(ctx, good)
	}
	if good != trash {
		if err := d.repo.UpdateRef(ctx, gitstate.Update{Ref: trashRef(run), New: good, Old: trash}); err != nil {
			return err
		}
	}
	tip, err := d.repo.Ref(ctx, wipRef(run))
	if err != nil || tip == "" {
		return err
	}
	good = tip
	for good != "" && !whole(ctx, d.repo, string(good)) {
		snap, err := Load(ctx, d.repo, good)
		if err != nil && !errors.Is(err, gitstate.ErrMissing) {
			return err
		}
		good = snap.facts.previous
	}
	if good == tip {
		return nil
	}
	return d.repo.UpdateRef(ctx, gitstate.Update{Ref: wipRef(run), New: good, Old: tip})
}

// trashBefore is the trash commit that another one was put upon.
func (d *dropping) trashBefore(ctx context.Context, id gitstate.OID) gitstate.OID {
	c, err := d.repo.Commit(ctx, string(id))
	if err != nil {
		return ""
	}
	for line := range strings.Lines(c.Message) {
		if before, ok := strings.CutPrefix(strings.TrimSpace(line), "previous "); ok {
			return gitstate.OID(before)
		}
	}
	return ""
}
