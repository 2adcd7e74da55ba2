package boxes

import (
	"bytes"
	"cmp"
	"context"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/internal/commitlog"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// These limits restrict the search for the commits that ticked boxes. A status command must not walk through a long history.
const (
	window       = 90 * 24 * time.Hour
	mostCommits  = 300
	mostVersions = 120
)

// date finds for each done task the commit that ticked its box. The constants window, mostCommits and mostVersions limit this search. It
// examines only interrupted and waiting lists. If a list is unchanged since its last commit, the time of this commit becomes its last
// activity, because a checkout changes the modification time of the file.
func date(ctx context.Context, v *sources.View, all []*list, found []sources.Found) error {
	byTree := map[string][]int{}
	for i, l := range all {
		if found[i].State == sources.Interrupted || found[i].State == sources.Waiting {
			byTree[l.tree.WorkTree] = append(byTree[l.tree.WorkTree], i)
		}
	}
	for _, which := range byTree {
		if err := dateTree(ctx, v, all, found, which); err != nil {
			return err
		}
	}
	return nil
}

// dateRest handles the lists for which date() found no time of the last activity. It uses the time at which the file was written.
func dateRest(ctx context.Context, v *sources.View, found []sources.Found) {
	for _, t := range v.Trees {
		var paths []string
		for i := range found {
			if found[i].Home == t.WorkTree && found[i].Active.IsZero() {
				paths = append(paths, found[i].Files[0])
			}
		}
		v.Date(ctx, t, paths...)
		for i := range found {
			if f := &found[i]; f.Home == t.WorkTree && f.Active.IsZero() {
				f.Active, _ = v.Written(ctx, t, f.Files[0])
				f.From = "the time of " + path.Base(f.Files[0])
			}
		}
	}
}

// proofTime is the age up to which a list is compared with commits. Older lists are usually not shown, so comparing them would be a waste
// of time.
const proofTime = 30 * 24 * time.Hour

// prove finds open tasks that a commit names, and open tasks whose files a commit added. To save git processes, it examines only lists
// that are interrupted or not started, and that were changed within proofTime.
func prove(ctx context.Context, v *sources.View, all []*list, found []sources.Found) {
	working := map[string]int{}
	asked := func(f *sources.Found) bool {
		return (f.State == sources.Interrupted || f.State == sources.NotStarted) && !f.Active.IsZero() && v.Now.Sub(f.Active) <= proofTime
	}
	files := map[string]*additions{}
	for i, l := range all {
		f := &found[i]
		if !asked(f) {
			continue
		}
		working[f.Home]++
		if files[f.Home] == nil {
			files[f.Home] = &additions{tree: l.tree, since: f.Active, files: map[*sources.Found]map[int][]string{}}
		}
		files[f.Home].want(f, l.path)
	}
	for i, l := range all {
		f := &found[i]
		if l.track != nil {
			l.proveTrack(ctx, v, f)
		}
		if !asked(f) {
			continue
		}
		own := working[f.Home] == 1 || l.tree.Branch != "" && l.tree.Branch == l.branchOf()
		last, _ := v.NewestCommit(ctx, l.tree, l.path)
		h, with := v.Recent.History(ctx, f.Active), last
		onlyPlans := sync.OnceValue(func() bool { return v.OnlyPlans(ctx, last, f.Root, l.path) })
		if (len(h.NamedBy(last, path.Base(l.name))) > 0 || len(h.Parts(nil, v.Now, last, true)) > 0) && onlyPlans() {
			with = ""
		}
		l.prove(h, f, with, own)
		files[f.Home].find(ctx, v, f, func(c object.ID) bool { return c == last && last != "" && !onlyPlans() })
		if f.State == sources.NotStarted {
			if l.judge(f); files[f.Home].cameWith(ctx, v, l, f, h) {
				f.State = sources.Complete
			}
		}
		passChecks(f.Tasks)
		f.Partly = byParts(l.sections(), f.Tasks) || landedTwice(ctx, v, l.tree, f)
	}
}

// prove finds the commits that name open tasks or have nearly the same subject as a task, and stores them in these tasks. It also adds
// warnings that the boxes of these tasks are not ticked. The argument "last" is the newest commit that changed the list. It is empty if this
// commit only added plans.
func (l *list) prove(h commitlog.History, f *sources.Found, last object.ID, own bool) {
	var ids, named, near []string
	for _, t := range f.Tasks {
		if left(t) && !made(t.ID) {
			ids = append(ids, t.ID)
			if section, _, ok := strings.Cut(t.ID, "."); ok {
				ids = append(ids, section)
			}
		}
	}
	// A commit counts if it was made after the last tick. The time f.Active may be later, if the last change of the list ticked no box.
	since := f.Active
	if !l.tickedAt.IsZero() && l.tickedAt.Before(since) {
		since = l.tickedAt
	}
	commits := h.Tasks(ids, []string{path.Base(l.name)}, since, own)
	alike, within, parts := said(l.boxes, h, f), inLast(h, f, last, path.Base(l.name)), inParts(l.boxes, leaves(l.boxes), f, h.Parts([]string{l.slug()}, since, last, own), last)
	for i := range f.Tasks {
		t := &f.Tasks[i]
		section, _, _ := strings.Cut(t.ID, ".") // a commit that names task 2 also counts for tasks 2.1 and 2.2
		if !left(*t) {
			continue
		}
		if c := cmp.Or(commits[t.ID], commits[section], within[t.ID], parts[i]); c != "" {
			t.Commit = c
			what := "the task"
			if c != commits[t.ID] && c != within[t.ID] {
				what = "a part of the list that contains the task"
			}
			t.Evidence += "; commit " + c.Short() + " names " + what
			named = append(named, shortOf(*t)+" ("+c.Short()+")")
		} else if c := alike[i]; c != "" {
			t.Commit = c
			t.Evidence += "; commit " + c.Short() + " has nearly the same subject as the task"
			near = append(near, shortOf(*t)+" ("+c.Short()+")")
		}
	}
	for _, few := range []struct {
		words string
		tasks []string
	}{{"named by a commit, but not ticked: ", named}, {"not ticked, although a commit has nearly the same subject: ", near}} {
		if len(few.tasks) > 0 {
			f.Doubts = append(f.Doubts, sources.Doubt{Code: sources.DoubtNotMarked, Severity: conflicts.Warning, Path: l.path, Text: few.words + sources.SomeOf(few.tasks)})
		}
	}
}

// said finds for each task the newest commit whose subject says nearly the same as the title of the task's box. If there is none, it
// tries the boxes that contain this box, the innermost first. Only open boxes are compared.
func said(boxes []textdoc.Box, h commitlog.History, f *sources.Found) map[int]object.ID {
	var titles []string
	var at []int
	for i, b := range boxes {
		if !b.Done && !b.Dropped {
			titles, at = append(titles, b.Title), append(at, i)
		}
	}
	byBox := map[int]object.ID{}
	for n, commits := range h.Alike(titles, f.Active) {
		byBox[at[n]] = commits[0].ID
	}
	out := map[int]object.ID{}
	for n, i := range leaves(boxes) {
		for ; i >= 0 && len(byBox) > 0 && n < len(f.Tasks); i = boxes[i].Above {
			if out[n] = cmp.Or(out[n], byBox[i]); out[n] != "" {
				break
			}
		}
	}
	return out
}

// version is one committed version of a list.
type version struct {
	commit past.Touch
	change past.Delta
}

func dateTree(ctx context.Context, v *sources.View, all []*list, found []sources.Found, which []int) error {
	repo := v.Repo.At(all[which[0]].tree.Place)
	defer repo.Close()
	if _, at, err := repo.Refs.Head(ctx); err != nil || at == "" {
		return nil // there are no commits yet, or HEAD cannot be read
	}
	var paths []string
	for _, i := range which {
		paths = append(paths, all[i].path)
	}
	// the search stops at the commit that added the list, because there is no older version
	added := func(_ *past.Touch, d *past.Delta) bool { return d.Letter == 'A' }
	touches := v.Touches(ctx, all[which[0]].tree, v.Now.Add(-window), mostCommits, added, paths...)
	byPath := map[string][]version{}
	for _, t := range touches {
		for _, d := range t.Changes {
			byPath[d.Path] = append(byPath[d.Path], version{t, d})
		}
	}
	h, err := v.Repo.Settings.Hasher(ctx)
	if err != nil {
		return err
	}
	budget := mostVersions
	for _, i := range which {
		l, f := all[i], &found[i]
		versions := byPath[l.path]
		if len(versions) == 0 {
			continue
		}
		now := h.ID("blob", l.data)
		if versions[0].change.New.ID == now {
			newest := changing(ctx, v.Repo, versions, l.data)
			f.Active, f.From = newest.commit.Author.When, "commit "+newest.commit.ID.Short()
		}
		budget -= ticked(f, versions, budget, func(id object.ID) (map[string]bool, bool) {
			if id == now {
				return doneOf(l.boxes, l.track != nil), true
			}
			return l.doneIn(ctx, v.Repo, id) // all worktrees share one object store, so any of them can read this version
		})
		l.latest = tickedLast(f, versions)
		for _, ver := range versions {
			if l.latest != nil && l.tickedAt.IsZero() && slices.ContainsFunc(f.Tasks, func(t sources.Task) bool { return t.Commit == ver.commit.ID }) {
				l.tickedAt = ver.commit.Author.When
			}
		}
		if versions[0].change.New.ID != now {
			if done, ok := l.doneIn(ctx, v.Repo, versions[0].change.New.ID); ok {
				tickedSince(l, f, done)
			}
		}
	}
	return nil
}

// The function changing() compares at most mostReformats of a list's newest versions, each with the version before it. If all of these
// versions changed only white space, changing() returns the newest version.
const mostReformats = 3

// changing returns the newest version of a list that changed more than white space. A commit that only converts line ends or indents files
// does not count as work on the list. The argument "text" is the text of the newest version.
func changing(ctx context.Context, repo *gitstate.Repo, versions []version, text []byte) version {
	for n := range versions[:min(len(versions), mostReformats)] {
		old := versions[n].change.Old.ID
		if old == "" || versions[n].change.Letter == 'A' {
			return versions[n]
		}
		before, err := repo.Objects.BlobUpTo(ctx, old, sources.MaxFile)
		if err != nil || !bytes.Equal(bytes.Join(bytes.Fields(before), nil), bytes.Join(bytes.Fields(text), nil)) || n+1 == len(versions) {
			return versions[n]
		}
		text = before
	}
	return versions[0]
}

// tickedSince stores in l.latest which boxes were ticked after the newest commit of the list, if there are any. The argument "done" has
// the boxes that are ticked in that commit.
func tickedSince(l *list, f *sources.Found, done map[string]bool) {
	fresh := make([]bool, len(f.Tasks))
	for i, t := range f.Tasks {
		fresh[i] = t.State == checkpoint.Done && !done[keyOf(t)]
	}
	if slices.Contains(fresh, true) {
		l.latest = fresh
	}
}

// tickedLast finds the newest commit that ticked boxes, and returns for each task whether that commit ticked its box. It uses the commits
// that ticked() has found. It returns nil if no box was ticked after the list was added.
func tickedLast(f *sources.Found, versions []version) []bool {
	for _, ver := range versions {
		out := make([]bool, len(f.Tasks))
		for i, t := range f.Tasks {
			out[i] = t.State == checkpoint.Done && t.Commit == ver.commit.ID
		}
		if slices.Contains(out, true) {
			if ver.change.Letter == 'A' {
				return nil
			}
			return out
		}
	}
	return nil
}

// ticked finds the commit that ticked each done task. For that it reads the versions of a list from new to old, at most as many as the
// budget allows. It returns the number of versions read.
func ticked(f *sources.Found, versions []version, budget int, doneAt func(object.ID) (map[string]bool, bool)) int {
	open := map[int]bool{} // tasks whose commit has not been found yet
	for i, t := range f.Tasks {
		open[i] = t.State == checkpoint.Done
	}
	read := 0
	for n, ver := range versions {
		if read >= budget || ver.change.New.ID == "" {
			break
		}
		read++
		done, ok := doneAt(ver.change.New.ID)
		if !ok {
			break
		}
		more := false
		for i := range open {
			if !open[i] {
				continue
			}
			if open[i] = done[keyOf(f.Tasks[i])]; !open[i] {
				continue // the box is open in this version, so the next newer commit ticked it
			}
			f.Tasks[i].Commit, more = ver.commit.ID, true
		}
		if !more {
			return read
		}
		if n == len(versions)-1 && ver.change.Letter != 'A' {
			forget(f, open) // the oldest version that was found already has these boxes ticked, so it is not known which commit ticked them
		}
	}
	for _, t := range f.Tasks {
		if t.Commit != "" && f.Last == "" {
			f.Last = versions[0].commit.ID
		}
	}
	return read
}

func forget(f *sources.Found, open map[int]bool) {
	for i := range open {
		if open[i] {
			f.Tasks[i].Commit = ""
		}
	}
}

// keyOf returns a key by which a task is found in other versions of the list. The key is the id that the list gives to the task. If makeID
// made the task's id, the key is the task's text, because such an id depends on the task's position.
func keyOf(t sources.Task) string {
	if made(t.ID) {
		return "\x00" + t.Title
	}
	return t.ID
}

// doneIn returns the boxes that are ticked in a committed version. The second result is false if that version cannot be read.
func (l *list) doneIn(ctx context.Context, repo *gitstate.Repo, id object.ID) (map[string]bool, bool) {
	data, err := repo.Objects.BlobUpTo(ctx, id, sources.MaxFile)
	if err != nil {
		return nil, false
	}
	boxes, _ := l.parse([]byte(textdoc.Text(data)))
	return doneOf(boxes, l.track != nil), true
}

// doneOf returns the keys of the ticked boxes that have no boxes below them. If the argument "below" is true, a box also counts as ticked
// if a box above it is ticked. Lists of Conductor need this.
func doneOf(boxes []textdoc.Box, below bool) map[string]bool {
	done := map[string]bool{}
	for _, b := range boxes {
		ticked := b.Done
		for at := b.Above; below && at >= 0 && !ticked; at = boxes[at].Above {
			ticked = boxes[at].Done
		}
		if !ticked || b.Parent {
			continue
		}
		done["\x00"+b.Title] = true
		if b.ID != "" {
			done[b.ID] = true
		}
	}
	return done
}
