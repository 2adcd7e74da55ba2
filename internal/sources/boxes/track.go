package boxes

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/internal/commitlog"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// trackPlan holds the data of Conductor about a track, apart from the boxes of its plan.
type trackPlan struct {
	registry *registry
	// entry is the track in the registry, or nil if the registry does not have it.
	entry *track
	// commits maps the index of a ticked box to the commit id that Conductor wrote after the box.
	commits map[int]string
	phases  []phase
}

// phase is a part of a plan. A person verifies each phase, and then Conductor writes a checkpoint into its heading.
type phase struct {
	title    string
	line     int
	verified bool
}

var (
	commitBehind = textdoc.NewForm(`^(.*\S) +(\[|\(|)([0-9a-f]{7,40})[\])]?$`)
	checkpointIn = textdoc.NewForm(`(?i) *\[checkpoint: *([^\[\]]*)\]`)
)

// cutCommit splits a title into its text and the commit id at its end. A plain word or a date that is not in brackets does not count as a
// commit id.
func cutCommit(title string) (text, commit string) {
	m := commitBehind.FindStringSubmatch(title)
	if m == nil {
		return title, ""
	}
	letters, digits := strings.ContainsFunc(m[3], unicode.IsLetter), strings.ContainsFunc(m[3], unicode.IsDigit)
	if m[2] == "" && (!digits || !letters && len(m[3]) == len("20260115")) {
		return title, ""
	}
	return m[1], m[3]
}

// cutCommits removes the commit ids from the titles of boxes and of phases, so that a task has the same name before and after it is
// ticked. It returns the removed ids of the ticked boxes.
func cutCommits(boxes []textdoc.Box) map[int]string {
	commits := map[int]string{}
	for i := range boxes {
		b, commit := &boxes[i], ""
		b.Phase, _ = cutCommit(strings.TrimSpace(checkpointIn.ReplaceAllString(b.Phase, "")))
		if b.Title, commit = cutCommit(b.Title); b.Done && commit != "" {
			commits[i] = commit
		}
	}
	return commits
}

// read reads the commits and phases of a track from the text of its plan, and adds the warnings about the registry to the list.
func (p *trackPlan) read(l *list) {
	text := textdoc.Text(l.data)
	boxes, _ := plan.Boxes(l.path, []byte(text)) // the list was parsed before, and its errors were reported then
	p.commits, p.phases = cutCommits(boxes), phasesOf(text)
	l.doubts = append(l.doubts, p.registry.doubts...)
}

// phasesOf returns the phases of a plan: its headings of the second level.
func phasesOf(text string) (out []phase) {
	for _, s := range textdoc.Sections(textdoc.Visible(text)) {
		if s.Level == 2 {
			m := checkpointIn.FindStringSubmatch(s.Title)
			out = append(out, phase{title: strings.TrimSpace(checkpointIn.ReplaceAllString(s.Title, "")), line: s.Line, verified: m != nil && strings.TrimSpace(m[1]) != ""})
		}
	}
	return out
}

// isVerification reports whether a box is the step in which a person verifies a phase.
func isVerification(b textdoc.Box) bool { return strings.Contains(b.Title, "User Manual Verification") }

// unverified returns the phase that a person must verify next. All its tasks are ticked, it is not verified yet, and no task of a later
// phase was started. It returns "" if there is no such phase, or if a task is in progress. It also returns "" if nothing in the plan
// shows that people verify its phases.
func (p *trackPlan) unverified(boxes []textdoc.Box, tasks []sources.Task) string {
	knows := slices.ContainsFunc(boxes, isVerification) || slices.ContainsFunc(p.phases, func(ph phase) bool { return ph.verified })
	begun, open, verified := make([]bool, len(p.phases)), make([]bool, len(p.phases)), make([]bool, len(p.phases))
	for n, i := range leaves(boxes) {
		t, at := tasks[n], p.phaseAt(boxes[i].Line)
		switch {
		case at < 0:
		case isVerification(boxes[i]):
			verified[at] = verified[at] || t.State == checkpoint.Done && p.commits[i] != ""
		case t.State == checkpoint.Active:
			return "" // while a task is in progress, no phase waits for verification
		case due(t):
			open[at] = true
		default:
			begun[at] = true
		}
	}
	for at, ph := range slices.Backward(p.phases) {
		if !begun[at] {
			continue
		}
		if knows && !open[at] && !verified[at] && !ph.verified {
			return ph.title
		}
		break
	}
	return ""
}

