package conflicts

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/conflicts/lines"
	"github.com/git-resume/git-resume/gitstate"
)

// place finds the lines of each side that a clash is about.
// It says why where they cannot be found; the clash stands in any case.
func (a *asked) place(ctx context.Context, v verdict, c *clash) (ours, theirs []Range, why string) {
	switch {
	case c.kind == ModifyDelete:
		return a.placeModified(ctx, c)
	case typeOf(c.at[inOurs]) != fileType || typeOf(c.at[inTheirs]) != fileType:
		return nil, nil, ""
	case c.kind == Binary || c.kind == Mode || c.kind == Unknown || c.kind == RenameRename:
		return nil, nil, ""
	case c.kind == RenameAdd && v.result == "":
		return nil, nil, c.why // what meets there was merged before, by git alone
	}
	texts, err := readTexts(ctx, a.repo, c.at)
	if err != nil {
		return nil, nil, err.Error()
	}
	if slices.ContainsFunc(texts[:], lines.IsBinary) {
		c.kind = Binary
		return nil, nil, ""
	}
	if !c.placed {
		if c.regions, err = lines.Merge(texts); err != nil {
			return nil, nil, err.Error()
		}
	}
	if v.result != "" {
		marks, err := a.marks(ctx, v.result, c)
		if err != nil {
			return nil, nil, err.Error()
		}
		if !agree(marks, c.regions, linesOf(texts[inOurs]), linesOf(texts[inTheirs])) {
			return whole(texts[inOurs]), whole(texts[inTheirs]), "git finds it in other lines"
		}
	}
	for _, r := range c.regions {
		if r.By == lines.Nobody {
			ours, theirs = append(ours, rangeOf(r.Ours)), append(theirs, rangeOf(r.Theirs))
		}
	}
	return ours, theirs, ""
}

// placeModified: the lines that one side changed and the other deleted with the file.
func (a *asked) placeModified(ctx context.Context, c *clash) (ours, theirs []Range, why string) {
	side := inOurs
	if c.at[inOurs].Mode == 0 {
		side = inTheirs
	}
	if typeOf(c.at[side]) != fileType || typeOf(c.at[inBase]) != fileType {
		return nil, nil, ""
	}
	texts, err := readTexts(ctx, a.repo, c.at)
	if err != nil {
		return nil, nil, err.Error()
	}
	if slices.ContainsFunc(texts[:], lines.IsBinary) {
		return nil, nil, ""
	}
	in := lines.Numbers{}
	hunks, err := lines.Diff(in.Cut(texts[inBase]), in.Cut(texts[side]))
	if err != nil {
		return nil, nil, err.Error()
	}
	var changed []Range
	for _, h := range hunks {
		changed = append(changed, rangeOf(h.New))
	}
	if side == inOurs {
		return changed, nil, ""
	}
	return nil, changed, ""
}

func rangeOf(s lines.Span) Range { return Range{s.At + 1, s.End()} }

func whole(text []byte) []Range { return []Range{{1, len(linesOf(text))}} }

func linesOf(text []byte) [][]byte {
	lines := bytes.SplitAfter(text, []byte{'\n'})
	if n := len(lines); n > 0 && len(lines[n-1]) == 0 {
		lines = lines[:n-1]
	}
	return lines
}

// mark is one conflict as git wrote it into a file: the lines between the outer markers.
// The files themselves may hold lines that look like markers, so every line that may part the sides is kept.
type mark struct {
	lines [][]byte
	parts []int
}

// marks reads git's conflict markers; the names of the sides in them make them unmistakable.
func (a *asked) marks(ctx context.Context, tree gitstate.OID, c *clash) ([]mark, error) {
	e, err := a.repo.Lookup(ctx, tree, c.listed)
	if err != nil {
		return nil, err
	}
	text, err := a.repo.BlobUpTo(ctx, e.ID, 3*maxText)
	if err != nil {
		return nil, err
	}
	for _, side := range []int{inOurs, inTheirs} {
		if name := c.names[side]; strings.Contains(name, "\n") {
			// A marker may name the path, and then runs over several lines.
			text = bytes.ReplaceAll(text, []byte(a.arg(ctx, side)+":"+name), []byte(a.arg(ctx, side)))
		}
	}
	return parseMarks(linesOf(text), a.arg(ctx, inOurs), a.arg(ctx, inTheirs)), nil
}

func parseMarks(lines [][]byte, ours, theirs string) []mark {
	var out []mark
	size := 0
	for _, l := range lines {
		if size == 0 {
			if size = markSize(l, '<', ours); size > 0 {
				out = append(out, mark{})
			}
			continue
		}
		if markSize(l, '>', theirs) == size {
			size = 0
			continue
		}
		m := &out[len(out)-1]
		if string(bytes.TrimRight(l, "\r\n")) == strings.Repeat("=", size) {
			m.parts = append(m.parts, len(m.lines))
		}
		m.lines = append(m.lines, l)
	}
	return out
}

// markSize is the length of a marker such as "<<<<<<< name" or "<<<<<<< name:path", 0 for any other line.
func markSize(l []byte, sign byte, name string) int {
	n := 0
	for n < len(l) && l[n] == sign {
		n++
	}
	rest, ok := strings.CutPrefix(string(bytes.TrimRight(l[n:], "\r\n")), " "+name)
	if n == 0 || !ok || rest != "" && rest[0] != ':' {
		return 0
	}
	return n
}

// agree reports whether the regions found are those that git marked.
func agree(marks []mark, regions []lines.Region, ours, theirs [][]byte) bool {
	for _, r := range regions {
		if r.By != lines.Nobody {
			continue
		}
		if len(marks) == 0 || !marks[0].holds(ours[r.Ours.At:r.Ours.End()], theirs[r.Theirs.At:r.Theirs.End()]) {
			return false
		}
		marks = marks[1:]
	}
	return len(marks) == 0
}

// holds reports whether the mark can be read as these lines of ours and of theirs.
func (m mark) holds(ours, theirs [][]byte) bool {
	return slices.ContainsFunc(m.parts, func(at int) bool {
		return sameLines(m.lines[:at], ours) && sameLines(m.lines[at+1:], theirs)
	})
}

func sameLines(a, b [][]byte) bool {
	return slices.EqualFunc(a, b, func(x, y []byte) bool {
		// git ends the last line of a file where it has to write a marker behind it
		return bytes.Equal(bytes.TrimRight(x, "\r\n"), bytes.TrimRight(y, "\r\n"))
	})
}
