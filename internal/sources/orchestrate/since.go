package orchestrate

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/statefile"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/story"
)

// laterChanges finds out what happened to the files of a piece of work after its last activity.
type laterChanges struct {
	*work
	h *story.History
	// border is an index into the commits, which are sorted from new to old. Commits before this index are newer than the last activity.
	border int
}

// changesAfter finds the last activity, and the commits made after it.
func changesAfter(w *work, h *story.History) laterChanges {
	a := laterChanges{work: w, h: h}
	if w.implied {
		a.impliedTime()
	}
	a.border = h.Border(w.Active, w.Files)
	return a
}

// report adds warnings about changes that the user must know about before the work continues.
func (w laterChanges) report() {
	if !w.State.Open() {
		return
	}
	if w.border < len(w.h.Touches) && w.Last == "" {
		w.Last = w.h.Touches[w.border].ID
	}
	if !w.implied {
		for _, c := range w.claims {
			if s := w.storyOf(c); s != nil && !c.over && s.Home == w.search.Tree.WorkTree {
				w.sections(s)
			}
		}
		w.requireDeletedStories()
		w.newStories()
	}
	w.foreignChanges()
}

// mostListed limits how many missing files of a story's file list are reported.
const mostListed = 20

// listedFiles reports files that are missing although the file list of a story names them. As long as the implementation is not finished,
// it reports only files that were committed before, because the others may not have been created yet.
func (w laterChanges) listedFiles() {
	if !w.State.Open() {
		return
	}
	finished := !w.implied && (w.rank == rankLoop || slices.ContainsFunc(w.phases, func(p phase) bool { return p.id == "implement" && p.over() }))
	var gone []string
	for _, f := range w.changedFiles {
		rel, there := w.resolve(f)
		known := finished || len(w.h.Of(rel, w.h.Touches)) > 0
		if rel != "" && !strings.HasPrefix(rel, "~") && !there && known && !slices.Contains(gone, rel) && len(gone) < mostListed {
			gone = append(gone, rel)
			w.need(rel, "phase Implement, whose file list names it", false)
		}
	}
}

// impliedTime sets the last activity of work without a state file. It uses the last commit of the work's files, or the modification time of
// a story with uncommitted changes. It also reports a stale story.
func (w laterChanges) impliedTime() {
	var active time.Time
	from := ""
	for _, f := range w.Files {
		t, ok := w.h.Last(f)
		if !ok {
			continue
		}
		when, how := t.Author.When, "commit"
		if s := w.search.stories.At(f); s != nil && !w.h.Stands(s) {
			when, how = w.search.Tree.Changed(f).UTC(), "file time"
		}
		if when.After(active) {
			active, from = when, how
		}
	}
	if !active.IsZero() {
		w.Active, w.From = active, from
	}
	if s := w.search.stories.At(first(w.Files)); s != nil {
		w.staleStory(s.Meaning, w.search.View.Now.Sub(w.Active))
	}
}

// slack is added to the last activity, because files may be written shortly after the activity is recorded.
const slack = time.Minute

// borderOf returns the border for one story. A commit of the state file usually contains what the work itself changed before its last
// activity. It may also contain a later edit of the story: then only the time of the last activity counts.
func (w laterChanges) borderOf(name string) int {
	late := w.Active.Add(slack)
	if w.border == len(w.h.Touches) || !w.h.Touches[w.border].Author.When.After(late) {
		return w.border
	}
	if w.search.Tree.Has(name) && !w.search.Tree.Changed(name).After(late) {
		return w.border
	}
	return w.h.Border(w.Active, nil)
}

