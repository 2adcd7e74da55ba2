// Package story reads the story files of the orchestrate tools: their ids, statuses, sections and history. It knows nothing about the
// workflows that work on them.
package story

import (
	"cmp"
	"crypto/sha1"
	"crypto/sha256"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/statefile"
	"github.com/git-resume/git-resume/internal/textdoc"
	"github.com/git-resume/git-resume/internal/textdoc/yamldoc"
)

// Story is a story file.
type Story struct {
	Path, ID, Key, Title string
	// Word is the status text from the file, and the field "line" is the number of its line. Phrase is the part of Word that gives the
	// status.
	Word, Phrase string
	line         int
	Meaning      sources.Meaning
	Text         string
	data         []byte
	Archived     bool
	// Problem is the warning about a file that could not be read, or nil if the file was read.
	Problem *sources.Doubt
	parts   *Parts
	// Home is the worktree from which the story was read.
	Home string
	// begun means that the story counts as in progress because some of its boxes are ticked, although its status is still "ready".
	begun bool
	// newer is a copy of the story that was changed later, in another worktree. It is nil if this copy is the newest.
	newer *Story
}

// Current returns the newest copy of the story.
func (s *Story) Current() *Story {
	if s.newer != nil {
		return s.newer
	}
	return s
}

// Live reports whether the story is in progress or in review, is not archived, and is the newest copy. A story with the status "ready" may
// count as in progress too, because some of its boxes are ticked.
func (s *Story) Live() bool {
	return !s.Archived && s.newer == nil && (s.Meaning == sources.MeansInProgress || s.Meaning == sources.MeansReview || s.begun)
}

// leftAtMost limits how many tasks of a finished story may still be open: one in this many. If more tasks are open, the story is only
// partly done.
const leftAtMost = 5

// SetBack is the status that a story gets when work on it is given up. Its ticked tasks then prove nothing.
const SetBack = "Ready"

// partlyTicked reports whether a story counts as partly done although its status says that it is ready: some of its tasks are ticked, and
// more than one in five are open. Only boxes in a section with tasks count. The result is false if the status is SetBack.
func (s *Story) partlyTicked() bool {
	if s.Meaning != sources.MeansReady || strings.EqualFold(s.Word, SetBack) || s.Archived || s.Problem != nil {
		return false
	}
	p := s.Read()
	return p.tasked && p.Done > 0 && p.Open*leftAtMost > p.Done+p.Open
}

// Parts holds what a story file says in its sections.
type Parts struct {
	Done, Open int // the numbers of ticked and open boxes
	// tasked means that the story has a section with tasks, so that only the boxes in this section were counted.
	tasked bool
	// NextBox is the text of the first open task.
	NextBox string
	// Log holds the entries of the change log: first the rows of its tables, then its list items.
	Log []string
	// Files are the files that the story lists as changed.
	Files []string
	Needs []string
	// Gate is the last review verdict written in the story.
	Gate string
}

const idForm = `(?:[A-Za-z][A-Za-z0-9]*-)*[0-9]+(?:[.-][0-9]+)*[a-z]?`

var (
	titleID   = textdoc.NewFormWith("0|1|2|3|4|5|6|7|8|9", `(?i)^#\s+(?:user\s+)?(?:story|história|historia)?[\s:#]*(`+idForm+`)(?:[\s:.—–-]|$)`)
	headerID  = textdoc.NewFormWith("id**|id:", `(?i)\*\*(?:story\s+)?id:?\*\*:?\s*(`+idForm+`)`)
	nameID    = textdoc.NewForm(`^(` + idForm + `)(?:$|[-._ ])`)
	wholeID   = textdoc.NewForm(`^` + idForm + `$`)
	numbers   = textdoc.NewFormWith("-", `^[0-9]+(?:-[0-9]+)+[a-z]?$`)
	storyMark = textdoc.NewFormWith("story", `(?i)^(?:user[-_ ]?)?story[-_ :#]*`)
	anyID     = textdoc.NewForm(`(?:[A-Z][A-Z0-9]*-)+[0-9]+[a-z]?|\b[0-9]+\.[0-9]+(?:\.[0-9]+)?[a-z]?\b`)
)

