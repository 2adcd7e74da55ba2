package conflicts

import (
	"bytes"
	"context"
	"slices"
	"strings"

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
	}
	texts, err := readTexts(ctx, a.repo, c.at)
	if err != nil {
		return nil, nil, err.Error()
	}
	if slices.ContainsFunc(texts[:], isBinary) {
		c.kind = Binary
		return nil, nil, ""
	}
	if !c.placed {
		if c.regions, err = mergeTexts(texts); err != nil {
			return nil, nil, err.Error()
		}
	}
	if v.result != "" {
		marks, err := a.marks(ctx, v.result, c.listed)
		if err != nil {
			return nil, nil, err.Error()
		}
		if !agree(marks, c.regions, linesOf(texts[inOurs]), linesOf(texts[inTheirs])) {
			return whole(texts[inOurs]), whole(texts[inTheirs]), "git finds it in other lines"
		}
	}
	for _, r := range c.regions {
		if r.by == nobody {
			ours, theirs = append(ours, rangeOf(r.ours)), append(theirs, rangeOf(r.theirs))
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
	if slices.ContainsFunc(texts[:], isBinary) {
		return nil, nil, ""
	}
	in := interner{}
	hunks, err := diffLines(in.cut(texts[inBase]), in.cut(texts[side]))
	if err != nil {
		return nil, nil, err.Error()
	}
	var changed []Range
	for _, h := range hunks {
		changed = append(changed, rangeOf(h.new))
	}
	if side == inOurs {
		return changed, nil, ""
	}
	return nil, changed, ""
}

func rangeOf(s span) Range { return Range{s.at + 1, s.end()} }

func whole(text []byte) []Range { return []Range{{1, len(linesOf(text))}} }

func linesOf(text []byte) [][]byte {
	lines := bytes.SplitAfter(text, []byte{'\n'})
	if n := len(lines); n > 0 && len(lines[n-1]) == 0 {
		lines = lines[:n-1]
	}
	return lines
}

// mark is one conflict as git wrote it into a file.
type mark struct{ ours, theirs [][]byte }

// marks reads git's conflict markers; the names of the sides in them make them unmistakable.
func (a *asked) marks(ctx context.Context, tree gitstate.OID, path string) ([]mark, error) {
	e, err := a.repo.Lookup(ctx, tree, path)
	if err != nil {
		return nil, err
	}
	text, err := a.repo.BlobUpTo(ctx, e.ID, 3*maxText)
	if err != nil {
		return nil, err
	}
	return parseMarks(linesOf(text), a.arg(inOurs), a.arg(inTheirs)), nil
}

func parseMarks(lines [][]byte, ours, theirs string) []mark {
	var out []mark
	side, size := 0, 0
	for _, l := range lines {
		n := markSize(l, '<', ours)
		switch {
		case side == 0 && n > 0:
			out = append(out, mark{})
			side, size = inOurs, n
		case side == inOurs && string(bytes.TrimRight(l, "\r\n")) == strings.Repeat("=", size):
			side = inTheirs
		case side == inTheirs && markSize(l, '>', theirs) == size:
			side = 0
		case side == inOurs:
			out[len(out)-1].ours = append(out[len(out)-1].ours, l)
		case side == inTheirs:
			out[len(out)-1].theirs = append(out[len(out)-1].theirs, l)
		}
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
func agree(marks []mark, regions []region, ours, theirs [][]byte) bool {
	for _, r := range regions {
		if r.by != nobody {
			continue
		}
		if len(marks) == 0 || !sameLines(marks[0].ours, ours, r.ours) || !sameLines(marks[0].theirs, theirs, r.theirs) {
			return false
		}
		marks = marks[1:]
	}
	return len(marks) == 0
}

func sameLines(a, text [][]byte, s span) bool {
	return slices.EqualFunc(a, text[s.at:s.end()], func(x, y []byte) bool {
		// git ends the last line of a file where it has to write a marker behind it
		return bytes.Equal(bytes.TrimRight(x, "\r\n"), bytes.TrimRight(y, "\r\n"))
	})
}
