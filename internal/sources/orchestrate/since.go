package orchestrate

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/internal/sources"
)

// since tells what happened to the files of a work after it fell silent.
func (w *work) since(h *history) {
	if w.implied {
		w.impliedTime(h)
	}
	if !w.State.Open() {
		return
	}
	border := h.border(w.Active, w.Files)
	if border < len(h.touches) && w.Last == "" {
		w.Last = h.touches[border].ID
	}
	if !w.implied {
		for _, c := range w.claims {
			if s := w.storyOf(c); s != nil && !c.over && s.home == w.look.tree.WorkTree {
				w.sections(h, s, border)
			}
		}
		w.deleted(h, border)
		w.newStories(h, border)
	}
	w.foreign(h, h.touches[:border])
}

// mostListed is how many files of a story's own list are told one by one.
const mostListed = 20

// listedFiles names the files that the stories list as made or changed and that are not there. One that never was is still
// to be made: only what a commit knows, or what a workflow lists whose implementation is over, can be missing.
func (w *work) listedFiles(h *history) {
	if !w.State.Open() {
		return
	}
	finished := !w.implied && (w.rank == rankLoop || slices.ContainsFunc(w.phases, func(p phase) bool { return p.id == "implement" && p.over() }))
	var gone []string
	for _, f := range w.own {
		rel, there := w.resolve(f)
		known := finished || len(h.of(rel, h.touches)) > 0
		if rel != "" && !strings.HasPrefix(rel, "~") && !there && known && !slices.Contains(gone, rel) && len(gone) < mostListed {
			gone = append(gone, rel)
			w.need(rel, "Implement, by the file list", false)
		}
	}
}

// impliedTime takes the time of a work without a state file from the last commit that touched its story,
// or from the file where that was edited since.
func (w *work) impliedTime(h *history) {
	var active time.Time
	from := ""
	for _, f := range w.Files {
		t, ok := h.last(f)
		if !ok {
			continue
		}
		when, how := t.Author.When, "commit"
		if s := w.look.shelf.at(f); s != nil && !h.stands(s) {
			when, how = w.look.tree.Changed(f).UTC(), "file time"
		}
		if when.After(active) {
			active, from = when, how
		}
	}
	if !active.IsZero() {
		w.Active, w.From = active, from
	}
	if s := w.look.shelf.at(first(w.Files)); s != nil {
		w.staleStory(s.meaning, w.look.view.Now.Sub(w.Active))
	}
}

// slack is how much later than its last sign a work may have written its files.
const slack = time.Minute

// sections compares a story by its headings with what it was when the work fell silent.
func (w *work) sections(h *history, s *story, border int) {
	was := h.before(s.path, border)
	if was.ID == s.blob(was.ID) {
		return
	}
	old, ok := h.text(was)
	if !ok {
		return
	}
	now := s.text
	if !h.stands(s) && !w.look.tree.Changed(s.path).After(w.Active.Add(slack)) {
		now, _ = h.text(h.of(s.path, h.touches)[0].New) // edits from before the interruption are the work's own
	}
	if old == now {
		return
	}
	for _, c := range changedSections(old, now) {
		switch c.weight {
		case conflicts.Blocking:
			w.doubt(sources.DoubtScope, conflicts.Blocking, s.path, "what story %s asks for changed since %s: section '%s' is different now", s.id, at(w.Active), c.title)
		case conflicts.Warning:
			w.doubt("story-changed", conflicts.Warning, s.path, "story %s was modified since %s: section '%s' is different now", s.id, at(w.Active), c.title)
		default:
			w.doubt("story-changed", conflicts.Info, s.path, "section '%s' of story %s has grown since %s", c.title, s.id, at(w.Active))
		}
	}
	w.newNeeds(s, parseStory(s.path, []byte(old)))
}