// judge sets the state of a list. For a track of Conductor, the registry decides whether the track is closed. A track with a finished
// phase waits until a person has verified this phase.
func (l *list) judge(f *sources.Found) {
	f.State = l.state(f.Tasks)
	if l.track == nil || f.State == sources.Corrupt || f.State == sources.Unknown {
		return
	}
	e, name := l.track.entry, path.Base(l.track.registry.file)
	switch {
	case e != nil && e.done && f.State != sources.Complete:
		f.State, f.Over = sources.Ended, name+" says that the track is done"
	case e != nil && !e.done && f.State == sources.Complete:
		f.State = sources.Review
	case f.State == sources.Interrupted && l.track.unverified(l.boxes, f.Tasks) != "":
		f.State = sources.Waiting
	}
}

// tell adds texts and warnings about a track, for example that it is closed, that it waits for a person, or that Conductor would continue
// with another track.
func (l *list) tell(f *sources.Found) {
	done, total := countOf(f.Tasks)
	name := path.Base(l.track.registry.file)
	switch f.State {
	case sources.Ended:
		f.Headline = "closed with " + sources.Count(total-done, "open box", "open boxes")
		l.doubt(f, sources.DoubtDiscrepancy, conflicts.Info, "%s says that the track is done, but the plan has %s", name, sources.Count(total-done, "open box", "open boxes"))
	case sources.Review:
		f.Headline = fmt.Sprintf("all %d tasks are ticked", total)
		if total == 1 {
			f.Headline = "the only task is ticked"
		}
		f.Headline += "; the track is open in " + name + " and waits for a review"
	case sources.Waiting:
		ph := l.track.unverified(l.boxes, f.Tasks)
		if ph == "" {
			break
		}
		f.Headline = fmt.Sprintf("%d of %d tasks are ticked; a person has to verify the phase '%s'", done, total, ph)
		f.Point.Reason = "a person must verify the phase '" + ph + "' first"
	}
	if l.tree.Has(f.Root + "/metadata.json") {
		l.tellMetadata(f)
	}
	first := l.track.registry.first()
	if e := l.track.entry; first != nil && e != first && (f.State == sources.Interrupted || f.State == sources.Waiting) {
		l.doubt(f, sources.DoubtOwnCheck, conflicts.Info, "'/conductor:implement' without the name of a track would take '%s': it takes the first track in %s that is not ticked", first.text, name)
	}
}

// tellMetadata adds a note if metadata.json says that the track is cancelled. The state does not change, because Conductor does not keep
// this file up to date.
func (l *list) tellMetadata(f *sources.Found) {
	data, err := l.tree.Read(f.Root + "/metadata.json")
	if err != nil {
		return
	}
	value, err := textdoc.ParseJSON(data)
	word := value.Get("status").Text()
	if err == nil && (strings.EqualFold(word, "cancelled") || strings.EqualFold(word, "canceled")) && f.State.Open() {
		l.doubt(f, sources.DoubtStatusWord, conflicts.Info, "metadata.json says that the track is cancelled")
	}
}

