package bmad

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// Act computes how the chosen action changes the status of a story: one word in the table, and one word in the story file if that file has
// a status line. Comments and everything else stay the same.
func (Source) Act(_ context.Context, v *sources.View, f *sources.Found, w sources.ActionRequest) ([]sources.Change, error) {
	refused := &sources.NoActionError{Key: f.Key(), Name: w.Name}
	t, ok := v.At(f.Home)
	file, _ := f.Protocol["table"].(string)
	if !ok || w.Name != sources.Continue && !f.Offers(w.Name) || file == "" {
		return nil, refused
	}
	status := map[string]string{sources.SkipUnit: "done", sources.RestartUnit: "ready-for-dev"}[w.Name]
	switch {
	case w.Name == sources.Continue:
		return nil, nil // BMAD itself sets the status when it starts a story
	case status == "":
		return nil, refused
	}
	key := cmp.Or(w.Task, f.Point.Task)
	data, err := t.Read(file)
	if err != nil {
		return nil, err
	}
	now, err := setStatus(data, key, status)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Key(), err)
	}
	changes := []sources.Change{{Tree: t.WorkTree, Path: file, Was: data, Now: now}}
	i := slices.IndexFunc(f.Tasks, func(one sources.Task) bool { return one.ID == key && len(one.Files) == 1 })
	if i < 0 {
		return changes, nil
	}
	own := f.Tasks[i].Files[0]
	if data, err = t.Read(own); err != nil {
		return nil, err
	}
	if now := setSaid(data, status); !bytes.Equal(now, data) {
		changes = append(changes, sources.Change{Tree: t.WorkTree, Path: own, Was: data, Now: now})
	}
	return changes, nil
}

// setStatus changes the status of one story in a table.
func setStatus(data []byte, key, status string) ([]byte, error) {
	read, err := parse(data)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(read.stories, func(st *story) bool { return st.key == key })
	if i < 0 {
		return nil, fmt.Errorf("there is no story '%s'", key)
	}
	return replaceWord(data, read.stories[i].line, read.stories[i].raw, status), nil
}

// setSaid changes the line with the status of a story in its file. A file without such a line stays as it is.
func setSaid(data []byte, status string) []byte {
	lines := textdoc.Visible(textdoc.Text(data))
	at := statusLine(lines)
	if at < 0 {
		return data
	}
	_, value, _ := textdoc.Label(lines[at].Text)
	return replaceWord(data, lines[at].Number, value, status)
}

// replaceWord replaces the value "was" after the first colon of a line. If "was" is empty, it adds the new value there. If the line does
// not contain "was", nothing changes.
func replaceWord(data []byte, number int, was, now string) []byte {
	lines := strings.SplitAfter(string(data), "\n")
	line := lines[number-1]
	colon := strings.IndexByte(line, ':') + 1
	at := strings.Index(line[colon:], was)
	switch {
	case was == "":
		line = line[:colon] + " " + now + line[colon:]
	case at < 0:
		return data
	default:
		line = line[:colon+at] + now + line[colon+at+len(was):]
	}
	lines[number-1] = line
	return []byte(strings.Join(lines, ""))
}
