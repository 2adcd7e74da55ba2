package orchestrate

import (
	"fmt"
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/statefile"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/story"
)

// chooseCopies keeps one of several pieces of work with the same ID and priority. These are usually copies of one state file in several
// worktrees. It prefers the copy in the worktree of the work's branch. Otherwise it keeps the copy with the newest recorded activity.
func chooseCopies(all []*work) []*work {
	var out []*work
	for _, w := range all {
		i := slices.IndexFunc(out, func(o *work) bool { return o.ID == w.ID && o.rank == w.rank })
		if i < 0 {
			out = append(out, w)
			continue
		}
		better, other := out[i], w
		if mine, its := onOwnBranch(other.Found), onOwnBranch(better.Found); mine && !its || mine == its && other.From != "file time" && other.Active.After(better.Active) {
			better, other = other, better
		}
		if better.search != other.search && (better.Point != other.Point || better.Status != other.Status) {
			then := map[bool]string{true: "is finished", false: "continues at " + orUnknown(other.Point.Task)}[other.State == sources.Complete]
			better.doubt(sources.DoubtCopies, conflicts.Info, first(other.Files), "the copy in %s says %s and %s", other.Home, statefile.Said(other.Status), then)
		}
		out[i] = better
	}
	return out
}

// onOwnBranch reports whether the state file was read in the worktree that belongs to the work.
func onOwnBranch(f sources.Found) bool { return f.Worktree != "" && f.Worktree == f.Home }

// join merges all pieces of open work that name the same story, epic or feature into the piece with the highest priority. Among pieces of
// equal priority, it takes the one with the latest activity.
func join(all []*work) []*work {
	var out []*work
	for _, w := range all {
		if first := findLeader(out, w); first != nil {
			lead{first}.absorb(w)
			continue
		}
		out = append(out, w)
	}
	return out
}

// apart reports whether two workflows of the same kind have a state file each, such as two cycles for one story. Each of them stays a
// piece of work, because the user must be able to choose one.
func apart(a, b *work) bool {
	return a.rank == rankWorkflow && b.rank == rankWorkflow && a.kind == b.kind && !a.Rebuilt && !b.Rebuilt
}

// warnApart tells each of several workflows for the same story about the others.
func warnApart(all []*work) {
	for _, w := range all {
		for _, o := range all {
			if w != o && w.State.Open() && o.State.Open() && apart(w, o) && slices.ContainsFunc(w.Same, func(k string) bool { return slices.Contains(o.Same, k) }) {
				w.Apart = append(w.Apart, o.ID)
				lead{w}.startedSince(o)
			}
		}
	}
}

func findLeader(out []*work, w *work) *work {
	if !w.State.Open() {
		return nil
	}
	for _, o := range out {
		if o.State.Open() && !apart(o, w) && slices.ContainsFunc(w.Same, func(k string) bool { return slices.Contains(o.Same, k) }) {
			return o
		}
	}
	return nil
}

// lead is the piece of work into which join merges other pieces for the same story, epic or feature.
type lead struct{ *work }

// absorb merges another piece of work for the same story, epic or feature into this one, which has a higher priority or a later activity.
func (w lead) absorb(o *work) {
	w.joined = append(w.joined, map[string]any{"workflow_type": o.kind, "state_source_path": first(o.Files), "position": o.position, "status": o.Status})
	for _, k := range o.Same {
		if !slices.Contains(w.Same, k) {
			w.Same = append(w.Same, k)
		}
	}
	if o.implied {
		w.changedFiles = append(w.changedFiles, o.changedFiles...)
		if w.Point.Task == o.Name && o.position != "" {
			w.Point.Reason += "; its story is at " + o.position
		}
		return
	}
	w.Calls = append(w.Calls, o.ID) // people know it by its own name too
	if o.search == w.search {
		w.Files = append(w.Files, o.Files...)
	}
	w.changedFiles = append(w.changedFiles, o.changedFiles...)
	for _, d := range o.Doubts {
		if !slices.Contains(w.Doubts, d) {
			w.Doubts = append(w.Doubts, d)
		}
	}
	w.Rebuilt = w.Rebuilt || o.Rebuilt
	if story.KeyOf(w.Point.Task) == story.KeyOf(o.Name) {
		w.Point.Reason += "; " + o.kind + ": " + orUnknown(o.position)
		w.Questions = append(w.Questions, o.Questions...)
	}
	w.startedSince(o)
}

