package plan

import (
	"fmt"

	"github.com/git-resume/git-resume/internal/textdoc"
)

const cureNoBoxes = "write each task on a line of its own as '- [ ] text'"

// readBoxes makes a plan from the checkboxes in a Markdown text. A box that contains nested boxes is a phase; every other box is a task.
func readBoxes(text string, faults *collector) (Plan, places) {
	var leaves []textdoc.Box
	for _, b := range scan(text, faults) {
		if !b.Parent {
			leaves = append(leaves, b)
		}
	}
	if len(leaves) == 0 && len(faults.kept) == 0 {
		faults.add(0, "the plan has no task boxes", cureNoBoxes)
	}
	p, at := Plan{Tasks: make([]Task, len(leaves))}, places{}
	ids := boxIDs(leaves)
	for i, b := range leaves {
		at[place{i, "", whole}] = b.Line
		p.Tasks[i] = Task{ID: ids[i], Title: b.Title, Phase: b.Phase, Done: b.Done, Optional: b.Optional}
	}
	return p, at
}

// Boxes returns the checkboxes of a Markdown text in order, including those that contain nested boxes. It also returns an error if a code
// block or comment that is never closed hides further boxes. For a text that cannot be used at all, such as an empty one or one with too
// many boxes, it returns an error and no boxes.
func Boxes(file string, data []byte) ([]textdoc.Box, error) {
	faults := &collector{file: file, ifEmpty: cureNoBoxes}
	text, ok := prepare(data, maxFile, faults)
	if !ok {
		return nil, faults.err()
	}
	all := scan(string(text), faults)
	if n := len(all); n > maxTasks {
		faults.add(0, fmt.Sprintf("the list has %d boxes, but at most %d are allowed", n, maxTasks), "split it into several lists")
		return nil, faults.err()
	}
	unnumber(all)
	return all, faults.err()
}

// unnumber removes the ids that are only numbers and appear more than once. Such a number is a position in a list.
func unnumber(boxes []textdoc.Box) {
	count := map[string]int{}
	for _, b := range boxes {
		count[b.ID]++
	}
	for i := range boxes {
		if boxes[i].Bare && count[boxes[i].ID] > 1 {
			boxes[i].ID = ""
		}
	}
}

// boxIDs gives every box an id: the id in its text, or otherwise an id made from its text.
func boxIDs(boxes []textdoc.Box) []string {
	unnumber(boxes)
	ids, taken := make([]string, len(boxes)), namer{}
	for i, b := range boxes {
		if ids[i] = b.ID; b.ID != "" {
			taken.take(b.ID)
		}
	}
	for i, b := range boxes {
		if b.ID == "" {
			ids[i] = taken.make(b.Title)
		}
	}
	return ids
}

// scan returns the boxes of a text. It adds a fault if a code block or comment is never closed and hides further boxes.
func scan(text string, faults *collector) []textdoc.Box {
	boxes, hides := textdoc.Boxes(text)
	if hides != nil {
		faults.add(hides.Line, "the "+hides.What+" that begins here has no end and hides task boxes", "close it with '"+textdoc.Shorten(hides.End, 20)+"'")
	}
	return boxes
}