// IsID reports whether a name has exactly the form of a story id, without any other text.
func IsID(name string) bool { return wholeID.MatchString(name) }

// IDsIn returns the story ids in a text. The second argument limits their number. A negative limit means all ids.
func IDsIn(text string, most int) []string { return anyID.FindAllString(text, most) }

// LeadingID returns the story id at the start of a name, or an empty string.
func LeadingID(name string) string {
	if m := nameID.FindStringSubmatch(name); m != nil {
		return m[1]
	}
	return ""
}

// KeyOf normalizes a story id, so that story-4.2, STORY-4.2, 4-2 and 4.2 become equal.
func KeyOf(id string) string {
	id = strings.ToLower(strings.TrimSpace(id))
	if bare := storyMark.ReplaceAllString(id, ""); bare != "" {
		id = bare
	}
	if numbers.MatchString(id) && !isDated(id) {
		id = strings.ReplaceAll(id, "-", ".")
	}
	return id
}

// Titled returns "story" followed by the id. If the id already begins with "story", the word is not repeated.
func Titled(id string) string {
	if bare := storyMark.ReplaceAllString(id, ""); bare != "" {
		id = bare
	}
	return "story " + id
}

// isDated reports whether a name begins with a date, for example 2026-11-05 or 20261105.
func isDated(name string) bool {
	for i, size := range []int{4, 2, 2} {
		if i > 0 {
			name = strings.TrimPrefix(name, "-")
		}
		if len(name) < size || strings.Trim(name[:size], "0123456789") != "" {
			return false
		}
		name = name[size:]
	}
	return name == "" || strings.ContainsAny(name[:1], "-_.")
}

// IsFile reports whether a file name has the form of a story file. It is "story.md", or it ends with ".story.md". Other names that end with
// ".md" count if they begin with "story-", "story_", a date, or an id with a digit first, as in "4.2-login.md".
func IsFile(name string) bool {
	low := strings.ToLower(name)
	if !strings.HasSuffix(low, ".md") {
		return false
	}
	return strings.HasSuffix(low, ".story.md") || low == "story.md" || strings.HasPrefix(low, "story-") || strings.HasPrefix(low, "story_") ||
		low[0] >= '0' && low[0] <= '9' && (isDated(low) || nameID.MatchString(low))
}

// IDOf returns the id in the name of a story file, or in the name of its folder if the file is called story.md. For example,
// "story-3.11b-quality.md" gives "3.11b". If the name begins with a date or has no id, IDOf returns the name without "story-" and the
// ending.
func IDOf(name string) string {
	base := path.Base(name)
	if strings.EqualFold(base, "story.md") {
		base = path.Base(path.Dir(name))
	}
	stem := strings.TrimSuffix(strings.TrimSuffix(base, ".md"), ".story")
	stem = storyMark.ReplaceAllString(stem, "")
	if isDated(stem) {
		return stem
	}
	return cmp.Or(LeadingID(stem), stem)
}

// headLines is the number of lines at the top of a story that are searched for its id, title, status line and dependencies.
const headLines = 80

// Parse reads a story file.
func Parse(name string, data []byte) *Story {
	s := &Story{Path: name, Text: textdoc.Text(data), data: data}
	front, body, err := yamldoc.FrontMatter(s.Text)
	if err != nil {
		front, body = textdoc.Value{}, s.Text
	}
	head := textdoc.Visible(firstLines(s.Text, headLines))
	s.ID = storyID(name, front, head)
	s.Key = KeyOf(s.ID)
	for _, l := range head {
		if t, ok := strings.CutPrefix(l.Text, "# "); ok {
			s.Title = statefile.Short(strings.TrimSpace(t))
			break
		}
	}
	s.status(head)
	if s.Word == "" && front.Get("status").Text() != "" && body != s.Text {
		s.Word, s.line = front.Get("status").Text(), lineOf(s.Text, "status:")
	}
	s.Meaning, s.Phrase = statefile.MeaningOf(s.Word)
	return s
}

