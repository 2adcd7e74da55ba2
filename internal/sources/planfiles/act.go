package planfiles

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// Act computes the change of the plan for the action that the user chose. The change affects only the status words or the boxes of the
// phases to close. For the action Continue there is no change.
func (Source) Act(_ context.Context, v *sources.View, f *sources.Found, r sources.ActionRequest) ([]sources.Change, error) {
	t, ok := v.At(f.Home)
	if !ok || r.Name != sources.Continue && !f.Offers(r.Name) || len(f.Files) == 0 {
		return nil, &sources.NoActionError{Key: f.Key(), Name: r.Name}
	}
	if r.Name == sources.Continue {
		return nil, nil // the tool itself changes its plan when it continues
	}
	w := &work{dir: path.Dir(f.Files[0]), file: f.Files[0]}
	if t.Has(w.lock()) {
		return nil, fmt.Errorf("%s exists, so a session may be writing the plan; delete the file if no session is running", w.lock())
	}
	data, err := t.Read(w.file)
	if err != nil {
		return nil, err
	}
	j := judge(parse(textdoc.Text(data)), func([]*phase) *phase { return nil })
	var which []*phase
	switch p := j.byID[cmp.Or(r.Task, f.Point.Task)]; {
	case r.Name == sources.Repair:
		which = j.some(j.unclosed)
	case r.Name != sources.SkipUnit:
		return nil, &sources.NoActionError{Key: f.Key(), Name: r.Name}
	case p == nil:
		return nil, fmt.Errorf("%s has no phase '%s'", f.Key(), cmp.Or(r.Task, f.Point.Task))
	default:
		which = []*phase{p}
	}
	now, err := closePhases(data, j, which, r.Name == sources.SkipUnit)
	if err != nil {
		return nil, fmt.Errorf("git-resume cannot mark the phase as done in %s: %w; edit the file by hand", w.file, err)
	}
	return []sources.Change{{Tree: t.WorkTree, Path: w.file, Was: data, Now: now}}, nil
}

// closePhases marks phases as done in the text of the plan. It returns an error if one of these phases would still be open in the new text,
// or if the new text would change any other phase.
func closePhases(data []byte, j *judged, which []*phase, skip bool) ([]byte, error) {
	lines := strings.SplitAfter(string(data), "\n")
	for _, p := range which {
		if err := p.close(lines, j.doneWord(p), skip); err != nil {
			return nil, err
		}
	}
	now := []byte(strings.Join(lines, ""))
	after := judge(parse(textdoc.Text(now)), func([]*phase) *phase { return nil })
	if len(after.phases) != len(j.phases) {
		return nil, fmt.Errorf("after the edit, the plan would have %d phases instead of %d", len(after.phases), len(j.phases))
	}
	for i, p := range j.phases {
		switch q := after.phases[i]; {
		case q.id != p.id:
			return nil, fmt.Errorf("after the edit, phase %s would be read as phase %s", p.id, q.id)
		case slices.Contains(which, p) && after.left(q):
			return nil, fmt.Errorf("after the edit, phase %s would still be unfinished", p.id)
		case !slices.Contains(which, p) && !q.sameAs(p):
			return nil, fmt.Errorf("the edit would also change phase %s", p.id)
		}
	}
	return now, nil
}

// doneWord returns the word for "done" that this plan uses for other phases of the same form. If there is none, it returns "completed" for
// a phase with its own box, and otherwise "complete".
func (j *judged) doneWord(p *phase) string {
	for _, o := range j.phases {
		if o.means == sources.MeansDone && o.wordLine > 0 && (o.own == nil) == (p.own == nil) && meaningOf(o.raw) == sources.MeansDone {
			word, _, _ := strings.Cut(o.raw, "(")
			word, _, _ = strings.Cut(word, "（")
			if word = strings.TrimSpace(word); len(strings.Fields(word)) == 1 && meaningOf(word) == sources.MeansDone {
				return word
			}
		}
	}
	if p.own != nil {
		return "completed"
	}
	return "complete"
}

// close marks a phase as done in the lines of the plan. It changes the status word, or ticks the boxes if the phase has no status word.
func (p *phase) close(lines []string, word string, skip bool) error {
	if p.wordLine == 0 {
		for _, b := range append(slices.Clone(p.steps), ownBox(p)...) {
			if !b.Done && !b.Dropped {
				if err := replace(lines, b.Line, "["+b.Mark+"]", "[x]", 0, strings.Index); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if p.own != nil {
		return replace(lines, p.wordLine, "["+p.raw+"]", "["+word+"]", 0, strings.Index)
	}
	if skip && len(p.steps) > 0 {
		word += map[bool]string{true: "; " + skipped, false: " (" + skipped + ")"}[p.wordLine == p.line]
	}
	return replace(lines, p.wordLine, p.raw, word, p.column, strings.LastIndex)
}

// replace replaces the text "old" in one line. If the column is not zero, only that cell of a table row is changed. The function find()
// returns the position of the text.
func replace(lines []string, number int, old, new string, column int, find func(s, part string) int) error {
	if number < 1 || number > len(lines) {
		return fmt.Errorf("the file has no line %d", number)
	}
	line := lines[number-1]
	from, to := 0, len(line)
	if column > 0 {
		if from, to = cell(line, column); from < 0 {
			return fmt.Errorf("line %d has no column %d", number, column)
		}
	}
	at := find(line[from:to], old)
	if at < 0 {
		return fmt.Errorf("line %d does not contain '%s'", number, textdoc.Shorten(textdoc.OneLine(old), 40))
	}
	lines[number-1] = line[:from+at] + new + line[from+at+len(old):]
	return nil
}

// cell returns where a cell of a table row begins and ends, or -1, -1 if the row has no such cell. A bar after a backslash is part of the
// text.
func cell(line string, column int) (from, to int) {
	bars := 0
	for i := range len(line) {
		if line[i] != '|' || i > 0 && line[i-1] == '\\' {
			continue
		}
		if bars++; bars == column {
			from = i + 1
		} else if bars > column {
			return from, i
		}
	}
	if bars == column {
		return from, len(line)
	}
	return -1, -1
}
