package conflicts

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/conflicts/clash"
	"github.com/git-resume/git-resume/conflicts/lines"
	"github.com/git-resume/git-resume/gitstate/object"
)

// locate finds the conflicting lines of each side. If it cannot find them, the conflict is reported without lines, and the result why
// is the reason.
func (a *asked) locate(ctx context.Context, v clash.Verdict, c *clash.Clash) (ours, theirs []Range, why string) {
	switch {
	case c.Kind == clash.ModifyDelete:
		return a.placeModified(ctx, c)
	case clash.TypeOf(c.At[clash.InOurs]) != clash.FileType || clash.TypeOf(c.At[clash.InTheirs]) != clash.FileType:
		return nil, nil, ""
	case c.Kind == clash.Binary || c.Kind == clash.Mode || c.Kind == clash.Unknown || c.Kind == clash.RenameRename:
		return nil, nil, ""
	case c.Kind == clash.RenameAdd && v.Result == "":
		return nil, nil, c.Why // the conflict is in a merged version of the file, which only git computes
	}
	texts, err := clash.ReadTexts(ctx, a.repo, c.At)
	if err != nil {
		return nil, nil, err.Error()
	}
	if slices.ContainsFunc(texts[:], lines.IsBinary) {
		c.Kind = clash.Binary
		return nil, nil, ""
	}
	if !c.Placed {
		if c.Regions, err = lines.Merge(texts); err != nil {
			return nil, nil, err.Error()
		}
	}
	if v.Result != "" {
		marks, err := a.marks(ctx, v.Result, c)
		if err != nil {
			return nil, nil, err.Error()
		}
		if !agree(marks, c.Regions, linesOf(texts[clash.InOurs]), linesOf(texts[clash.InTheirs])) {
			return whole(texts[clash.InOurs]), whole(texts[clash.InTheirs]), "git reports the conflict at other lines"
		}
	}
	for _, r := range c.Regions {
		if r.By == lines.Nobody {
			ours, theirs = append(ours, rangeOf(r.Ours)), append(theirs, rangeOf(r.Theirs))
		}
	}
	return ours, theirs, ""
}

// placeModified finds the lines that one side changed in a file that the other side deleted.
func (a *asked) placeModified(ctx context.Context, c *clash.Clash) (ours, theirs []Range, why string) {
	side := clash.InOurs
	if c.At[clash.InOurs].Mode == 0 {
		side = clash.InTheirs
	}
	if clash.TypeOf(c.At[side]) != clash.FileType || clash.TypeOf(c.At[clash.InBase]) != clash.FileType {
		return nil, nil, ""
	}
	texts, err := clash.ReadTexts(ctx, a.repo, c.At)
	if err != nil {
		return nil, nil, err.Error()
	}
	if slices.ContainsFunc(texts[:], lines.IsBinary) {
		return nil, nil, ""
	}
	in := lines.Numbers{}
	hunks, err := lines.Diff(in.Cut(texts[clash.InBase]), in.Cut(texts[side]))
	if err != nil {
		return nil, nil, err.Error()
	}
	var changed []Range
	for _, h := range hunks {
		changed = append(changed, rangeOf(h.New))
	}
	if side == clash.InOurs {
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

// mark is one conflict that git wrote into a file: the lines between the outer markers. The field parts has the positions of all
// lines that look like the middle marker, because the file itself may contain such lines.
type mark struct {
	lines [][]byte
	parts []int
}

// marks parses git's conflict markers. They contain the names of the sides, so they cannot be confused with other lines.
func (a *asked) marks(ctx context.Context, tree object.ID, c *clash.Clash) ([]mark, error) {
	e, err := a.repo.Lookup(ctx, tree, c.Listed)
	if err != nil {
		return nil, err
	}
	text, err := a.repo.BlobUpTo(ctx, e.ID, 3*clash.MaxText)
	if err != nil {
		return nil, err
	}
	for _, side := range []int{clash.InOurs, clash.InTheirs} {
		if name := c.Names[side]; strings.Contains(name, "\n") {
			// A marker may contain the path. If the path contains a newline, the marker has several lines.
			text = bytes.ReplaceAll(text, []byte(a.arg(ctx, side)+":"+name), []byte(a.arg(ctx, side)))
		}
	}
	return parseMarks(linesOf(text), a.arg(ctx, clash.InOurs), a.arg(ctx, clash.InTheirs)), nil
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

// markSize returns the number of equal characters at the start of a conflict marker, for example 7 for "<<<<<<< name". It returns 0
// for any other line.
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

// agree reports whether our regions are the regions that git marked.
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

// holds reports whether the conflict consists of exactly the given lines of ours, a middle marker, and the given lines of theirs.
func (m mark) holds(ours, theirs [][]byte) bool {
	return slices.ContainsFunc(m.parts, func(at int) bool {
		return sameLines(m.lines[:at], ours) && sameLines(m.lines[at+1:], theirs)
	})
}

func sameLines(a, b [][]byte) bool {
	return slices.EqualFunc(a, b, func(x, y []byte) bool {
		// git adds a newline to the last line of a file if it must write a marker after that line
		return bytes.Equal(bytes.TrimRight(x, "\r\n"), bytes.TrimRight(y, "\r\n"))
	})
}