// firstLines returns the first lines of a text. The second argument limits their number.
func firstLines(text string, most int) string {
	at := 0
	for range most {
		next := strings.IndexByte(text[at:], '\n')
		if next < 0 {
			return text
		}
		at += next + 1
	}
	return text[:at]
}

// Blob returns the id that git would give to the file's content. It is a SHA-256 id if "like" is one, and otherwise a SHA-1 id.
func (s *Story) Blob(like object.ID) object.ID {
	content := slices.Concat([]byte(fmt.Sprintf("blob %d\x00", len(s.data))), s.data)
	if len(like) == 2*sha256.Size {
		return object.ID(fmt.Sprintf("%x", sha256.Sum256(content)))
	}
	return object.ID(fmt.Sprintf("%x", sha1.Sum(content)))
}

func storyID(name string, front textdoc.Value, head []textdoc.Line) string {
	for _, key := range []string{"story_id", "storyId", "id", "story"} {
		if id := front.Get(key).Text(); wholeID.MatchString(id) {
			return id
		}
	}
	for _, form := range []*textdoc.Form{headerID, titleID} {
		for _, l := range head {
			if m := form.FindStringSubmatch(l.Text); m != nil {
				return m[1]
			}
		}
	}
	return IDOf(name)
}

var statusForm = textdoc.NewFormWith("status", `(?i)^[\s>*+|#-]*[*_]*status[*_]*\s*[:|][*_]*\s*(.*?)\s*\|?\s*$`)

// status finds the status, either in a line near the top or below a status heading.
func (s *Story) status(head []textdoc.Line) {
	for _, l := range head {
		if m := statusForm.FindStringSubmatch(l.Text); m != nil && strings.Trim(m[1], "*_- ") != "" {
			s.Word, s.line = cleanWord(m[1]), l.Number
			return
		}
	}
	section, ok := textdoc.SectionOf(plainTitles(textdoc.Sections(textdoc.Visible(s.Text))), "status", "story status")
	if !ok {
		return
	}
	for _, l := range section.Body {
		text := strings.TrimSpace(l.Text)
		if m := boxForm.FindStringSubmatch(text); m != nil {
			// If the story lists all possible statuses with boxes, the last ticked box gives the status.
			if m[1] != " " {
				s.Word, s.line = cleanWord(m[2]), l.Number
			}
			continue
		}
		if text != "" && s.Word == "" {
			s.Word, s.line = cleanWord(strings.TrimLeft(text, "-*> ")), l.Number
			return
		}
	}
}

// WithStatus returns the story's content with the given word as its new status. It fails if the line of the status does not contain the old
// status exactly once, or if the status is a ticked box.
func (s *Story) WithStatus(data []byte, word string) ([]byte, error) {
	lines := strings.SplitAfter(string(data), "\n")
	if s.line < 1 || s.line > len(lines) || strings.Count(lines[s.line-1], s.Phrase) != 1 || boxForm.MatchString(strings.TrimRight(lines[s.line-1], "\r\n")) {
		return nil, fmt.Errorf("the status of story %s is not written in a way that lets git-resume change it; edit the status by hand", s.ID)
	}
	lines[s.line-1] = strings.Replace(lines[s.line-1], s.Phrase, word, 1)
	return []byte(strings.Join(lines, "")), nil
}

// cleanWord returns the first part of a status, without formatting.
func cleanWord(s string) string {
	s, _, _ = strings.Cut(s, "<br")
	s, _, _ = strings.Cut(s, " | ")
	return strings.TrimSpace(strings.Trim(strings.TrimSpace(s), "*_` "))
}

func lineOf(text, prefix string) int {
	for i, l := range strings.Split(text, "\n") {
		if strings.HasPrefix(strings.ToLower(l), prefix) {
			return i + 1
		}
	}
	return 0
}