// sections reports which sections of a story have changed since the last activity.
func (w laterChanges) sections(s *story.Story) {
	was := w.h.Before(s.Path, w.borderOf(s.Path))
	if was.ID == s.Blob(was.ID) {
		return
	}
	old, ok := w.h.Text(was)
	if !ok {
		return
	}
	now := s.Text
	if !w.h.Stands(s) && !w.search.Tree.Changed(s.Path).After(w.Active.Add(slack)) {
		// Ignore uncommitted edits from before the interruption: compare with the committed text.
		now, _ = w.h.Text(w.h.Of(s.Path, w.h.Touches)[0].New)
	}
	if old == now {
		return
	}
	for _, c := range story.Changes(old, now) {
		switch c.Weight {
		case conflicts.Blocking:
			w.validateAgain(s.ID)
			w.doubt(sources.DoubtScope, conflicts.Blocking, s.Path, "the requirements of story %s have changed since %s: section '%s' is different now", s.ID, w.search.View.Shown(w.Active), c.Title)
		case conflicts.Warning:
			w.doubt("story-changed", conflicts.Warning, s.Path, "section '%s' of story %s is different now than it was at %s", c.Title, s.ID, w.search.View.Shown(w.Active))
		default:
			w.doubt("story-changed", conflicts.Info, s.Path, "section '%s' of story %s was edited since %s", c.Title, s.ID, w.search.View.Shown(w.Active))
		}
	}
	w.newDependencies(s, story.Parse(s.Path, []byte(old)))
}

// validateAgain marks the validation of a story as invalid, because the requirements of the story have changed since.
func (w laterChanges) validateAgain(id string) {
	for i := range w.phases {
		if p := &w.phases[i]; w.rank == rankWorkflow && p.id == "validate" && p.over() {
			p.invalid = "the requirements of story " + id + " have changed"
		}
	}
}

// newDependencies reports dependencies that were added to a story after the state file was written.
func (w laterChanges) newDependencies(now, old *story.Story) {
	known := old.Read().Needs
	for _, id := range now.Read().Needs {
		if slices.Contains(known, id) || story.KeyOf(id) == now.Key {
			continue
		}
		severity, how := conflicts.Blocking, "which is not done"
		if other := w.search.stories.Find(story.KeyOf(id)); other != nil && other.Current().Meaning == sources.MeansDone {
			severity, how = conflicts.Info, "which is done"
		}
		w.doubt("needs-added", severity, now.Path, "story %s depends on %s now, %s", now.ID, id, how)
	}
}

// requireDeletedStories looks for story files that the work needs and that a commit after the last activity deleted. It marks each of
// them as missing and critical.
func (w laterChanges) requireDeletedStories() {
	for _, c := range w.claims {
		isGone := func(d past.Delta) bool { return d.Letter == 'D' }
		if name := w.expected(c); !c.over && w.storyOf(c) == nil && slices.ContainsFunc(w.h.Of(name, w.h.Touches[:w.borderOf(name)]), isGone) {
			w.need(name, orWorkflow(c.phase), true)
		}
	}
	for i, n := range w.Needs {
		if !n.Missing {
			continue
		}
		for _, d := range w.h.Of(n.Path, w.h.Touches[:w.borderOf(n.Path)]) {
			if d.Letter == 'D' && !n.Critical && strings.HasPrefix(n.Path, statefile.StoriesDir) {
				w.Needs[i].Critical = true
			}
		}
	}
}

// unknownStories returns the stories that belong to an open epic but are not in its state file. Archived stories are left out.
func (w check) unknownStories() []*story.Story {
	if w.rank != rankEpic || w.Rebuilt && len(w.claims) == 0 || !w.State.Open() {
		return nil
	}
	planDir := ""
	if plan, ok := w.fields["execution_plan"].(string); ok {
		planDir = path.Dir(plan)
	}
	var out []*story.Story
	for _, s := range w.search.stories.All {
		known := slices.ContainsFunc(w.claims, func(c claim) bool { return c.key == s.Key })
		if !known && !s.Archived && belongs(s, w.Name, planDir) {
			out = append(out, s)
		}
	}
	return out
}

