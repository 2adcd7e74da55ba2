package gitstate

import (
	"slices"
	"strings"
)

// Trailer is one "Key: value" line at the end of a message.
type Trailer struct{ Key, Value string }

// Trailers reads the trailers of a commit message as git does under neutral settings
// (separator ":", comment character "#"), whatever the user's own settings are.
// Only the last paragraph counts, and only if it is a trailer block.
func Trailers(message string) []Trailer {
	lines := strings.Split(strings.TrimRight(withoutPatch(message), "\n"), "\n")
	start, ok := trailerBlock(lines)
	if !ok {
		return nil
	}
	var out []Trailer
	for _, line := range lines[start:] {
		switch {
		case isComment(line):
		case isContinuation(line) && len(out) > 0:
			out[len(out)-1].Value = strings.TrimRight(out[len(out)-1].Value+" "+strings.TrimSpace(line), " ")
		default:
			if key, value, ok := cutTrailer(line); ok {
				out = append(out, Trailer{key, value})
			}
		}
	}
	return out
}

// TrailerValues are the values of one key, which is compared without case.
func TrailerValues(message, key string) []string {
	var out []string
	for _, t := range Trailers(message) {
		if strings.EqualFold(t.Key, key) {
			out = append(out, t.Value)
		}
	}
	return out
}

// AddTrailers puts trailers at the end of a message, in the block that is there or in one of its own.
// A trailer that the block already has, key and value, is not repeated.
func AddTrailers(message string, add ...Trailer) string {
	body := strings.TrimRight(withoutPatch(message), "\n \t")
	have := Trailers(body)
	block := len(have) > 0
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
	return b.String() + "\n"
}

// trailerBlock finds where the last paragraph begins and whether it is a trailer block:
// not the title, and either only trailers, or at least one that git itself writes and no more than
// three other lines for each trailer.
func trailerBlock(lines []string) (start int, ok bool) {
	for len(lines) > 0 && (strings.TrimSpace(lines[len(lines)-1]) == "" || isComment(lines[len(lines)-1])) {
		lines = lines[:len(lines)-1]
	}
	end, title := len(lines), endOfTitle(lines)
	trailers, others, known, loose := 0, 0, false, 0
	for start = end - 1; start >= title; start-- {
		line := lines[start]
		if isComment(line) {
			others += loose
			loose = 0
			continue
		}
		if strings.TrimSpace(line) == "" {
			others += loose
			return start + 1, trailers > 0 && (others == 0 || known && trailers*3 >= others)
		}
		_, _, is := cutTrailer(line)
		switch {
		case isGenerated(line):
			known = true
			trailers++
			loose = 0
		case isContinuation(line):
			loose++
		case is:
			trailers++
			loose = 0
		default:
			others += 1 + loose
			loose = 0
		}
	}
	return 0, false
}

// endOfTitle is the line behind the first paragraph.
func endOfTitle(lines []string) int {
	for i, line := range lines {
		if isComment(line) {
			continue
		}
		if strings.TrimSpace(line) == "" {
			return i
		}
	}
	return len(lines)
}

func isComment(line string) bool { return strings.HasPrefix(line, "#") }

func isContinuation(line string) bool {
	return line != "" && (line[0] == ' ' || line[0] == '\t') && strings.TrimSpace(line) != ""
}

// isGenerated knows the lines that git itself puts at the end of messages.
func isGenerated(line string) bool {
	return strings.HasPrefix(line, "Signed-off-by: ") || strings.HasPrefix(line, "(cherry picked from commit ")
}

// cutTrailer splits "Key: value"; a key is letters, digits and "-", with blanks allowed before the separator.
func cutTrailer(line string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(line, ":")
	key = strings.TrimRight(key, " \t")
	if !ok || key == "" || strings.ContainsFunc(key, notKey) {
		return "", "", false
	}
	return key, strings.TrimSpace(value), true
}

func notKey(r rune) bool {
	return r != '-' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
}

// withoutPatch cuts what follows a "---" line, as git does when it looks for trailers in a mail.
// A commit's message keeps such a line as text, so nothing is cut here beyond the scissors of verbose commits.
func withoutPatch(message string) string {
	const scissors = "# ------------------------ >8 ------------------------\n"
	if i := strings.Index("\n"+message, "\n"+scissors); i >= 0 {
		return message[:i]
	}
	return message
}
