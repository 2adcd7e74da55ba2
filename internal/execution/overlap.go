package execution

import "strings"

// Overlap reports whether a path could match a pattern in list a and a pattern in list b. The result may be true by mistake, because a
// class such as [a-c] counts as any character.
func Overlap(a, b []string) bool {
	for _, p := range a {
		for _, q := range b {
			if overlap(strings.Split(strings.TrimSuffix(p, "/"), "/"), strings.Split(strings.TrimSuffix(q, "/"), "/")) {
				return true
			}
		}
	}
	return false
}

// overlap compares two patterns, one path component after the other. The map "seen" remembers which remainders of the patterns were
// compared before. Without it, patterns with many "**" would take exponential time.
func overlap(p, q []string) bool {
	seen := map[[2]int]bool{}
	var rest func(i, j int) bool
	rest = func(i, j int) bool {
		if i == len(p) || j == len(q) {
			return true // a pattern that matches a folder matches everything in it
		}
		if was, ok := seen[[2]int{i, j}]; ok {
			return was
		}
		var same bool
		switch {
		case p[i] == "**":
			same = i+1 == len(p) || rest(i+1, j) || rest(i, j+1)
		case q[j] == "**":
			same = j+1 == len(q) || rest(i, j+1) || rest(i+1, j)
		default:
			same = partsOverlap(glob(p[i]), glob(q[j])) && rest(i+1, j+1)
		}
		seen[[2]int{i, j}] = same
		return same
	}
	return rest(0, 0)
}

// These are special tokens of a pattern. All other tokens are the characters themselves.
const (
	anyRun  rune = -1 // stands for "*"
	anyRune rune = -2 // stands for "?" or a class
)

// glob splits one part of a pattern into tokens.
func glob(part string) []rune {
	var out []rune
	for text := []rune(part); len(text) > 0; {
		switch c := text[0]; c {
		case '*':
			out, text = append(out, anyRun), text[1:]
		case '?':
			out, text = append(out, anyRune), text[1:]
		case '[':
			out, text = append(out, anyRune), text[classLength(text):]
		default:
			out, text = append(out, c), text[1:]
		}
	}
	return out
}

// classLength returns the length of the class at the beginning of the text, such as [a-z] or [^x].
func classLength(text []rune) int {
	i := 1
	if i < len(text) && text[i] == '^' {
		i++
	}
	for i++; i < len(text); i++ { // the first character belongs to the class, even if it is a bracket
		if text[i] == ']' {
			return i + 1
		}
	}
	return len(text)
}

// partsOverlap reports whether some file name matches both p and q.
func partsOverlap(p, q []rune) bool {
	// possible[j] says whether some text matches both the tokens of p that were handled so far and the first j tokens of q.
	possible := make([]bool, len(q)+1)
	possible[0] = true
	for j, c := range q {
		possible[j+1] = possible[j] && c == anyRun
	}
	for _, c := range p {
		next := make([]bool, len(q)+1)
		next[0] = possible[0] && c == anyRun
		for j, d := range q {
			switch {
			case c == anyRun || d == anyRun:
				next[j+1] = c == anyRun && (possible[j+1] || next[j]) || d == anyRun && (next[j] || possible[j+1])
			default:
				next[j+1] = possible[j] && (c == d || c == anyRune || d == anyRune)
			}
		}
		possible = next
	}
	return possible[len(q)]
}
