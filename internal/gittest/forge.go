package gittest

import (
	"fmt"
	"strings"
)

// Forge writes the journal of a run using only git, as a stranger could, and publishes it as notes. It returns the commit of the notes.
// Each line is the inside of a JSON object, such as `"event":"run.paused"`. Forge adds sequence number, id, time and version. Existing
// notes of the run stay.
func (r *Repo) Forge(run string, lines ...string) string {
	r.T.Helper()
	return r.ForgeAfter(0, run, lines...)
}

// ForgeAfter is like Forge, but its sequence numbers continue after the given number.
func (r *Repo) ForgeAfter(last int, run string, lines ...string) string {
	r.T.Helper()
	ref, on := "refs/notes/resume/"+run, r.Git("rev-parse", "HEAD")
	var text, entries strings.Builder
	if old, code := r.Try("git", "ls-tree", "-r", ref); code == 0 {
		for entry := range strings.Lines(old) {
			meta, path, _ := strings.Cut(strings.TrimRight(entry, "\n"), "\t")
			if path = strings.ReplaceAll(path, "/", ""); path == on {
				text.WriteString(r.Git("cat-file", "blob", strings.Fields(meta)[2]) + "\n")
				continue
			}
			fmt.Fprintf(&entries, "%s\t%s\n", meta, path)
		}
	}
	for i, line := range lines {
		n := last + i + 1
		fmt.Fprintf(&text, `{"seq":"%010d","id":"evil.%d","at":"2030-01-02T03:04:05.000000Z",%s,"v":1}`+"\n", n, n, line)
	}
	fmt.Fprintf(&entries, "100644 blob %s\t%s\n", strings.TrimSpace(r.Pipe(text.String(), "hash-object", "-w", "--stdin")), on)
	tree := strings.TrimSpace(r.Pipe(entries.String(), "mktree"))
	commit := r.Git("commit-tree", "-m", "notes", tree)
	r.Git("update-ref", ref, commit)
	return commit
}