// enter looks for boxes in progress with other boxes below them. It marks the first open task below such a box as in progress too, because
// Conductor marks only the outer box.
func (l *list) enter(tasks []sources.Task) {
	entered := map[int]bool{}
	all := leaves(l.boxes)
	for n, i := range all {
		if above := l.boxes[i].Above; above >= 0 && tasks[n].State == checkpoint.Active {
			entered[above] = true
		}
	}
	for n, i := range all {
		if above := l.boxes[i].Above; above >= 0 && !entered[above] && isActive(l.boxes[above]) && due(tasks[n]) {
			tasks[n].State, entered[above] = checkpoint.Active, true
		}
	}
}

// leaves returns the indexes of the boxes that have no boxes below them. These are the tasks.
func leaves(boxes []textdoc.Box) (out []int) {
	for i, b := range boxes {
		if !b.Parent {
			out = append(out, i)
		}
	}
	return out
}

// phaseAt returns the index of the phase that contains a line, or -1.
func (p *trackPlan) phaseAt(line int) int {
	at := -1
	for i := range p.phases {
		if p.phases[i].line < line {
			at = i
		}
	}
	return at
}

// proveTrack looks for commits that prove the state of an open track. It does nothing if the last activity is longer ago than proofTime,
// or if no box of the track was started.
func (l *list) proveTrack(ctx context.Context, v *sources.View, f *sources.Found) {
	if !f.State.Open() || f.State == sources.Corrupt || f.Active.IsZero() || v.Now.Sub(f.Active) > proofTime {
		return
	}
	if f.State == sources.NotStarted && !slices.ContainsFunc(l.boxes, isActive) {
		return
	}
	h := v.Recent.History(ctx, f.Active.Add(-proofTime))
	l.resolve(h, f)
	l.unmarked(ctx, v, h, f)
	l.judge(f)
}

// resolve finds the commit of each ticked task. Conductor writes the id of this commit after the title of the task, or after the title of a
// box above the task. If no commit has this id, for example after a squash, resolve looks for a commit whose subject names the task. It
// warns if the plan names commits and none of them can be found.
func (l *list) resolve(h commitlog.History, f *sources.Found) {
	missing, known := 0, 0
	for n, i := range leaves(l.boxes) {
		at := i
		for l.track.commits[at] == "" && l.boxes[at].Above >= 0 {
			at = l.boxes[at].Above
		}
		t, digits := &f.Tasks[n], l.track.commits[at]
		if digits == "" || t.State != checkpoint.Done {
			continue
		}
		if c := h.Starting(digits); c != nil {
			known, t.Commit = known+1, c.ID
			t.Evidence += "; the plan names commit " + c.ID.Short() + " beside the task"
		} else if c := namedIn(h, time.Time{}, wordsOf(l.boxes[at].Title), anyCommit); c != "" {
			known, t.Commit = known+1, c
			t.Evidence += "; commit " + c.Short() + " names the task"
		} else {
			missing++
		}
	}
	if missing > 0 && known == 0 {
		l.doubt(f, sources.DoubtNoEvidence, conflicts.Warning, "none of the commits that the plan names is in the recent history; they may have been squashed")
	}
}

func (l *list) doubt(f *sources.Found, code string, grade conflicts.Severity, format string, args ...any) {
	f.Doubts = append(f.Doubts, sources.Doubt{Code: code, Severity: grade, Path: l.path, Text: fmt.Sprintf(format, args...)})
}

// wordsOf returns the text that a commit's subject must contain to name a task, in lower case. It is empty if the title is too short to
// identify the task.
func wordsOf(title string) string {
	if word, rest, ok := strings.Cut(title, ":"); ok && (strings.EqualFold(word, "task") || strings.EqualFold(word, "sub-task")) {
		title = rest
	}
	if words := commitlog.FoldSubject(title); len(words) >= commitlog.ShortestSubject {
		return words
	}
	return ""
}

func anyCommit(object.ID) bool { return true }