// newStories reports stories of an epic that are not in its state file, and whether they were added after the interruption.
func (w laterChanges) newStories() {
	for _, s := range (check{w.work}).unknownStories() {
		switch {
		case s.Meaning == sources.MeansDone || s.Meaning == sources.MeansClosed:
			w.doubt(sources.DoubtNewTasks, conflicts.Info, s.Path, "story %s is finished, but the epic's state does not list it", s.ID)
		case added(w.h, s.Path, w.borderOf(s.Path)):
			w.doubt(sources.DoubtNewTasks, conflicts.Blocking, s.Path, "story %s was added to the epic after its last activity (%s)", s.ID, w.search.View.Shown(w.Active))
		default:
			w.doubt(sources.DoubtNewTasks, conflicts.Warning, s.Path, "the epic's state does not list story %s", s.ID)
		}
	}
}

func added(h *story.History, name string, border int) bool {
	if len(h.Of(name, h.Touches)) == 0 {
		return true // a story that was never committed counts as new
	}
	return slices.ContainsFunc(h.Of(name, h.Touches[:border]), func(d past.Delta) bool { return d.Letter == 'A' })
}

// foreignChanges reports files that this work has changed and that a later commit for other work has changed again.
func (w laterChanges) foreignChanges() {
	const most = 5
	told := 0
	for _, f := range w.changedFiles {
		rel, _ := w.resolve(f)
		if rel == "" {
			continue
		}
		if t, ok := w.foreignCommit(rel); ok {
			if told++; told <= most {
				w.doubt(sources.DoubtForeignChange, conflicts.Warning, rel, "%s was changed later, in commit %s by %s: %s", rel, t.ID.Short(), t.Author.Name, statefile.Short(t.Subject))
			}
		}
	}
	if told > most {
		w.doubt(sources.DoubtForeignChange, conflicts.Warning, "", "%s changed later", sources.Count(told-most, "more file of the work was", "more files of the work were"))
	}
}

// staleAfter is how long a story may stay in a status before it counts as stale.
var staleAfter = map[sources.Meaning]time.Duration{sources.MeansPending: 14 * day, sources.MeansReady: week, sources.MeansInProgress: 5 * day, sources.MeansReview: 3 * day}

// checkPhases finds finished phases that must be done again: an output file of the phase is missing, or other work has changed it.
func (w laterChanges) checkPhases() {
	if !w.State.Open() || w.rank == rankEpic || w.implied && w.rank != rankSpec {
		return
	}
	for i := range w.phases {
		p := &w.phases[i]
		if !p.over() {
			continue
		}
		if w.rank == rankSpec && len(p.makes) == 0 {
			w.lostArtefact(i)
		}
		for _, f := range p.makes {
			rel, there := w.resolve(f)
			switch {
			case !w.mayBeFile(f):
				continue
			case strings.HasPrefix(rel, statefile.StoriesDir+"/") && story.IsFile(path.Base(f)) && (p.id == "create" || w.search.stories.Has(rel) || w.claimed(rel)):
				continue // the checks of the stories report a missing story, and compare only sections, because stories change often
			case !there:
				w.need(f, p.name, false)
				p.invalid = "its output " + statefile.Short(f) + " is missing"
			case w.rank != rankSpec:
				if _, ok := w.foreignCommit(rel); ok {
					p.invalid = rel + " was changed later, by a commit that does not name this work"
				}
			}
		}
	}
	w.fromInvalid()
}

// lostArtefact finds out whether a phase of a spec pipeline without an artefact was skipped. If a commit has the artefact, it was deleted
// since. Gathering is never skipped, because every other phase needs the requirements.
func (w laterChanges) lostArtefact(i int) {
	p, lost := &w.phases[i], ""
	for _, name := range artefactsOf(w.Root, i) {
		if _, known := w.h.Last(name); known && lost == "" {
			lost = name
		}
	}
	if i == 0 {
		lost = cmp.Or(lost, artefactsOf(w.Root, i)[0])
	}
	if lost == "" {
		w.doubt(sources.DoubtMissing, conflicts.Info, "", "%s created no artefact, but a later phase did", p.name)
		return
	}
	w.need(lost, p.name, false)
	p.invalid = "its output " + lost + " is missing"
}

