package bmad

import (
	"fmt"
	"slices"

	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// compare reads the files of the open stories. If a file gives a later status than the table, the status of the file counts, because
// people often forget to update the table. The exception is a file that says "done" but has open boxes. A story that is ready counts as
// in progress if some of its boxes are ticked and others are open.
func (s *sprint) compare() {
	var files []string
	for _, st := range s.table.stories {
		if st.file = s.files[st.key]; st.file != "" {
			files = append(files, st.file)
		}
	}
	for file, touch := range s.View.LastCommits(s.Ctx, s.Tree, files...) {
		s.touched[file] = touch.Made
	}
	for _, st := range s.table.stories {
		st.touched = s.touched[st.file]
		if st.file == "" || st.closed() {
			continue
		}
		data, err := s.Tree.Read(st.file)
		if err != nil {
			s.Doubts.Refuse(st.file, err)
			continue
		}
		st.readFile(data)
		if said := sources.MeaningOf(st.said); rank(said) > rank(st.means) && (said != sources.MeansDone || st.open == 0) {
			s.Doubts.About(sources.DoubtDiscrepancy, info, st.file, "says '%s', but %s says '%s'; the status that is further along is used", st.said, s.file, st.raw)
			st.means = said
		}
		if st.means == sources.MeansReview {
			if g := sources.GateOf(s.Tree, s.under, st.isNamed); g.Refuses(s.Ctx, s.View, s.Tree, st.file) {
				st.means, st.refused = sources.MeansInProgress, "; "+g.File+" says "+textdoc.Shorten(textdoc.OneLine(g.Verdict), 40)
			}
		}
		if st.means == sources.MeansReady && st.done > 0 && st.open > 0 {
			st.means = sources.MeansInProgress
			s.Doubts.About(sources.DoubtStatusWord, info, st.file, "has %d of %d tasks ticked, so the story is in progress, although its status is '%s'", st.done, st.done+st.open, st.raw)
		}
	}
	s.pass()
}

// rank returns the position of a status in the order in which a story passes through the statuses. It returns -1 for any other status.
func rank(m sources.Meaning) int {
	return slices.Index([]sources.Meaning{sources.MeansPending, sources.MeansReady, sources.MeansInProgress, sources.MeansReview, sources.MeansDone}, m)
}

// pass marks the open stories that people passed over:
//   - a story whose epic is done, unless preparedLast returns true for the story
//   - a story in progress, if a later story was started, and the file of the later story has a newer commit
//   - a story in review, if a later story was started, and the last commit of its own file is not newer than the last commit of the later
//     story's file
func (s *sprint) pass() {
	all := s.table.stories
	for i, st := range all {
		if st.closed() {
			continue
		}
		st.passed = st.epic != nil && st.epic.means == sources.MeansDone && !s.preparedLast(st)
		for _, o := range all[i+1:] {
			if !o.started() || st.passed {
				continue
			}
			switch {
			case st.means == sources.MeansReview:
				st.passed = !o.touched.Before(st.touched)
			case st.active():
				st.passed = o.touched.After(st.touched) && !st.touched.IsZero()
			}
		}
	}
}

// preparedLast reports whether a story is ready, and its file has a newer commit than the files of all other stories.
func (s *sprint) preparedLast(st *story) bool {
	return st.means == sources.MeansReady && !slices.ContainsFunc(s.table.stories, func(o *story) bool { return o != st && !o.touched.Before(st.touched) })
}

type point struct {
	story *story
	why   string
	// review means that the story waits for a review.
	review bool
}

// point finds the story with which the work continues. It usually prefers a story in progress, then a story in review, then a story that
// is ready, then a story of the backlog, in the order of the table. Stories that were passed over come last. The result is empty if no open story is left.
func (s *sprint) point() point {
	var active, review, ready, backlog, passed []*story
	for _, st := range s.table.stories {
		switch {
		case st.closed() || st.named != "" || sources.FoldWord(st.raw) == "optional":
		case st.passed:
			passed = append(passed, st)
		case st.active():
			active = append(active, st)
		case st.means == sources.MeansReview:
			review = append(review, st)
		case st.means == sources.MeansReady:
			ready = append(ready, st)
		default:
			backlog = append(backlog, st)
		}
	}
	if !s.reviews() && len(ready)+len(backlog) > 0 {
		review = nil
	}
	switch {
	case len(active) == 1:
		return point{story: active[0], why: "it is in progress" + active[0].position()}
	case len(active) > 1:
		st := slices.MaxFunc(active, func(a, b *story) int { return a.touched.Compare(b.touched) })
		why := fmt.Sprintf("of the %d stories in progress, it was changed last", len(active))
		if !slices.ContainsFunc(active, func(o *story) bool { return !o.touched.Equal(st.touched) }) { // for example, no file is committed
			why = fmt.Sprintf("it is the first of the %d stories in progress", len(active))
		}
		return point{story: st, why: why + st.position()}
	case len(review) > 0:
		return point{story: review[len(review)-1], why: "it waits for a review" + review[len(review)-1].position(), review: true}
	case len(ready) > 0:
		// People prepare single stories ahead of time, and still carry out an epic in its order.
		next := ready[0]
		if i := slices.IndexFunc(backlog, func(st *story) bool { return st.epic != nil && st.epic == next.epic && st.order < next.order }); i >= 0 {
			return point{story: backlog[i], why: "it is the next story of " + backlog[i].epic.key}
		}
		return point{story: next, why: "it is the next story that is ready for development"}
	case len(backlog) > 0:
		return point{story: backlog[0], why: "it is the next story of the backlog"}
	case len(passed) > 0:
		return point{story: passed[0], why: "it was left open, although later stories were started or its epic is done", review: passed[0].means == sources.MeansReview}
	}
	return point{}
}

// A sprint counts as one without reviews if people left at least this many stories in review and continued with later ones. There must also
// be at least as many such stories as finished ones.
const unheld = 2

// reviews reports whether people review the stories of this sprint. In many projects they do not: each story stays in review, and the
// next one is started.
func (s *sprint) reviews() bool {
	passed, done := 0, 0
	for _, st := range s.table.stories {
		switch {
		case st.passed && st.means == sources.MeansReview:
			passed++
		case st.means == sources.MeansDone:
			done++
		}
	}
	return passed < unheld || passed < done
}

// position returns a text about the boxes of a story, and about a review that asked for changes. Without the latter, it returns "" if the story has no boxes, or is in review and has no open box.
func (st *story) position() string {
	switch {
	case st.done+st.open == 0:
		return st.refused
	case st.open == 0 && (st.means == sources.MeansReview || st.refused != ""):
		return st.refused
	case st.open == 0:
		return fmt.Sprintf("; all its %d tasks are ticked, so it can be set to review", st.done)
	}
	return fmt.Sprintf("; %d of its %d tasks are ticked", st.done, st.done+st.open) + st.refused
}

// next returns the title of the story. If the story was started, it adds the open box at which the work continues. For a story in
// review, it adds the box only if the box is a follow-up task that a review added.
func (at point) next() string {
	st := at.story
	if at.review && !st.followUp || st.box == "" || !st.started() {
		return st.title
	}
	title := st.title + ": "
	if st.within != "" {
		title += st.within + " › "
	}
	return title + st.box
}
