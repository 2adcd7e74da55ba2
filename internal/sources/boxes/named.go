package boxes

import (
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/commitlog"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// inLast finds the open tasks that are named in the subject of the list's newest commit, and maps them to this commit. People often carry
// out a task in one commit and tick its box only in the next one. If the commit ticked one of the tasks that it names, the result is nil,
// because then the other tasks were left open on purpose.
func inLast(h commitlog.History, f *sources.Found, last object.ID, name string) map[string]object.ID {
	named := map[string]bool{}
	for _, id := range h.NamedBy(last, name) {
		named[id] = true
	}
	out := map[string]object.ID{}
	for _, t := range f.Tasks {
		switch {
		case !named[strings.ToLower(t.ID)]:
		case t.State == checkpoint.Done && t.Commit == last:
			return nil
		case left(t):
			out[t.ID] = last
		}
	}
	return out
}

var (
	phaseHeading = textdoc.NewForm(`(?i)^[^\pL\d]*phase ([0-9]{1,2})\b`)
	storyTag     = textdoc.NewForm(`(?i)\[US([0-9]{1,2})\]|\buser story ([0-9]{1,2})\b`)
)

// inParts returns for each open task the commit which says that the task's phase or user story was carried out. The argument "tasks" has
// the indexes of the boxes that are tasks. The newest commit of the list does not count if it ticked some boxes of this phase or story,
// because it left the others open on purpose.
func inParts(boxes []textdoc.Box, tasks []int, f *sources.Found, parts map[string]object.ID, last object.ID) map[int]object.ID {
	out := map[int]object.ID{}
	if len(parts) == 0 {
		return out
	}
	keys, ticked := make([]string, len(f.Tasks)), map[string]bool{}
	for n, i := range tasks {
		if n >= len(f.Tasks) {
			break
		}
		if keys[n] = partOf(boxes, i, parts); f.Tasks[n].State == checkpoint.Done && f.Tasks[n].Commit == last {
			ticked[keys[n]] = true
		}
	}
	for n, t := range f.Tasks {
		if c := parts[keys[n]]; c != "" && left(t) && !t.Optional && !(c == last && ticked[keys[n]]) {
			out[n] = c
		}
	}
	return out
}

// partOf returns the key of the phase or the user story to which a box belongs, such as "phase 2". It returns "" if the map does not have
// this key.
func partOf(boxes []textdoc.Box, i int, parts map[string]object.ID) string {
	top := i
	for boxes[top].Above >= 0 {
		top = boxes[top].Above
	}
	if m := phaseHeading.FindStringSubmatch(boxes[top].Phase); m != nil && parts["phase "+m[1]] != "" {
		return "phase " + m[1]
	}
	for _, text := range []string{boxes[i].Title, boxes[top].Phase} {
		if m := storyTag.FindStringSubmatch(text); m != nil && parts["story "+m[1]+m[2]] != "" {
			return "story " + m[1] + m[2]
		}
	}
	return ""
}
