package plan

import "slices"

// otherWords maps keys that people know from other tools to our keys.
var otherWords = map[string]string{
	"after": "needs", "dependencies": "needs", "depends": "needs", "depends_on": "needs", "requires": "needs",
	"cmd": "run", "command": "run", "exec": "run", "script": "run", "shell": "run",
	"check": "verify", "test": "verify", "description": "title", "name": "title", "summary": "title",
	"choices": "options", "question": "ask", "prompt": "ask", "attempts": "retries", "retry": "retries", "branch": "base",
	"steps": "tasks", "jobs": "tasks", "todos": "tasks", "title": "name", "init": "setup", "section": "phase",
}

// closest returns the known word that the user probably meant, or "".
func closest(word string, known []string) string {
	if other := otherWords[word]; slices.Contains(known, other) {
		return other
	}
	return Nearest(word, known)
}

// Nearest returns the known word that is most similar to word, or "" if no known word is similar enough. A similar word has one typing
// mistake, or two if both words have at least seven letters: with two mistakes, "purge" would be like "merge". Two swapped letters are one
// mistake. A word of more than 40 bytes is similar to none.
func Nearest(word string, known []string) string {
	if len(word) > 40 {
		return ""
	}
	best, least := "", 3
	for _, k := range known {
		if d := distance(word, k); d < least && (d < 2 && len(k) > 1 || min(len(word), len(k)) >= 7) {
			best, least = k, d
		}
	}
	return best
}

// distance counts the typing mistakes between a and b: letters that were added, removed, changed, or swapped with the next letter.
func distance(a, b string) int {
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			change := row[j]
			if a[i] != b[j] {
				change++
			}
			next[j+1] = min(change, next[j]+1, row[j+1]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