// startedSince warns about the work o: another open workflow for the same story or epic. If o was started after w had stopped, the warning
// blocks w, but not if w is an epic and o is a QA loop or a build, which usually belongs to the epic.
func (w lead) startedSince(o *work) {
	name := o.title()
	if name == w.title() {
		name = o.ID
	}
	if w.rank == o.rank && !w.began.IsZero() && !o.Active.IsZero() && w.began.After(o.Active) {
		w.doubt(sources.DoubtOtherWork, conflicts.Warning, first(o.Files), "other work (%s) is still open; its last activity was %s before this work was started", name, durationText(w.began.Sub(o.Active)))
		return
	}
	if w.rank != rankEpic && w.rank != o.rank && o.Point.Task != "qa" && o.Point.Task != "" && w.Active.After(o.Active) {
		w.doubt(sources.DoubtOtherWork, conflicts.Warning, first(o.Files), "other work (%s) was left open too, at %s; its last activity was %s before that of this work", name, orUnknown(o.position), durationText(w.Active.Sub(o.Active)))
		return
	}
	if o.began.IsZero() || w.Active.IsZero() || !o.began.After(w.Active) {
		return
	}
	severity := conflicts.Blocking
	if w.rank == rankEpic && (o.rank == rankLoop || o.kind == "Build") {
		severity = conflicts.Warning
	}
	w.doubt(sources.DoubtOtherWork, severity, first(o.Files), "other work (%s) was started %s after the last activity of this work", name, durationText(o.began.Sub(w.Active)))
}

// warnUnattributed handles a broken state file that names no story. It adds a warning to every story to which the file may belong, because
// the story's status may be out of date.
func warnUnattributed(all []*work) {
	for _, w := range all {
		if w.State != sources.Corrupt || len(w.Same) > 0 || w.rank != rankLoop && w.rank != rankWorkflow {
			continue
		}
		for _, o := range all {
			if o.implied && o.search == w.search && (o.rank == rankStory && w.rank == rankWorkflow || o.rank == rankReview) {
				o.Rebuilt = true
				o.doubt(sources.DoubtRebuilt, conflicts.Warning, first(w.Files), "cannot be read; if it belongs to this story, what it says is missing here")
			}
		}
	}
}

// foldStories combines stories without a state file into one entry, except the newest few.
func foldStories(all []*work) []*work {
	var kept, bare []*work
	for _, w := range all {
		if w.implied && (w.rank == rankStory || w.rank == rankReview) {
			bare = append(bare, w)
		} else {
			kept = append(kept, w)
		}
	}
	if len(bare) <= shown {
		return all
	}
	slices.SortStableFunc(bare, func(a, b *work) int { return b.Active.Compare(a.Active) })
	rest := bare[shown:]
	l := rest[0].search
	w := l.newWork(rankRest, "Stories", "stories", statefile.Record{})
	w.about, w.State, w.Active, w.From = fmt.Sprintf("%d more stories", len(rest)), sources.Unknown, rest[0].Active, rest[0].From
	w.implied, w.position = true, "the newest is "+rest[0].about
	for _, r := range rest {
		w.Tasks = append(w.Tasks, sources.Task{ID: r.Name, Title: r.position, State: checkpoint.Active, Raw: r.Status, Files: r.Files, Evidence: "story status"})
		w.Same = append(w.Same, r.Same...)
	}
	w.Point = sources.Point{Task: rest[0].Name, Title: rest[0].Point.Title, Reason: "it is the one of these stories that was changed last"}
	return append(append(kept, bare[:shown]...), w)
}

// shown is the number of stories without a state file that are reported separately. foldStories combines the others.
const shown = 10
