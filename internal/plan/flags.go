package plan

import (
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/git-resume/git-resume/internal/textdoc"
)

// FromFlags makes a plan from a name and tasks on the command line. A task is "id", "id: title", or free text. From
// free text, FromFlags makes an id. A plan without tasks is valid: tasks can be reported later, during the run.
func FromFlags(name string, tasks []string) (Plan, error) {
	faults := &collector{}
	p := Plan{Name: strings.TrimSpace(name), Tasks: make([]Task, len(tasks))}
	if !utf8.ValidString(name) {
		faults.add(0, "the name "+quote(name)+" is not UTF-8 text", "write it in UTF-8")
	}
	ids := namer{}
	for i, arg := range tasks {
		p.Tasks[i].ID, p.Tasks[i].Title = splitTask(arg)
		ids.take(p.Tasks[i].ID)
	}
	for i, arg := range tasks {
		if t := &p.Tasks[i]; t.ID == "" && t.Title != "" {
			t.ID = ids.make(t.Title)
		}
		switch {
		case !utf8.ValidString(arg):
			faults.add(0, fmt.Sprintf("task %d, %s, is not UTF-8 text", i+1, quote(arg)), "write it in UTF-8")
		case p.Tasks[i].ID == "":
			faults.add(0, fmt.Sprintf("task %d has no text", i+1), "write an id, 'id: title', or a few words")
		}
	}
	if faults.err() == nil {
		check(p, nil, faults)
	}
	if err := faults.err(); err != nil {
		return Plan{}, err
	}
	return p, nil
}

// splitTask splits an argument into id and title. For free text, the id is empty.
func splitTask(arg string) (id, title string) {
	arg = strings.TrimSpace(arg)
	if head, rest, ok := strings.Cut(arg, ": "); ok && idFault(head) == "" {
		return head, textdoc.OneLine(rest)
	}
	if arg != "" && idFault(arg) == "" {
		return arg, ""
	}
	return "", textdoc.OneLine(arg)
}

// namer makes unique ids from text. It remembers the ids that are taken.
type namer map[string]int

func (n namer) take(id string) { n[id] = 1 }

// make returns a unique id for a text: its slug or, if that is taken, the slug with a number, for example "fix-bug-2". For a text without
// ASCII letters and digits, it uses a checksum as the slug. The position of a task does not matter, so a task usually keeps its id when
// other tasks are inserted before it.
func (n namer) make(text string) string {
	slug := words(text)
	if slug == "" {
		slug = fmt.Sprintf("task-%06x", crc32.ChecksumIEEE([]byte(text))&0xffffff)
	}
	id := slug
	for n[id] > 0 {
		n[slug]++
		id = slug + "-" + strconv.Itoa(n[slug])
	}
	n[id] = 1
	return id
}
