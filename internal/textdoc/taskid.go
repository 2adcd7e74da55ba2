package textdoc

import "strings"

// This file finds the id of a task at the beginning of a list item's text, as people write it: T001, T-12, TASK-3, 1.2, B.1.2 or [T001]. It
// uses no regular expressions, because compiling them takes longer than reading most lists.

// cutTaskID splits a text such as "T001: write it", "Task 1.2 - write it" or "3. write it" into the id and the rest. The result "bare" is
// true if the id is only a number.
func cutTaskID(text string) (id, rest string, bare, ok bool) {
	s := afterTaskWord(text)
	if n := idLength(s); n > 0 {
		if rest, ok := cutAfterID(s[n:]); ok {
			return s[:n], rest, false, true
		}
	}
	n := digits(s)
	if n == 0 || n == len(s) || !strings.ContainsRune(".:)", rune(s[n])) {
		return "", text, false, false
	}
	rest = strings.TrimLeft(s[n+1:], " ")
	if rest != "" && len(rest) == len(s)-n-1 {
		return "", text, false, false // no blank follows, as in "3.x"
	}
	return s[:n], rest, true, true
}

// cutIDInBrackets splits a text such as "[T001] write it" into the id and the rest.
func cutIDInBrackets(text string) (id, rest string, ok bool) {
	inner, ok := strings.CutPrefix(text, "[")
	n := idLength(inner)
	if !ok || n == 0 || !strings.HasPrefix(inner[n:], "]") {
		return "", text, false
	}
	after := inner[n+1:]
	if after == "" {
		return inner[:n], "", true
	}
	after = strings.TrimPrefix(after, ":")
	rest = strings.TrimLeft(after, " ")
	return inner[:n], rest, len(rest) < len(after)
}

// afterTaskWord removes the word "task" and the blanks after it from the beginning of a text. The word can be in upper or lower case.
func afterTaskWord(text string) string {
	const word = "task"
	if len(text) <= len(word) || text[len(word)] != ' ' || !strings.EqualFold(text[:len(word)], word) {
		return text
	}
	return strings.TrimLeft(text[len(word):], " ")
}

// These limits keep numbers that are not ids, such as dates and amounts, from being read as ids.
const (
	mostDigits   = 6
	mostSegments = 6
)

// idLength returns the length of the id with which a text begins, or 0. A single number without T, TASK or another letter does not count.
func idLength(s string) int {
	at := 0
	for _, prefix := range []string{"TASK", "T"} {
		if strings.HasPrefix(s, prefix) {
			at = len(prefix)
			if strings.HasPrefix(s[at:], "-") {
				at++
			}
			break
		}
	}
	named, lettered := at > 0, false
	if len(s) > 2 && 'A' <= s[0] && s[0] <= 'Z' && s[1] == '.' { // a letter for the section, as in B.1.2
		at, named, lettered = 2, false, true
	}
	n := digits(s[at:])
	if n == 0 {
		return 0
	}
	at += n
	segments := 1
	for segments < mostSegments && strings.HasPrefix(s[at:], ".") {
		n := digits(s[at+1:])
		if n == 0 {
			break
		}
		at += 1 + n
		segments++
	}
	switch {
	case !named && !lettered && segments == 1:
		return 0
	case named && at < len(s) && 'a' <= s[at] && s[at] <= 'z': // a letter may follow the number, as in T012a
		at++
	}
	return at
}

// digits returns how many digits a text begins with. It returns 0 if there are too many for an id.
func digits(s string) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	if n > mostDigits {
		return 0
	}
	return n
}

// cutAfterID removes what separates an id from the text after it: punctuation, blanks, and a dash or a colon between blanks. It returns
// false if the text continues without a blank.
func cutAfterID(s string) (rest string, ok bool) {
	s = strings.TrimLeft(s, ".:)")
	if s == "" {
		return "", true
	}
	rest = strings.TrimLeft(s, " ")
	if len(rest) == len(s) {
		return "", false
	}
	for _, dash := range []string{"-", "–", "—", ":"} {
		if after, found := strings.CutPrefix(rest, dash); found && strings.HasPrefix(after, " ") {
			return strings.TrimLeft(after, " "), true
		}
	}
	return rest, true
}
