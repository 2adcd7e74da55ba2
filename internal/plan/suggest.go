package plan

import "slices"

// otherWords are keys that people bring along from other tools.
var otherWords = map[string]string{
	"after": "needs", "dependencies": "needs", "depends": "needs", "depends_on": "needs", "requires": "needs",
	"cmd": "run", "command": "run", "exec": "run", "script": "run", "shell": "run",
	"check": "verify", "test": "verify", "description": "title", "name": "title", "summary": "title",
	"choices": "options", "question": "ask", "prompt": "ask", "attempts": "retries", "retry": "retries", "branch": "base",
	"steps": "tasks", "jobs": "tasks", "todos": "tasks", "title": "name", "init": "setup", "section": "phase",
}

// closest is the known word that was probably meant, or empty.
func closest(word string, known []string) string {
	if other := otherWords[word]; slices.Contains(known, other) {
		return other
	}
	return Nearest(word, known)
}

// Nearest is the known word that a mistyped one is at most two letters away from, or empty.
func Nearest(word string, known []string) string {
	if len(word) > 40 {
		return ""
	}
	best, least := "", 3
	for _, k := range known {
		if d := distance(word, k); d < least && d < len(k) {
			best, least = k, d
		}
	}
	return best
}

// distance is how many letters to add, drop or change to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