// newNeeds tells of dependencies that the state cannot know.
func (w *work) newNeeds(now, old *story) {
	known := old.read().needs
	for _, id := range now.read().needs {
		if slices.Contains(known, id) || keyOf(id) == now.key {
			continue
		}
		severity, how := conflicts.Blocking, "which is not done"
		if other := w.look.shelf.find(keyOf(id)); other != nil && other.current().meaning == sources.MeansDone {
			severity, how = conflicts.Info, "which is done"
		}
		w.doubt("needs-added", severity, now.path, "story %s depends on %s now, %s", now.id, id, how)
	}
}

// deleted tells of story files that a commit removed since.
func (w *work) deleted(h *history, border int) {
	for _, c := range w.claims { // where it was the only story there is nothing left to compare the state with
		isGone := func(d past.Delta) bool { return d.Letter == 'D' }
		if name := w.expected(c); !c.over && w.storyOf(c) == nil && slices.ContainsFunc(h.of(name, h.touches[:border]), isGone) {
			w.need(name, orWork(c.phase), true)
		}
	}
	for i, n := range w.Needs {
		if !n.Missing {
			continue
		}
		for _, d := range h.of(n.Path, h.touches[:border]) {
			if d.Letter == 'D' && !n.Critical && strings.HasPrefix(n.Path, storiesDir) {
				w.Needs[i].Critical = true
			}
		}
	}
}

// strangers are stories of an epic that its state does not know.
func (w *work) strangers() []*story {
	if w.rank != rankEpic || w.Rebuilt && len(w.claims) == 0 || !w.State.Open() {
		return nil
	}
	planDir := ""
	if plan, ok := w.fields["execution_plan"].(string); ok {
		planDir = path.Dir(plan)
	}
	var out []*story
	for _, s := range w.look.shelf.all {
		known := slices.ContainsFunc(w.claims, func(c claim) bool { return c.key == s.key })
		if !known && !s.archived && belongs(s, w.Name, planDir) {
			out = append(out, s)
		}
	}
	return out
}

// newStories tells of stories that were added to an epic: since its state was written, or before without being planned.
func (w *work) newStories(h *history, border int) {
	for _, s := range w.strangers() {
		switch {
		case s.meaning == sources.MeansDone || s.meaning == sources.MeansClosed:
			w.doubt(sources.DoubtNewTasks, conflicts.Info, s.path, "story %s of the epic is not in its state, and is over", s.id)
		case added(h, s.path, border):
			w.doubt(sources.DoubtNewTasks, conflicts.Blocking, s.path, "story %s was added to the epic since %s", s.id, at(w.Active))
		default:
			w.doubt(sources.DoubtNewTasks, conflicts.Warning, s.path, "story %s of the epic is not in its state", s.id)
		}
	}
}

func added(h *history, name string, border int) bool {
	if len(h.of(name, h.touches)) == 0 {
		return true // never committed: nobody but a later hand can have put it there
	}
	return slices.ContainsFunc(h.of(name, h.touches[:border]), func(d past.Delta) bool { return d.Letter == 'A' })
}

// foreign tells of files that the work changed and that other work changed after it.
func (w *work) foreign(h *history, since []past.Touch) {
	const most = 5
	told := 0
	for _, f := range w.own {
		rel, _ := w.resolve(f)
		if rel == "" {
			continue
		}
		for _, t := range w.strange(h.of(rel, since), since, rel) {
			if told++; told <= most {
				w.doubt(sources.DoubtForeignChange, conflicts.Warning, rel, "%s was changed since by commit %s of %s: %s", rel, t.ID.Short(), t.Author.Name, short(t.Subject))
			}
			break
		}
	}
	if told > most {
		w.doubt(sources.DoubtForeignChange, conflicts.Warning, "", "%d more files of the work were changed by others", told-most)
	}
}

// staleAfter is how long a story may stand in a status before it counts as stale.
func staleAfter(m sources.Meaning) time.Duration {
	switch m {
	case sources.MeansPending:
		return 14 * day
	case sources.MeansReady:
		return week
	case sources.MeansInProgress:
		return 5 * day
	case sources.MeansReview:
		return 3 * day
	}
	return 0
}
