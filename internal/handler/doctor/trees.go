package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/worktree"
	"github.com/git-resume/git-resume/worktree/place"
	"github.com/git-resume/git-resume/worktree/trash"
)

// trees looks for worktrees that are missing, moved or incomplete, and for folders that look like worktrees but are not registered.
func (d *doctor) trees(ctx context.Context) error {
	all, err := worktree.Find(ctx, d.Repo)
	if err != nil {
		return err
	}
	n := 0
	for _, t := range all {
		c := Check{Name: "worktree"}
		switch t.Health {
		case worktree.Moved:
			c.Text, c.Help = fmt.Sprintf("%s was moved to %s", t.Path, t.Now), quote.Command("git worktree repair %s", t.Now)
			switch t.Path {
			case "":
				c.Text = fmt.Sprintf("git no longer knows where the worktree %s is", t.Now)
			case t.Now:
				c.Text = fmt.Sprintf("%s still points to where the repository was before it was moved", t.Path)
			}
			c.Fix = func(ctx context.Context) error {
				_, err := worktree.Repair(ctx, d.Repo, t)
				return err
			}
		case worktree.Missing:
			c.Text, c.Help = fmt.Sprintf("%s is registered as a worktree, but does not exist", t.Path), "git worktree prune -n -v"
			if name, ours := t.LockedBy(); ours {
				c.Help = d.helpForMissing(ctx, t.Path, name)
			}
		case worktree.Incomplete:
			c.Text, c.Help = t.Path+" is incomplete", quote.Command("git worktree remove -f -f %s", t.Path)
			if t.Path == "" { // git was killed before it wrote the path of the worktree
				c.Text, c.Help = t.Admin+" is incomplete", "git worktree prune -v"
			} else if t.LacksOnlyIndex() {
				c.Text, c.Help = t.Path+" has no index; this command writes it again and changes no file", quote.Command("git -C %s reset", t.Path)
			} else if place.Present(t.Path) { // git would delete these files too
				c.Text, c.Help = t.Path+" is incomplete, but still has files", quote.Command("mv %s %s.mine", t.Path, t.Path)
			}
		case worktree.Plain:
			c.Text, c.Help = fmt.Sprintf("%s looks like a worktree but is not one; git commands in it act on the repository around it", t.Path), "git worktree list"
		default:
			continue
		}
		n++
		d.ill(c)
	}
	for _, dir := range worktree.Strays(d.Repo, all) {
		n++
		d.ill(Check{Name: "worktree", Text: fmt.Sprintf("%s holds files but is not a worktree of this repository", dir), Help: "git worktree list"})
	}
	if n == 0 {
		d.well("worktrees", "%d, all in order", len(all))
	}
	return nil
}

// helpForMissing says what to do about a missing worktree that git-resume locked. An open run makes its worktree again. The worktree of a
// closed run goes away with a discard. The argument "name" is the id of the run, followed by a number if the worktree is for single tasks.
func (d *doctor) helpForMissing(ctx context.Context, path, name string) string {
	run, _, place := strings.Cut(name, ".")
	j, err := d.Store.Find(ctx, checkpoint.RunID(run))
	switch {
	case errors.As(err, new(*checkpoint.NoRunError)):
		return quote.Command("git worktree remove -f -f %s", path)
	case err != nil:
		return quote.Command("git resume status %s", run)
	case j.Run.MayLackMerge():
		return quote.Command("git resume merge %s", run)
	case j.Run.Closed():
		return quote.Command("git resume discard %s", run)
	case place:
		return quote.Command("git resume %s", run) + " recreates or removes it"
	}
	return quote.Command("git resume %s", run) + " recreates it"
}

// merges lists the merges that were interrupted while git changed files. Fix restores these files.
func (d *doctor) merges(context.Context) error {
	for _, h := range site.AllHalfMerged(d.Repo, d.Repo.Linked()) {
		d.ill(Check{
			Name: "merge", Text: fmt.Sprintf("the merge of %s was interrupted in %s; --fix takes back what it wrote", h.Run, h.Tree), Help: quote.Command("git resume merge %s", h.Run),
			Fix: func(ctx context.Context) error { return d.takeBackMerge(ctx, h.Tree) },
		})
	}
	return nil
}

func (d *doctor) takeBackMerge(ctx context.Context, path string) error {
	place, err := locate.Find(path, nil)
	if err != nil {
		return err
	}
	unlock, err := d.LockTree(site.AdminOf(place), site.OperationPatience)
	if err != nil {
		return err
	}
	defer unlock()
	tree := d.Repo.At(place)
	defer tree.Close()
	if err := d.AwaitMerge(tree); err != nil {
		return err
	}
	branch, head, err := tree.Refs.Head(ctx)
	if err != nil {
		return err
	}
	m := site.MergeMover(tree, branch, "")
	if _, err := m.SetBack(ctx, head); err != nil {
		return err
	}
	m.End()
	return nil
}

// locks lists git's lock files that do not belong to an operation in progress, such as a rebase. Fix moves them aside and does not delete
// them. If a running git process may hold one of them, Fix returns an error.
func (d *doctor) locks(ctx context.Context) error {
	var places []locate.Place
	for _, l := range d.Repo.Linked() {
		places = append(places, l.Place)
	}
	found, err := ongoing.InAll(ctx, d.Repo, places)
	if err != nil {
		return err
	}
	n := 0
	for _, all := range found {
		for _, o := range all {
			if o.Op != ongoing.StaleLock {
				continue
			}
			n++
			d.ill(Check{
				Name: "lock", Text: fmt.Sprintf("%s, %s old", strings.Join(o.Files, ", "), d.Now().Sub(o.Since).Round(time.Second)),
				Fix: func(context.Context) error {
					_, err := d.Repo.Guard.SetAside(o.Files)
					return err
				},
			})
		}
	}
	if n == 0 {
		d.well("locks", "no stale lock is left")
	}
	return nil
}

// trash looks for discarded runs that have been kept longer than the user's settings say.
func (d *doctor) trash(ctx context.Context) error {
	keep, err := d.Staging.KeepDiscarded(ctx)
	if err != nil {
		return err
	}
	kept, err := trash.Kept(ctx, d.Repo)
	if err != nil {
		return err
	}
	due, err := trash.Due(d.Repo, d.Staging.Expiry(ctx, keep))
	if err != nil {
		return err
	}
	forget := func(ctx context.Context) error {
		_, err := d.Staging.Expire(ctx)
		return err
	}
	since := formatDays(keep)
	switch {
	case len(due.Now) > 0:
		d.ill(Check{Name: "trash", Text: fmt.Sprintf("%s discarded more than %s ago; --fix deletes the kept files permanently", runList(due.Now, "was", "were"), since), Fix: forget})
	case len(due.Later) > 0 && due.At.IsZero():
		d.ill(Check{Name: "trash", Text: fmt.Sprintf("%s discarded more than %s ago; --fix schedules the kept files for deletion, but does not delete them at once, in case the clock of this machine is wrong now",
			runList(due.Later, "was", "were"), since), Fix: forget})
	case len(due.Later) > 0:
		d.well("trash", "%d kept; %s to be deleted after %s", kept, runList(due.Later, "is", "are"), due.At.In(d.Now().Location()).Format("2006-01-02 15:04"))
	default:
		d.well("trash", "%d kept", kept)
	}
	return nil
}
