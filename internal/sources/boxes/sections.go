package boxes

import (
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// nest nests boxes by their numbers, because many lists are written without indent. Boxes 2.1 and 2.2 after box 2 are put below box 2,
// which is then a heading and not a task. If only box 2.1 follows, it may be a task that somebody added later. So it is put below box 2
// only if another box of the list has several boxes below it by their numbers.
func nest(boxes []textdoc.Box) {
	several := false
	var single []int
	for i := range boxes {
		switch below := numberedBelow(boxes, i); {
		case len(below) > 1:
			several = true
			putBelow(boxes, i, below)
		case len(below) == 1 && boxes[below[0]].ID == boxes[i].ID+".1":
			single = append(single, i)
		}
	}
	for _, i := range single {
		if several && !boxes[i].Parent {
			putBelow(boxes, i, []int{i + 1})
		}
	}
}

// numberedBelow returns the boxes that directly follow box i with the same indent and continue its number, as 2.1 and 2.2 continue 2.
func numberedBelow(boxes []textdoc.Box, i int) (below []int) {
	b := &boxes[i]
	if b.ID == "" || b.Parent {
		return nil
	}
	for j := i + 1; j < len(boxes); j++ {
		if boxes[j].Above > i {
			continue // boxes[j] is nested in a box that numberedBelow already returns
		}
		if boxes[j].Above != b.Above || !strings.HasPrefix(boxes[j].ID, b.ID+".") {
			break
		}
		below = append(below, j)
	}
	return below
}

func putBelow(boxes []textdoc.Box, i int, below []int) {
	boxes[i].Parent = true
	for _, j := range below {
		boxes[j].Above, boxes[j].Phase, boxes[j].Optional = i, boxes[i].Title, boxes[j].Optional || boxes[i].Optional
	}
}

// settled returns the reason why an open box in a list of Conductor counts as done, or "". People often leave the boxes of single steps
// open. The steps of a ticked task count as done if a commit id follows the title of the task, or if the phase is verified. A phase is
// verified if Conductor has written a checkpoint, the id of a commit, into its heading. In a verified phase, the box for the verification
// itself counts as done too.
func (l *list) settled(i int) string {
	if l.track == nil {
		return ""
	}
	at := l.track.phaseAt(l.boxes[i].Line)
	verified := at >= 0 && l.track.phases[at].verified
	if verified && isVerification(l.boxes[i]) {
		return "the heading of the phase names a checkpoint commit"
	}
	for at := l.boxes[i].Above; at >= 0; at = l.boxes[at].Above {
		switch {
		case !l.boxes[at].Done:
		case verified:
			return "its parent task is ticked, and the heading of the phase names a checkpoint commit"
		case l.track.commits[at] != "":
			return "its parent task is ticked and names a commit"
		}
	}
	return ""
}

// belowActive returns the first open task in a group that is in progress. A task is a box that has no boxes below it, and a group is a box
// that has some. If several groups in progress have open tasks, belowActive uses the last of these groups. It returns -1 if there is no
// such task. It also returns -1 if a task is itself in progress, because work then continues with that task.
//
// People may mark a group as in progress too early. So a group in progress is ignored if none of its tasks is ticked, and an earlier group
// that nobody has started still has open tasks. Nobody has started a group that is not in progress and has no ticked task.
func (l *list) belowActive(tasks []sources.Task) int {
	found, within := -1, -1
	begun := map[int]bool{} // the boxes that have a ticked box below them
	for _, i := range leaves(l.boxes) {
		for at := l.boxes[i].Above; at >= 0 && l.boxes[i].Done; at = l.boxes[at].Above {
			begun[at] = true
		}
	}
	untouched := false
	for n, i := range leaves(l.boxes) {
		if n >= len(tasks) || tasks[n].State == checkpoint.Active {
			return -1
		}
		if !due(tasks[n]) || tasks[n].State != checkpoint.Pending {
			continue
		}
		for at := l.boxes[i].Above; at > within; at = l.boxes[at].Above {
			if l.kind.stateOf(l.boxes[at]) == checkpoint.Active && (begun[at] || !untouched) {
				found, within = n, at
				break
			}
		}
		above := l.boxes[i].Above
		untouched = untouched || above >= 0 && !begun[above] && l.kind.stateOf(l.boxes[above]) != checkpoint.Active
	}
	return found
}

// goneOn returns the task to continue with if people skipped the task "first", or -1 if they did not skip it. The field l.latest says which
// tasks were ticked most recently. People skipped "first" if all of these tasks come after it, and the last one of them is in another
// section. Within one section, the order of the ticks proves nothing. Work then continues with the first open task in or after that other
// section.
func goneOn(l *list, tasks []sources.Task, first int) int {
	if first < 0 || tasks[first].State != checkpoint.Pending {
		return -1
	}
	last := -1
	for n := range tasks[:min(len(tasks), len(l.latest))] {
		if l.latest[n] {
			if last = n; n < first {
				return -1
			}
		}
	}
	sections := l.sections()
	for n, t := range tasks {
		if number, _, ok := strings.Cut(t.ID, "."); ok { // tasks 2.1 and 2.2 are in another section than task 3.1, even below the same heading
			sections[n] += "\x00" + number
		}
	}
	if last < 0 || sections[first] == sections[last] {
		return -1
	}
	begin := slices.Index(sections, sections[last])
	next := slices.IndexFunc(tasks[begin:], func(t sources.Task) bool { return due(t) && t.State == checkpoint.Pending })
	if next < 0 {
		return -1
	}
	return begin + next
}

// passedBy is how many later sections must be complete before an open task counts as passed over.
const passedBy = 2

// doneHeading matches a heading that says that its section is done, as in "Phase 2: Storage ✅" or "Phase 2 (completed)".
var doneHeading = textdoc.NewForm(`(?i)[✅✔☑]|[(\[](?:complete|completed|done|x)[)\]]`)

// passed returns for each task whether people left it open and continued with later work. This is assumed in two cases. Either the
// heading says that the section is done, and most of its tasks are. Or the task is the only open one of its section, was not started, and
// at least passedBy later sections are complete.
func (l *list) passed(tasks []sources.Task) []bool {
	sections := l.sections()
	size, open := map[string]int{}, map[string]int{}
	var order []string
	for n, t := range tasks {
		if t.Aside || t.Optional || t.State == checkpoint.Skipped {
			continue
		}
		s := sections[n]
		if size[s]++; size[s] == 1 {
			order = append(order, s)
		}
		if t.State != checkpoint.Done {
			open[s]++
		}
	}
	headed := doneHeadings(l.boxes, tasks)
	over, complete := map[string]bool{}, 0
	for _, s := range slices.Backward(order) {
		over[s] = complete >= passedBy && open[s] == 1 && size[s] > 1
		if open[s] == 0 {
			complete++
		}
	}
	out := make([]bool, len(tasks))
	for n, t := range tasks {
		out[n] = unticked(t) && (over[sections[n]] && t.State == checkpoint.Pending || headed[n])
	}
	return out
}

// doneHeadings returns for each task whether the heading above it says that the section is done, and most tasks of the section are.
func doneHeadings(boxes []textdoc.Box, tasks []sources.Task) []bool {
	balance := map[string]int{} // maps each heading to the number of done tasks minus the number of open tasks
	headings := make([]string, len(tasks))
	for n, i := range leaves(boxes) {
		for boxes[i].Above >= 0 {
			i = boxes[i].Above
		}
		if n >= len(tasks) || !doneHeading.MatchString(boxes[i].Phase) {
			continue
		}
		headings[n] = boxes[i].Phase
		switch {
		case tasks[n].State == checkpoint.Done:
			balance[headings[n]]++
		case unticked(tasks[n]):
			balance[headings[n]]--
		}
	}
	out := make([]bool, len(tasks))
	for n, heading := range headings {
		out[n] = heading != "" && balance[heading] > 0
	}
	return out
}

// sections returns the section of each task. Usually this is its heading. If there is none, or if the whole list is below one heading, it
// is the outermost box above the task. All tasks that have no box above them either are one section.
func (l *list) sections() []string {
	tops, headings := []int{}, map[string]bool{}
	for _, i := range leaves(l.boxes) {
		for l.boxes[i].Above >= 0 {
			i = l.boxes[i].Above
		}
		tops = append(tops, i)
		headings[l.boxes[i].Phase] = true
	}
	out := make([]string, len(tops))
	for n, i := range tops {
		switch {
		case len(headings) > 1 && l.boxes[i].Phase != "":
			out[n] = l.boxes[i].Phase
		case l.boxes[i].Parent:
			out[n] = l.boxes[i].ID + "\x00" + l.boxes[i].Title
		}
	}
	return out
}
