package histogram

import (
	"slices"

	"github.com/git-resume/git-resume/conflicts/lines"
)

// owner says which side's lines are in a region of a merged file.
type owner int

const (
	nobody owner = iota // the lines of neither side, because the region is a conflict
	fromOurs
	fromTheirs
	fromBoth // both sides have the same lines
)

// region is a part of a file that at least one side has changed.
type region struct {
	base, ours, theirs Span
	by                 owner
}

// Conflicts merges base, ours and theirs. It returns the lines of both sides that conflict.
func Conflicts(texts [3][]byte) (ours, theirs []Span, err error) {
	in := lines.Numbers{}
	regions, err := mergeLines(in.Cut(texts[0]), in.Cut(texts[1]), in.Cut(texts[2]))
	for _, r := range regions {
		if r.by == nobody {
			ours, theirs = append(ours, r.ours), append(theirs, r.theirs)
		}
	}
	return ours, theirs, err
}

// mergeLines merges three texts and lists the changed regions. Changes that overlap or touch form one region. Such a region is a conflict
// if the two sides have different lines there.
func mergeLines(base, ours, theirs []Line) ([]region, error) {
	a, err := diff(base, ours)
	if err != nil {
		return nil, err
	}
	b, err := diff(base, theirs)
	if err != nil {
		return nil, err
	}
	regions := weave(a, b, len(base), ours, theirs)
	regions, err = refine(regions, ours, theirs)
	if err != nil {
		return nil, err
	}
	return joinNear(regions), nil
}

// weave combines the hunks of both sides in order.
func weave(a, b []lines.Hunk, base int, ours, theirs []Line) []region {
	var w mergedRegions
	for len(a) > 0 && len(b) > 0 {
		switch x, y := a[0], b[0]; {
		case x.Old.End() < y.Old.At:
			w.takeOurs(x, y.New.At-y.Old.At)
			a = a[1:]
		case y.Old.End() < x.Old.At:
			w.takeTheirs(y, x.New.At-x.Old.At)
			b = b[1:]
		default:
			if !sameChange(x, y, ours, theirs) {
				w.clash(x, y)
			}
			if x.Old.End() >= y.Old.End() {
				b = b[1:]
			}
			if y.Old.End() >= x.Old.End() {
				a = a[1:]
			}
		}
	}
	for _, x := range a {
		w.takeOurs(x, len(theirs)-base)
	}
	for _, y := range b {
		w.takeTheirs(y, len(ours)-base)
	}
	return w.regions
}

type mergedRegions struct{ regions []region }

// takeOurs adds a change that only our side made. "shift" is how many lines their side has added before this place, minus the lines that
// it has removed there.
func (w *mergedRegions) takeOurs(h lines.Hunk, shift int) {
	w.add(region{h.Old, h.New, span(h.Old.At+shift, h.Old.N), fromOurs})
}

func (w *mergedRegions) takeTheirs(h lines.Hunk, shift int) {
	w.add(region{h.Old, span(h.Old.At+shift, h.Old.N), h.New, fromTheirs})
}

// clash adds a conflict that covers the base lines of both hunks.
func (w *mergedRegions) clash(x, y lines.Hunk) {
	from, to := min(x.Old.At, y.Old.At), max(x.Old.End(), y.Old.End())
	widen := func(h lines.Hunk) Span {
		at, end := h.New.At-(h.Old.At-from), h.New.End()+(to-h.Old.End())
		return span(at, end-at)
	}
	w.add(region{span(from, to-from), widen(x), widen(y), nobody})
}

// add appends a region. If it touches the previous region on our side or on their side, add joins the two regions.
func (w *mergedRegions) add(r region) {
	if len(w.regions) == 0 {
		w.regions = append(w.regions, r)
		return
	}
	last := &w.regions[len(w.regions)-1]
	if r.ours.At > last.ours.End() && r.theirs.At > last.theirs.End() {
		w.regions = append(w.regions, r)
		return
	}
	if last.by != r.by {
		last.by = nobody
	}
	last.base.N = r.base.End() - last.base.At
	last.ours.N = r.ours.End() - last.ours.At
	last.theirs.N = r.theirs.End() - last.theirs.At
}

func sameChange(x, y lines.Hunk, ours, theirs []Line) bool {
	return x.Old == y.Old && x.New.N == y.New.N &&
		slices.Equal(ours[x.New.At:x.New.End()], theirs[y.New.At:y.New.End()])
}

// refine reduces each conflict to the lines that differ between the two sides. If no lines differ, it is not a conflict any more.
func refine(regions []region, ours, theirs []Line) ([]region, error) {
	var out []region
	for _, r := range regions {
		if r.by != nobody || r.ours.N == 0 || r.theirs.N == 0 {
			out = append(out, r)
			continue
		}
		parts, err := diff(ours[r.ours.At:r.ours.End()], theirs[r.theirs.At:r.theirs.End()])
		if err != nil {
			return nil, err
		}
		if len(parts) == 0 {
			r.by = fromBoth
			out = append(out, r)
			continue
		}
		for i, h := range parts {
			part := region{by: nobody,
				ours:   span(r.ours.At+h.Old.At, h.Old.N),
				theirs: span(r.theirs.At+h.New.At, h.New.N)}
			if i == 0 {
				part.base = r.base
			} else {
				part.base = span(r.base.End(), 0)
			}
			out = append(out, part)
		}
	}
	return out, nil
}

// nearBy is the largest number of equal lines between two conflicts that git joins into one.
const nearBy = 3

// joinNear joins conflicts that are close to each other.
func joinNear(regions []region) []region {
	var out []region
	for _, r := range regions {
		if len(out) == 0 || r.by != nobody || out[len(out)-1].by != nobody ||
			r.ours.At-out[len(out)-1].ours.End() > nearBy {
			out = append(out, r)
			continue
		}
		last := &out[len(out)-1]
		last.base.N = max(last.base.N, r.base.End()-last.base.At)
		last.ours.N = r.ours.End() - last.ours.At
		last.theirs.N = r.theirs.End() - last.theirs.At
	}
	return out
}
