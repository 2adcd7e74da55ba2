package bmad

import (
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

const (
	info    = conflicts.Info
	warning = conflicts.Warning

	// mostStories limits how many stories of a table are read, and longestKey limits the length of their keys in bytes.
	mostStories = 5000
	longestKey  = 200
)

type table struct {
	location string // the folder of the story files, as the table names it
	epics    map[string]*epic
	stories  []*story
	numbers  map[string]int // maps each number to how many stories have it
	keys     map[string]bool
	cut      int // the number of stories that were not read
}

type epic struct {
	key, raw string
	means    sources.Meaning
}

// story is one story of the table.
type story struct {
	// key is the key in the table, such as 1-2-sell-cards. The field number is its number, such as 1-2, or empty.
	key, number string
	epic        *epic
	// raw is the status word in the table, and line its line number.
	raw  string
	line int
	// means is the meaning of the status, after the status was compared with the story file.
	means sources.Meaning
	order int
	// file is the path of the story file, or empty. The fields title, said, done, open, followUp, box and within come from that file. If it
	// was not read, the title comes from the key, and the other fields are empty.
	file        string
	title       string
	said        string // the status word of the story file
	done, open  int
	box, within string // the text of the open box at which the work continues, and of the box above it; empty if there is none
	followUp    bool   // true if that box is a follow-up task, which a review added
	// touched is the time of the last commit that changed the story file.
	touched time.Time
	// passed means that people left this story open: they continued with a later story, or the epic is done.
	passed bool
	// refused says which review asked for changes that nobody has made yet. It is empty if there is none.
	refused string
	// named is a commit that names the story and is newer than the table. It shows that the story was carried out, although its status
	// does not say so.
	named object.ID
}

// keyForm matches story keys such as "1-2-login", which name an epic, the story and a title. The epic may begin with letters.
var keyForm = textdoc.NewForm(`^([a-z]{0,6}-?[0-9]+[a-z]?)-([0-9]+[a-z]?)(?:-(.*))?$`)

// parse reads a table line by line, because tables often contain text that is not valid YAML, such as a path that begins with a brace.
func parse(data []byte) (*table, error) {
	text, err := textdoc.Markdown(data)
	if err != nil {
		return nil, err
	}
	t := &table{epics: map[string]*epic{}, numbers: map[string]int{}, keys: map[string]bool{}}
	inside, indent := false, 0
	var last *epic
	var open *story // the story whose status may follow on the next lines
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimRight(line, " \t\r")
		plain := strings.TrimLeft(line, " \t")
		key, value, ok := strings.Cut(plain, ":")
		if plain == "" || plain[0] == '#' || !ok || value != "" && !textdoc.IsBlank(value[0]) {
			continue
		}
		key = strings.Trim(key, `"'`)
		value, _ = word(value)
		depth := len(line) - len(plain)
		switch {
		case depth == 0:
			if inside, indent = key == "development_status", 0; key == "story_location" {
				t.location = value
			}
			open = nil
			continue
		case !inside || key == "" || len(key) > longestKey:
			continue
		case indent == 0:
			indent = depth
		}
		if depth > indent {
			if open != nil && key == "status" {
				open.raw, open.line = value, i+1
			}
			continue
		}
		e, isStory := t.add(key, value, i+1, last)
		if open = nil; isStory {
			open = t.stories[len(t.stories)-1]
		} else if e != nil {
			last = e
		}
	}
	for _, st := range t.stories {
		if e := t.epics[st.leading()]; e != nil {
			st.epic = e
		}
		if st.means = sources.MeaningOf(st.raw); st.raw == "" {
			st.means = sources.MeansPending
		}
		if st.epic != nil && st.epic.means == sources.MeansClosed && !st.closed() {
			st.means = sources.MeansClosed
		}
	}
	return t, nil
}

// word returns the value of a line without quotes and without a comment, and the offset at which the word starts.
func word(value string) (string, int) {
	trimmed := strings.TrimLeft(value, " \t")
	at := len(value) - len(trimmed)
	if trimmed != "" && (trimmed[0] == '"' || trimmed[0] == '\'') {
		if end := strings.IndexByte(trimmed[1:], trimmed[0]); end >= 0 {
			return trimmed[1 : 1+end], at + 1
		}
	}
	if c := strings.Index(trimmed, "#"); c == 0 || c > 0 && textdoc.IsBlank(trimmed[c-1]) {
		trimmed = trimmed[:c]
	}
	return strings.TrimRight(trimmed, " \t"), at
}

// add adds an entry of the table. If the entry is an epic, it returns the epic. The second result is true if the entry was added as a
// story. Retrospectives and some other entries are ignored.
func (t *table) add(key, value string, line int, last *epic) (*epic, bool) {
	if number, ok := strings.CutPrefix(key, "epic-"); ok {
		if strings.Contains(number, "-retro") {
			return nil, false
		}
		e := &epic{key: key, raw: value, means: sources.MeaningOf(value)}
		t.epics[number] = e
		return e, false
	}
	if strings.Contains(key, "retrospective") {
		return nil, false
	}
	if len(t.stories) >= mostStories {
		t.cut++
		return nil, false
	}
	st := &story{key: textdoc.OneLine(key), raw: value, line: line, order: len(t.stories), epic: last}
	if t.keys[st.key] {
		return nil, false // the first of two stories with the same key counts
	}
	t.keys[st.key] = true
	if m := keyForm.FindStringSubmatch(strings.ToLower(key)); m != nil {
		st.number = m[1] + "-" + m[2]
		t.numbers[st.number]++
		st.title = strings.ReplaceAll(m[3], "-", " ")
	} else {
		st.title = strings.ReplaceAll(st.key, "-", " ")
	}
	t.stories = append(t.stories, st)
	return nil, true
}

