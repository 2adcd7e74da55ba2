package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/clone"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/hooks"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/staging"
	"github.com/git-resume/git-resume/worktree"
	"github.com/git-resume/git-resume/worktree/trash"
)

// Checker looks for what is wrong with the record.
type Checker struct {
	*site.Site
	Find    *candidate.Finder
	Staging *staging.Stager
}

// Check is one thing that a doctor looks at.
type Check struct {
	// Name says what was looked at, Text what was found.
	Name string
	Text string
	// Well: nothing is wrong with it.
	Well bool
	// Help is the command that mends it, where no fix does.
	Help string
	// Fix mends it; nil where only a person can.
	Fix func(context.Context) error
}

// Doctor looks at the health of a repository's runs and of what surrounds them. It changes nothing.
func (e *Checker) Doctor(ctx context.Context) ([]Check, error) {
	d := &doctor{Checker: e}
	for _, x := range []struct {
		name string
		look func(context.Context) error
	}{
		{"git", d.git}, {"hook", d.hook}, {"notes", d.notes}, {"runs", d.runs}, {"key", d.key}, {"journals", d.journals}, {"open", d.files}, {"refs", d.orphans},
		{"records", d.records}, {"worktrees", d.trees}, {"locks", d.locks}, {"trash", d.trash}, {"commits", d.graph}, {"repository", d.format}, {"files", d.sizes},
	} {
		err := x.look(ctx)
		if ctx.Err() != nil {
			return d.checks, err
		}
		if err != nil { // one ill thing must not hide the others
			d.ill(Check{Name: x.name, Text: err.Error()})
		}
	}
	return d.checks, nil
}

type doctor struct {
	*Checker
	checks []Check
}

func (d *doctor) well(name, format string, args ...any) {
	d.checks = append(d.checks, Check{Name: name, Text: fmt.Sprintf(format, args...), Well: true})
}

func (d *doctor) ill(c Check) { d.checks = append(d.checks, c) }

// key says why the key of this user cannot be used. Only a person can know who else has read it.
func (d *doctor) key(context.Context) error {
	fault := d.Store.Keys().KeyFault()
	var bad *clone.KeyError
	switch {
	case errors.As(fault, &bad):
		d.ill(Check{Name: "key", Text: fault.Error(), Help: quote.Command("chmod 600 %s", bad.Path)})
	case d.Store.Keys().HasKey():
		d.well("key", "made here, and only this user can read it")
	default:
		d.well("key", "none yet; the first run makes one")
	}
	return nil
}

// git says which features this git has.
func (d *doctor) git(ctx context.Context) error {
	have := d.Repo.Version(ctx)
	text := "config hooks need 2.54; the conflict check needs 2.38 and falls back to our own engine"
	switch {
	case d.Repo.AtLeast(ctx, "2.54"):
		text = "has all that is used"
	case d.Repo.AtLeast(ctx, "2.38"):
		text = "config hooks need 2.54; a hook file is used"
	}
	d.well("git "+have, "%s", text)
	return nil
}

func (d *doctor) hook(ctx context.Context) error {
	h, err := hooks.Look(ctx, d.Repo)
	if err != nil {
		d.ill(Check{Name: "hook", Text: err.Error()})
		return nil
	}
	renew := func(ctx context.Context) error {
		_, err := hooks.Install(ctx, d.Repo, hooks.Request{Global: h.Global})
		return err
	}
	switch {
	case h.Shadowed:
		d.ill(Check{Name: "hook", Text: "git looks for hooks in " + h.Dir + " and does not see ours", Help: "git resume hooks install", Fix: renew})
	case !h.Installed():
		d.well("hook", "not installed (git resume hooks install)")
	case !h.Alive:
		c := Check{Name: "hook", Text: "in place, but git does not run it", Help: h.Then}
		if h.Way == hooks.ByFile {
			c.Fix = func(context.Context) error { return os.Chmod(h.Path, 0o755) }
		}
		d.ill(c)
	case !h.Current:
		d.ill(Check{Name: "hook", Text: "of another version", Fix: renew})
	case h.Chained:
		d.well("hook", "installed, another tool's hook runs first")
	default:
		d.well("hook", "installed, git runs it")
	}
	return nil
}

// notes looks at settings by which a fetch would lose what was not pushed.
func (d *doctor) notes(ctx context.Context) error {
	c, err := d.Repo.Settings.Config(ctx)
	if err != nil {
		return err
	}
	for key, values := range c.Section("remote.") {
		for _, v := range values {
			to, forced := strings.CutPrefix(v, "+")
			_, to, _ = strings.Cut(to, ":")
			if forced && strings.HasSuffix(key, ".fetch") && (strings.HasPrefix(to, "refs/notes/") || strings.HasPrefix(to, "refs/resume/")) && !strings.HasPrefix(to, "refs/notes/"+remoteOf(key)+"/") {
				d.ill(Check{
					Name: "notes", Text: fmt.Sprintf("%s = %s lets a fetch overwrite records that were not pushed", key, v),
					Help: quote.Command("git config --replace-all %s %s refs/notes", key, "+refs/notes/*:refs/notes/"+remoteOf(key)+"/*"),
				})
				return nil
			}
		}
	}
	d.well("notes", "no fetch overwrites them")
	return nil
}