// namedIn returns the newest commit after the time "since" whose subject contains the words, or "" if there is none. The function "may"
// must return true for the commit. Commits in which Conductor only changes a plan are ignored.
func namedIn(h commitlog.History, since time.Time, words string, may func(object.ID) bool) object.ID {
	for c := range h.Newer(since) {
		if words != "" && !isMark(c.Subject) && strings.Contains(commitlog.FoldSubject(c.Subject), words) && !commitlog.OtherVersion(words, c.Subject) && may(c.ID) {
			return c.ID
		}
	}
	return ""
}

// isMark reports whether, according to its subject, a commit only changes a plan of Conductor. Such a subject may name a task, but the
// commit does not prove that the task is done.
func isMark(subject string) bool { return strings.HasPrefix(subject, "conductor(") }

// mostNoted is the largest number of commits whose notes are read.
const mostNoted = 50

// unmarked finds tasks that are done, although their boxes, or the box above them, are still marked as in progress. Such a task is named in
// the subject or the note of a commit after the last change of the plan: Conductor makes this commit first and ticks the box afterwards.
// unmarked stores the commit in the task, so that work does not continue there. It sets the task's state to pending, because nobody works
// on it any more and only the tick is missing, and warns about the missing tick.
func (l *list) unmarked(ctx context.Context, v *sources.View, h commitlog.History, f *sources.Found) {
	active := func(t sources.Task) bool { return t.State == checkpoint.Active }
	last, when := v.NewestCommit(ctx, l.tree, l.path)
	if last == "" || !slices.ContainsFunc(f.Tasks, active) {
		return
	}
	notes, within := l.notes(ctx, v, last), h.Within(v.Head(ctx, l.tree))
	named := func(title string) object.ID {
		words := wordsOf(title)
		if c := namedIn(h, when, words, func(id object.ID) bool { return id != last && within(id) }); c != "" || words == "" {
			return c
		}
		for _, n := range notes {
			if strings.Contains(n.text, words) && !commitlog.OtherVersion(words, n.text) {
				return n.commit
			}
		}
		return ""
	}
	var done []string
	for n, i := range leaves(l.boxes) {
		t, above := &f.Tasks[n], l.boxes[i].Above
		if !active(*t) && !(above >= 0 && isActive(l.boxes[above]) && due(*t)) {
			continue
		}
		c := named(t.Title)
		if c == "" && above >= 0 && isActive(l.boxes[above]) {
			c = named(l.boxes[above].Title)
		}
		if c == "" {
			continue
		}
		t.State, t.Commit = checkpoint.Pending, c
		t.Evidence += "; commit " + c.Short() + " names the task"
		done = append(done, "'"+textdoc.Shorten(t.Title, 60)+"' ("+c.Short()+")")
	}
	if len(done) > 0 {
		l.doubt(f, sources.DoubtNotMarked, conflicts.Warning, "done by a commit, but not ticked: %s", sources.SomeOf(done))
	}
}

func isActive(b textdoc.Box) bool { return stateOf(b) == checkpoint.Active }

// noted is the note of a commit. The text is simplified in the same way as titles that are compared with it.
type noted struct {
	commit object.ID
	text   string
}

// notes returns the notes of the commits after the given one, at most mostNoted of them. It starts git only if the repository has notes.
func (l *list) notes(ctx context.Context, v *sources.View, since object.ID) (out []noted) {
	const ref = "refs/notes/commits"
	if id, err := v.Repo.Refs.Ref(ctx, ref); err != nil || id == "" {
		return nil
	}
	text, err := v.Repo.At(l.tree.Place).Git(ctx, process.Call{Args: []string{"log", "-z", "-n", fmt.Sprint(mostNoted), "--no-notes", "--notes=" + ref,
		"--no-show-signature", "--format=%H%n%N", l.tree.Revision(), "--not", string(since), "--"}})
	if err != nil {
		return nil // without notes, only the subjects of commits are searched
	}
	for part := range strings.SplitSeq(string(text), "\x00") {
		id, note, _ := strings.Cut(part, "\n")
		out = append(out, noted{object.ID(id), commitlog.FoldSubject(note)})
	}
	return out
}
