package conflicts

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/git-resume/git-resume/conflicts/clash"
	"github.com/git-resume/git-resume/conflicts/lines"
)

// locate finds the conflicting lines of each side. A conflict that is not about lines has none. If the lines cannot be found, the result
// "why" is the reason, and the ranges are empty or cover the whole files.
func (a *asked) locate(ctx context.Context, v clash.Verdict, c *clash.Clash) (ours, theirs []Range, why string) {
	switch {
	case c.Kind == clash.ModifyDelete:
		return a.placeModified(ctx, c)
	case clash.TypeOf(c.At[clash.InOurs]) != clash.FileType || clash.TypeOf(c.At[clash.InTheirs]) != clash.FileType:
		return nil, nil, ""
	case c.Kind == clash.Binary || c.Kind == clash.Mode || c.Kind == clash.Unknown || c.Kind == clash.RenameRename:
		return nil, nil, ""
	case v.Result == "":
		return rangesOf(c.Lines[clash.InOurs]), rangesOf(c.Lines[clash.InTheirs]), c.Why
	}
	texts, err := clash.ReadTexts(ctx, a.repo, c.At)
	if err != nil {
		return nil, nil, err.Error()
	}
	if slices.ContainsFunc(texts[:], lines.IsBinary) {
		c.Kind = clash.Binary
		return nil, nil, ""
	}
	m, err := a.merged(ctx, v.Result, c)
	if err != nil {
		return nil, nil, err.Error()
	}
	if len(m.marks) == 0 && c.Kind != clash.Content && c.Kind != clash.AddAdd {
		return nil, nil, "" // only the path of the file is in conflict
	}
	places, err := m.places(linesOf(texts[clash.InOurs]), linesOf(texts[clash.InTheirs]))
	switch {
	case errors.Is(err, errElsewhere):
		return whole(texts[clash.InOurs]), whole(texts[clash.InTheirs]), err.Error()
	case err != nil:
		return nil, nil, err.Error()
	}
	return rangesOf(places[0]), rangesOf(places[1]), ""
}

// placeModified finds the lines that one side changed in a file that the other side deleted. It returns no lines if the file is not a
// text file. The result "why" describes an error.
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
	var changed []lines.Span
	for _, h := range hunks {
		changed = append(changed, h.New)
	}
	if side == clash.InOurs {
		return rangesOf(changed), nil, ""
	}
	return nil, rangesOf(changed), ""
}

func rangesOf(spans []lines.Span) (out []Range) {
	for _, s := range spans {
		out = append(out, Range{s.At + 1, s.End()})
	}
	return out
}

func whole(text []byte) []Range { return []Range{{1, len(linesOf(text))}} }

func linesOf(text []byte) [][]byte {
	lines := bytes.SplitAfter(text, []byte{'\n'})
	if n := len(lines); n > 0 && len(lines[n-1]) == 0 {
		lines = lines[:n-1]
	}
	return lines
}