func remoteOf(key string) string {
	return strings.TrimSuffix(strings.TrimPrefix(key, "remote."), ".fetch")
}

// runs counts them.
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

// journals looks for records that cannot be read whole.
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
			continue // a name without a run, of which the open files tell
		case err != nil:
			d.ill(Check{Name: "journal", Text: fmt.Sprintf("%s: %v", id, err), Help: quote.Command("git resume status %s", id)})
		case j.Run.Diverged:
			d.ill(Check{Name: "journal", Text: fmt.Sprintf("%s was worked on in two places", id), Help: quote.Command("git resume log %s", id)})
		case j.Run.Unreadable > 0:
			d.ill(Check{Name: "journal", Text: fmt.Sprintf("lines that cannot be read in %s: %d; they are kept", id, j.Run.Unreadable), Help: quote.Command("git resume log %s", id)})
		case j.Foreign:
			d.ill(Check{Name: "journal", Text: fmt.Sprintf("%s has lines from elsewhere that are not united yet", id), Fix: d.settle(id)})
		case j.Run.Rebuilt && !j.Run.Closed():
			d.ill(Check{Name: "journal", Text: fmt.Sprintf("%s has no journal here; its state comes from commits", id), Help: quote.Command("git resume %s", id)})
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

func (d *doctor) settle(id checkpoint.RunID) func(context.Context) error {
	return func(ctx context.Context) error {
		return d.Store.Flatten(ctx, id)
	}
}

// files compares the small files beside the refs with the refs.
func (d *doctor) files(ctx context.Context) error {
	surplus, strangers, err := d.Store.Mismatch(ctx)
	if err != nil {
		return err
	}
	for _, id := range surplus {
		d.ill(Check{Name: "open", Text: fmt.Sprintf("a file for %s is there, but no such run", id), Fix: d.Store.Sweep})
	}
	if len(strangers) > 0 {
		runs := "1 run is"
		if len(strangers) > 1 {
			runs = fmt.Sprintf("%d runs are", len(strangers))
		}
		d.well("elsewhere", "%s recorded here and not taken over by this clone", runs)
	}
	if len(surplus) == 0 {
		d.well("open", "files and refs agree")
	}
	return nil
}

// orphans are refs of ours that belong to no run.
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
	for _, prefix := range []string{"refs/resume/snapshots/", "refs/resume/wip/", "refs/resume/base/"} {
		names, err := d.Repo.Refs.Names(ctx, prefix)
		if err != nil {
			return err
		}
		for _, name := range names {
			if known[name] || strings.HasPrefix(name, candidate.GitSource+".") { // saved before an operation of git's own went on
				continue
			}
			n++
			d.ill(Check{
				Name: "refs", Text: prefix + name + " belongs to no run here",
				Help: fmt.Sprintf("look with %s, then %s", quote.Between("'", quote.Command("git show --stat %s", prefix+name)), quote.Between("'", quote.Command("git update-ref -d %s", prefix+name))),
			})
		}
	}
	if n == 0 {
		d.well("refs", "each belongs to a run")
	}
	return nil
}

// records looks for what the version before kept as chains of commits, which "git log --all" shows.
func (d *doctor) records(ctx context.Context) error {
	names, err := d.Staging.Chained(ctx)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		d.well("records", "all in the form of today")
		return nil
	}
	d.ill(Check{
		Name: "records", Text: fmt.Sprintf("snapshots of an older git-resume are commits and show in 'git log --all': %d", len(names)),
		Help: "git resume doctor --fix",
		Fix: func(ctx context.Context) error {
			var all []error
			for _, name := range names {
				all = append(all, trash.Flatten(ctx, d.Repo, name))
			}
			return errors.Join(all...)
		},
	})
	return nil
}

