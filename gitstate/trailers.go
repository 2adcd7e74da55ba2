package gitstate

import (
	"slices"
	"strings"
)

// Trailer is one "Key: value" entry at the end of a commit message.
type Trailer struct{ Key, Value string }

// Trailers returns the trailers of a commit message, as git finds them with default settings (separator ":", comment
// character "#"), even if the user has other settings.
func Trailers(message string) []Trailer {
	lines := messageLines(message[:messageEnd(message)])
	start, ok := trailerBlock(lines)
	if !ok {
		return nil
	}
	var out []Trailer
	open := false // true if the next line may continue the last trailer
	for _, line := range lines[start:] {
		if open && (line == "" || isSpace(line[0])) {
			out[len(out)-1].Value += "\n" + line
			continue
		}
		key, value, ok := cutTrailer(line)
		if open = ok; ok {
			out = append(out, Trailer{key, value})
		}
	}
	for i := range out {
		out[i].Value = unfold(out[i].Value)
	}
	return out
}

// TrailerValues returns the values of one key. Upper and lower case do not matter.
func TrailerValues(message, key string) []string {
	var out []string
	for _, t := range Trailers(message) {
		if strings.EqualFold(t.Key, key) {
			out = append(out, t.Value)
		}
	}
	return out
}

// AddTrailers adds trailers at the end of a message, to its trailer block or in a new block. It does not repeat a trailer that the block
// already contains. Comments, and a patch after a scissors line, stay after the trailers, where git ignores them.
func AddTrailers(message string, add ...Trailer) string {
	end := textEnd(message)
	body, tail := strings.TrimRight(message[:end], blanks), strings.TrimLeft(message[end:], blanks)
	have := Trailers(body)
	_, block := trailerBlock(messageLines(body))
	var b strings.Builder
	b.WriteString(body)
	for _, t := range add {
		if slices.ContainsFunc(have, func(h Trailer) bool { return strings.EqualFold(h.Key, t.Key) && h.Value == t.Value }) {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		if !block {
			b.WriteByte('\n')
			block = true
		}
		b.WriteString(t.Key + ": " + t.Value)
	}
	return b.String() + "\n" + tail
}

// blanks are the characters that git treats as white space.
const blanks = " \t\r\n"

func isSpace(c byte) bool { return strings.IndexByte(blanks, c) >= 0 }

func isBlank(line string) bool { return strings.Trim(line, blanks) == "" }

func isComment(line string) bool { return strings.HasPrefix(line, "#") }

func messageLines(text string) []string {
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// messageEnd returns the position up to which git looks for trailers in a message. git ignores the scissors line of a verbose commit and
// everything after it. It also ignores comments, empty lines and an old git's list of conflicts at the end.
func messageEnd(message string) int {
	const scissors = "\n# ------------------------ >8 ------------------------\n"
	cut := len(message)
	if i := strings.Index("\n"+message, scissors); i >= 0 {
		cut = i
	}
	// tail is where the ignored lines at the end begin, or 0 if there are none. As in git, they cannot begin at the start of the message.
	at, tail, conflicts := 0, 0, false
	for line := range strings.Lines(message[:cut]) {
		list := line == "Conflicts:\n"
		conflicts = conflicts || list
		switch {
		case line == "\n", isComment(line), list:
			if tail == 0 {
				tail = at
			}
		case conflicts && line[0] == '\t':
		case tail > 0:
			tail, conflicts = 0, false
		}
		at += len(line)
	}
	if tail > 0 {
		return tail
	}
	return cut
}

// textEnd returns the end of the last line that is neither blank nor a comment. New trailers are added there, because a comment before them
// would separate them from the trailer block.
func textEnd(message string) int {
	end := messageEnd(message)
	for end > 0 {
		start := strings.LastIndexByte(message[:end-1], '\n') + 1
		if line := message[start:end]; !isBlank(line) && !isComment(line) {
			break
		}
		end = start
	}
	return end
}

// trailerBlock returns the index of the first line of the last paragraph, and whether that paragraph is a trailer block
// by git's rules.
func trailerBlock(lines []string) (start int, ok bool) {
	var c blockCount
	inside, title := false, endOfTitle(lines)
	for i := len(lines) - 1; i >= title; i-- {
		switch line := lines[i]; {
		case isComment(line):
			c.drop()
		case !isBlank(line):
			inside = true
			c.line(line)
		case inside:
			c.drop()
			return i + 1, c.isBlock()
		}
	}
	return 0, false
}

// blockCount counts the lines of a paragraph from the last to the first. Indented lines are loose until the line above them shows whether
// they continue a trailer.
type blockCount struct {
	trailers, others, loose int
	known                   bool
}

func (c *blockCount) line(line string) {
	_, _, trailer := cutTrailer(line)
	switch {
	case isGenerated(line):
		c.known = true
		c.trailers++
		c.loose = 0
	case trailer:
		c.trailers++
		c.loose = 0
	case isSpace(line[0]):
		c.loose++
	default:
		c.others++
		c.drop()
	}
}

// The method drop counts the indented lines in the field "loose" as ordinary lines, because there is no trailer directly above them.
func (c *blockCount) drop() {
	c.others += c.loose
	c.loose = 0
}

func (c *blockCount) isBlock() bool {
	return c.trailers > 0 && (c.others == 0 || c.known && c.trailers*3 >= c.others)
}

// endOfTitle returns the index of the first blank line, which ends the title. If there is none, it returns the number of lines.
func endOfTitle(lines []string) int {
	for i, line := range lines {
		if !isComment(line) && isBlank(line) {
			return i
		}
	}
	return len(lines)
}

// isGenerated recognizes "Signed-off-by:" and "(cherry picked from", which git itself adds at the end of a message.
func isGenerated(line string) bool {
	return strings.HasPrefix(line, "Signed-off-by: ") || strings.HasPrefix(line, "(cherry picked from commit ")
}

// cutTrailer splits "Key: value". A key consists of letters, digits and "-", and blanks may precede the separator.
func cutTrailer(line string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(line, ":")
	key = strings.TrimRight(key, " \t")
	if !ok || key == "" || strings.ContainsFunc(key, notKey) {
		return "", "", false
	}
	return key, value, true
}

func notKey(r rune) bool {
	return r != '-' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
}

// unfold joins a value of several lines into one line. Each line break and the blanks after it become one space.
func unfold(value string) string {
	first, rest, more := strings.Cut(strings.Trim(value, blanks), "\n")
	for more {
		var next string
		next, rest, more = strings.Cut(strings.TrimLeft(rest, blanks), "\n")
		first += " " + next
	}
	return strings.Trim(first, blanks)
}
