package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/worktree/series"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// runs counts the stopped runs, the open runs, and all runs.
func (d *doctor) runs(ctx context.Context) error {
	all, err := d.Find.Summaries(ctx, journal.AllRuns)
	if err != nil {
		return err
	}
	stopped, open := 0, 0
	for _, s := range all {
		if s.State.Announced() {
			stopped++
		}
		if !s.Run.Closed() {
			open++
		}
	}
	d.well("runs", "%d stopped, %d open, %d in all", stopped, open, len(all))
	return nil
}

// journals looks for journals that cannot be read completely, or that need attention for another reason.
func (d *doctor) journals(ctx context.Context) error {
	ids, err := d.Store.List(ctx, journal.AllRuns)
	if err != nil {
		return err
	}
	bad, good := 0, 0
	for _, id := range ids {
		j, err := d.Store.Find(ctx, id)
		var none *checkpoint.NoRunError
		switch {
		case errors.As(err, &none):
			continue // this run has a file in .git/resume but no journal; another check reports that
		case err != nil:
			d.ill(Check{Name: "journal", Text: fmt.Sprintf("%s: %v", id, err), Help: quote.Command("git resume status %s", id)})
		case j.Run.Diverged:
			d.ill(Check{Name: "journal", Text: fmt.Sprintf("two clones worked on %s independently of each other", id), Help: quote.Command("git resume log %s", id)})
		case j.Run.Unreadable > 0:
			d.ill(Check{Name: "journal", Text: fmt.Sprintf("the record of %s has lines that cannot be read: %d; they are kept", id, j.Run.Unreadable), Help: quote.Command("git resume log %s", id)})
		case j.Foreign:
			d.ill(Check{Name: "journal", Text: fmt.Sprintf("the record of %s has lines that are not merged in yet", id), Fix: d.publish(id)})
		case j.Run.Rebuilt && !j.Run.Closed():
			d.ill(Check{Name: "journal", Text: fmt.Sprintf("%s has no record here; its state was rebuilt from its commits", id), Help: quote.Command("git resume %s", id)})
		default:
			good++
			continue
		}
		bad++
	}
	if bad == 0 {
		d.well("journals", "%d readable", good)
	}
	return nil
}

func (d *doctor) publish(id checkpoint.RunID) func(context.Context) error {
	return func(ctx context.Context) error {
		return d.Store.MergeForeign(ctx, id)
	}
}

// files compares the files in .git/resume with the refs. It also reports runs that have a journal but no file in .git/resume, because they
// were fetched or the file was lost, and an interrupted purge.
func (d *doctor) files(ctx context.Context) error {
	surplus, strangers, err := d.Store.Mismatch(ctx)
	if err != nil {
		return err
	}
	for _, id := range surplus {
		d.ill(Check{Name: "open", Text: fmt.Sprintf("a file in .git/resume is about %s, but there is no such run", id), Fix: d.Store.Sweep})
	}
	if len(strangers) > 0 {
		text := "1 run is not recorded as open in this clone; take it over to continue it"
		if len(strangers) > 1 {
			text = fmt.Sprintf("%d runs are not recorded as open in this clone; take them over to continue them", len(strangers))
		}
		d.well("elsewhere", "%s", text)
	}
	if _, err := os.Lstat(d.Repo.CommonPath("resume", "purging")); err == nil {
		d.ill(Check{Name: "purge", Text: "an earlier purge was interrupted before everything was removed", Help: "git resume doctor --purge"})
	}
	if len(surplus) == 0 {
		d.well("open", "all open runs that are listed in .git/resume exist")
	}
	return nil
}

// orphans looks for snapshots and other refs of this program that belong to no run.
func (d *doctor) orphans(ctx context.Context) error {
	ids, err := d.Store.List(ctx, journal.AllRuns)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, id := range ids {
		known[string(id)] = true
	}
	n := 0
	for _, prefix := range []string{"refs/resume/snapshots/", "refs/resume/base/"} {
		names, err := d.Repo.Refs.Names(ctx, prefix)
		if err != nil {
			return err
		}
		for _, name := range names {
			if known[name] || strings.HasPrefix(name, candidate.GitSource+".") { // snapshots of git's own operations belong to no run
				continue
			}
			n++
			d.ill(Check{
				Name: "refs", Text: prefix + name + " does not belong to any run here",
				Help: fmt.Sprintf("look at it with %s, then delete it with %s", quote.Between("'", quote.Command("git show --stat %s", prefix+name)), quote.Between("'", quote.Command("git update-ref -d %s", prefix+name))),
			})
		}
	}
	if n == 0 {
		d.well("refs", "no snapshots or other refs are left from runs that no longer exist")
	}
	return nil
}

// records looks for refs of versions before 0.9.0, which stored snapshots and other records as chains of commits. Nothing reads or changes
// such a ref. Below refs/resume/wip/, a repository that others push to also has the snapshots that they sent.
func (d *doctor) records(ctx context.Context) error {
	var old []string
	for _, prefix := range []string{series.Root + "wip/", series.Root + "trash/"} {
		names, err := d.Repo.Refs.Names(ctx, prefix)
		if err != nil {
			return err
		}
		for _, name := range names {
			if id, err := d.Repo.Refs.Ref(ctx, refs.Name(prefix+name)); err != nil || !snapshot.IsPortable(ctx, d.Repo, id) {
				old = append(old, prefix+name)
			}
		}
	}
	if len(old) == 0 {
		d.well("records", "all records are in the current format")
		return nil
	}
	d.well("records", "refs of a version before 0.9.0 are kept and not read: %s; the program built from commit 65a1fd9d reads them", strings.Join(old, ", "))
	return nil
}