// madeFiles adds the existing files that finished phases have made, for the comparison file by file.
func (w laterChanges) madeFiles() {
	if !w.State.Open() || w.rank == rankEpic {
		return
	}
	for _, p := range w.phases {
		if p.state != statusDone {
			continue
		}
		for _, f := range p.makes {
			rel, there := w.resolve(f)
			if !there || slices.ContainsFunc(w.Needs, func(n sources.File) bool { return n.Path == rel }) {
				continue
			}
			_, changed := w.foreignCommit(rel)
			w.Needs = append(w.Needs, sources.File{Path: rel, For: p.name, Made: true, Changed: changed && w.rank != rankSpec})
		}
	}
}

// fromInvalid moves the resume point back to the first finished phase that must be done again.
func (w laterChanges) fromInvalid() {
	for i, p := range w.phases {
		if p.invalid == "" || i >= w.at {
			continue
		}
		w.doubt(sources.DoubtPhaseInvalid, conflicts.Warning, "", "%s (%s) must be done again: %s", number(i), p.name, p.invalid)
		if w.Point.Task != w.phases[i].id {
			w.resumeAt(i, "it must be done again: "+p.invalid)
			for k := range w.phases[i:] {
				if later := &w.phases[i+k]; later.state == checkpoint.Active {
					later.state = statusPending // it was in progress, but it is not what comes next
				}
			}
		}
		return
	}
}

// foreignCommit returns the newest commit that changed the path after the last activity and whose subject does not name this work.
func (w laterChanges) foreignCommit(rel string) (past.Touch, bool) {
	for _, t := range w.h.Touches[:w.border] {
		if !namesStory(t.Subject, w.Same) && slices.ContainsFunc(t.Changes, func(d past.Delta) bool { return d.Path == rel }) {
			return t, true
		}
	}
	return past.Touch{}, false
}

// namesStory reports whether a commit subject names one of the stories with the given keys.
func namesStory(subject string, keys []string) bool {
	low := strings.ToLower(subject)
	for _, same := range keys {
		key, isStory := strings.CutPrefix(same, "story:")
		if !isStory {
			continue
		}
		if !strings.ContainsAny(key, ".-") {
			key = "story " + key // a plain number counts only after the word "story"
		}
		if i := strings.Index(low, key); i >= 0 && !wordAt(low, i-1) && !wordAt(low, i+len(key)) {
			return true
		}
	}
	return false
}

func wordAt(s string, i int) bool {
	return i >= 0 && i < len(s) && (s[i] >= '0' && s[i] <= '9' || s[i] >= 'a' && s[i] <= 'z')
}

// checkShape reports a restructured project if at least three, and more than half, of the required files are missing.
func (w check) checkShape() {
	all, gone := 0, 0
	for _, n := range w.Needs {
		again := slices.ContainsFunc(w.phases, func(p phase) bool { return p.invalid != "" && p.name == n.For })
		if again {
			continue // the phase will be done again, and creates the missing file
		}
		if all++; n.Missing {
			gone++
		}
	}
	if gone >= 3 && 2*gone > all {
		w.doubt("restructured", conflicts.Blocking, "", "%d of the %d files that the state refers to do not exist: perhaps the project was restructured", gone, all)
	}
}

// staleStory reports a story whose last change is longer ago than staleAfter allows for its status.
func (w laterChanges) staleStory(m sources.Meaning, age time.Duration) {
	if limit := staleAfter[m]; limit > 0 && age > limit {
		w.doubt("story-stale", conflicts.Info, first(w.Files), "the story is '%s', and was last changed at %s, more than %s ago", statefile.Short(w.Status), w.search.View.Shown(w.Active), durationText(limit))
	}
}