// trees looks at worktrees that are registered and not there, or there and not registered.
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
				c.Text = fmt.Sprintf("%s leads to where the repository was before it was moved", t.Path)
			}
			c.Fix = func(ctx context.Context) error {
				_, err := worktree.Repair(ctx, d.Repo, t)
				return err
			}
		case worktree.Missing:
			c.Text, c.Help = fmt.Sprintf("%s is registered, but not there", t.Path), "git worktree prune -n -v"
			if run, ours := t.LockedBy(); ours {
				c.Help = quote.Command("git resume %s", run) + " makes it again"
			}
		case worktree.Husk:
			c.Text, c.Help = fmt.Sprintf("%s was left half made", t.Path), quote.Command("git worktree remove -f -f %s", t.Path)
			if t.Path == "" { // git had not come to write down where it was to be
				c.Text, c.Help = fmt.Sprintf("%s was left half made", t.Admin), "git worktree prune -v"
			}
		case worktree.Plain:
			c.Text, c.Help = fmt.Sprintf("%s looks like a worktree and is none; git in it acts on the repository around it", t.Path), "git worktree list"
		default:
			continue
		}
		n++
		d.ill(c)
	}
	for _, dir := range worktree.Strays(d.Repo, all) {
		n++
		d.ill(Check{Name: "worktree", Text: fmt.Sprintf("%s holds files and is no worktree of this repository", dir), Help: "git worktree list"})
	}
	if n == 0 {
		d.well("worktrees", "%d, all in order", len(all))
	}
	return nil
}

// locks names lock files that nobody seems to hold. They are moved aside, never deleted, and only while no git is at work.
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
		d.well("locks", "none left behind")
	}
	return nil
}

// trash looks for what is kept longer than the user wants.
func (d *doctor) trash(ctx context.Context) error {
	keep, err := d.Staging.KeepFor(ctx)
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
	since := fmt.Sprintf("discarded more than %s ago", days(keep))
	switch {
	case len(due.Now) > 0:
		d.ill(Check{Name: "trash", Text: fmt.Sprintf("%s %s; --fix forgets it for good", several(due.Now, "was", "were"), since), Fix: forget})
	case len(due.Later) > 0 && due.At.IsZero():
		d.ill(Check{Name: "trash", Text: fmt.Sprintf("%s %s; --fix notes that, and a day later it is forgotten, because the clock may be wrong",
			several(due.Later, "was", "were"), since), Fix: forget})
	case len(due.Later) > 0:
		d.well("trash", "%d kept; %s forgotten after %s", kept, several(due.Later, "is", "are"), due.At.In(d.Now().Location()).Format("2006-01-02 15:04"))
	default:
		d.well("trash", "%d kept", kept)
	}
	return nil
}

// several names some runs, with the verb that fits how many they are.
func several(runs []string, one, many string) string {
	const most = 5
	switch {
	case len(runs) == 1:
		return runs[0] + " " + one
	case len(runs) > most:
		return fmt.Sprintf("%s and %d more %s", strings.Join(runs[:most], ", "), len(runs)-most, many)
	}
	return strings.Join(runs, ", ") + " " + many
}

// days is a length of time as people say it, where it is one of whole days.
func days(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d == day:
		return "1 day"
	case d > 0 && d%day == 0:
		return fmt.Sprintf("%d days", d/day)
	}
	return d.String()
}

// graph suggests what makes comparing with the base cheaper; it is only a suggestion.
func (d *doctor) graph(context.Context) error {
	for _, name := range []string{"commit-graph", "commit-graphs"} {
		if _, err := os.Stat(d.Repo.CommonPath("objects", "info", name)); err == nil {
			d.well("commits", "there is a commit-graph")
			return nil
		}
	}
	d.well("commits", "no commit-graph; 'git commit-graph write --reachable' makes conflict checks faster in a large history")
	return nil
}

// format names what is unusual about the repository.
func (d *doctor) format(ctx context.Context) error {
	c, err := d.Repo.Settings.Config(ctx)
	if err != nil {
		return err
	}
	var odd []string
	for _, x := range []struct{ key, word string }{
		{"extensions.objectformat", "objects"}, {"extensions.refstorage", "refs"}, {"extensions.partialclone", "partial clone of"}, {"core.sparsecheckout", "sparse"},
	} {
		if v, ok := c.Get(x.key); ok && v != "false" {
			odd = append(odd, x.word+" "+v)
		}
	}
	if _, err := os.Stat(d.Repo.CommonPath("shallow")); err == nil {
		odd = append(odd, "shallow")
	}
	if len(odd) == 0 {
		odd = []string{"ordinary"}
	}
	d.well("repository", "%s", strings.Join(odd, ", "))
	return nil
}

// sizes says how much room our files take.
func (d *doctor) sizes(context.Context) error {
	var total int64
	files := 0
	err := filepath.WalkDir(d.Repo.CommonPath("resume"), func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil // what cannot be read has no size
		}
		if info, err := e.Info(); err == nil {
			total, files = total+info.Size(), files+1
		}
		return nil
	})
	if err != nil {
		return err
	}
	d.well("files", "%d in %s, %d KB", files, d.Repo.CommonPath("resume"), (total+1023)>>10)
	return nil
}