// isNamed reports whether the name of a file, without its ending, begins with the number of the story.
func (st *story) isNamed(stem string) bool { return numberIn(stem) == st.number && st.number != "" }

// numberIn returns the number of the story in the name of a file, for example 1-2 in "1.2-sell-cards" and in "story-1-2", or "".
func numberIn(stem string) string {
	m := keyForm.FindStringSubmatch(strings.ReplaceAll(strings.TrimPrefix(strings.ToLower(stem), "story-"), ".", "-"))
	if m == nil {
		return ""
	}
	return m[1] + "-" + m[2]
}

// leading returns the number of the epic in the number of a story: "1" for 1-2-sell-cards. It is empty if the story has no number.
func (st *story) leading() string {
	if at := strings.LastIndexByte(st.number, '-'); at >= 0 {
		return st.number[:at]
	}
	return ""
}

func (st *story) closed() bool {
	return st.means == sources.MeansDone || st.means == sources.MeansClosed
}

func (st *story) active() bool {
	return st.means == sources.MeansInProgress || st.means == sources.MeansBlocked || st.means == sources.MeansFailed
}

// started reports whether somebody has worked on the story, according to its status.
func (st *story) started() bool {
	return st.active() || st.means == sources.MeansReview || st.means == sources.MeansDone
}

// state converts the status of a story into a task state. A story in review waits for somebody else, so it is not in progress.
func (st *story) state() checkpoint.TaskState {
	if st.means == sources.MeansReview {
		return sources.TaskWaiting
	}
	return st.means.TaskState()
}

// label returns the number and the title of a story, as shown to people. For a story without a number it returns the key.
func (st *story) label() string {
	if st.number == "" {
		return st.key
	}
	return strings.TrimSpace(strings.ReplaceAll(st.number, "-", ".") + " " + st.title)
}

// heading matches the title of a story file, such as "Story 1.2: sell cards".
var heading = textdoc.NewForm(`(?i)^(?:user )?story\s*#?[a-z]{0,6}-?[0-9]+[a-z]?(?:[.-][0-9]+[a-z]?)*\s*[:–—-]\s*(.+)$`)

// readFile reads the title, the status and the boxes of a story file.
func (st *story) readFile(data []byte) {
	text := textdoc.Text(data)
	lines := textdoc.Visible(text)
	sections := textdoc.Sections(lines)
	if len(sections) > 0 && sections[0].Level == 1 {
		if m := heading.FindStringSubmatch(sections[0].Title); m != nil {
			st.title = textdoc.Shorten(textdoc.OneLine(m[1]), 120)
		}
	}
	if at := statusLine(lines); at >= 0 {
		_, value, _ := textdoc.Label(lines[at].Text)
		st.said = textdoc.OneLine(value)
	}
	for _, sec := range sections {
		title := strings.ToLower(sec.Title)
		if strings.HasPrefix(title, "tasks") || strings.HasPrefix(title, "review follow-ups") || strings.HasPrefix(title, "senior developer review") {
			st.countBoxes(sec)
			if strings.HasPrefix(title, "tasks") && st.done+st.open > 0 {
				return
			}
		}
	}
}

// statusLine returns the index of the line with the status of a story, or -1.
func statusLine(lines []textdoc.Line) int {
	const head = 40
	for i, l := range lines[:min(len(lines), head)] {
		if key, value, ok := textdoc.Label(l.Text); ok && strings.EqualFold(key, "status") && value != "" {
			return i
		}
	}
	return -1
}

// countBoxes counts the boxes in a section, and notes where the work on them continues. This is the first open box that is left from a
// review. If there is none, it is the first open box that has no open boxes below it.
func (st *story) countBoxes(sec textdoc.Section) {
	var b strings.Builder
	for _, l := range sec.Body {
		b.WriteString(l.Text + "\n")
	}
	boxes, _ := textdoc.Boxes(b.String())
	openBelow := map[int]bool{}
	for i := range boxes {
		if at := boxes[i].Above; at >= 0 && !boxes[i].Done && !boxes[i].Dropped {
			openBelow[at] = true
		}
	}
	for i, box := range boxes {
		switch {
		case box.Done || box.Dropped:
			st.done++
		case box.Parent && !openBelow[i]:
			st.done++ // no box below this box is open
		default:
			st.open++
			follows := strings.Contains(box.Title, "[AI-Review]") || strings.Contains(strings.ToLower(box.Phase), "follow-up")
			if openBelow[i] || box.Optional || st.box != "" && (st.followUp || !follows) {
				continue
			}
			st.box, st.within, st.followUp = boxText(sec, box), "", follows
			if box.Above >= 0 {
				st.within = boxText(sec, boxes[box.Above])
			}
		}
	}
}

// boxText returns the text after a box, including the number of the task, but without bold marks. It shortens a long text.
func boxText(sec textdoc.Section, box textdoc.Box) string {
	_, text, _ := strings.Cut(sec.Body[box.Line-1].Text, "]")
	return textdoc.Shorten(textdoc.OneLine(strings.NewReplacer("**", "", "__", "").Replace(text)), 120)
}
