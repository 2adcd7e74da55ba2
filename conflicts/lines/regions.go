package lines

import "slices"

// Owner says which side's lines are in a region of a merged file.
type Owner int

const (
	Nobody Owner = iota // the lines of neither side, because the region is a conflict
	fromOurs
	fromTheirs
	fromBoth // both sides have the same lines
)

// Region is a part of a file that at least one side has changed.
type Region struct {
	Base, Ours, Theirs Span
	By                 Owner
}

// Merge merges base, ours and theirs line by line.
func Merge(texts [3][]byte) ([]Region, error) {
	in := Numbers{}
	base, ours, theirs := in.Cut(texts[0]), in.Cut(texts[1]), in.Cut(texts[2])
	return mergeLines(base, ours, theirs)
}

// mergeLines merges three texts and lists the changed regions. Changes that overlap or touch form one region. Such a
// region is a conflict, unless both sides have the same lines.
func mergeLines(base, ours, theirs []Line) ([]Region, error) {
	a, err := Diff(base, ours)
	if err != nil {
		return nil, err
	}
	b, err := Diff(base, theirs)
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
func weave(a, b []Hunk, base int, ours, theirs []Line) []Region {
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

type mergedRegions struct{ regions []Region }

// takeOurs adds a change that only our side made. The argument shift says how many lines further down these lines are on
// their side than in the base.
func (w *mergedRegions) takeOurs(h Hunk, shift int) {
	w.add(Region{h.Old, h.New, Span{h.Old.At + shift, h.Old.N}, fromOurs})
}

func (w *mergedRegions) takeTheirs(h Hunk, shift int) {
	w.add(Region{h.Old, Span{h.Old.At + shift, h.Old.N}, h.New, fromTheirs})
}

// clash adds a conflict that covers the base lines of both hunks.
func (w *mergedRegions) clash(x, y Hunk) {
	from, to := min(x.Old.At, y.Old.At), max(x.Old.End(), y.Old.End())
	widen := func(h Hunk) Span {
		at, end := h.New.At-(h.Old.At-from), h.New.End()+(to-h.Old.End())
		return Span{at, end - at}
	}
	w.add(Region{Span{from, to - from}, widen(x), widen(y), Nobody})
}

// add appends a region. If it touches the previous region on our side or on their side, add joins the two regions.
func (w *mergedRegions) add(r Region) {
	if len(w.regions) == 0 {
		w.regions = append(w.regions, r)
		return
	}
	last := &w.regions[len(w.regions)-1]
	if r.Ours.At > last.Ours.End() && r.Theirs.At > last.Theirs.End() {
		w.regions = append(w.regions, r)
		return
	}
	if last.By != r.By {
		last.By = Nobody
	}
	last.Base.N = r.Base.End() - last.Base.At
	last.Ours.N = r.Ours.End() - last.Ours.At
	last.Theirs.N = r.Theirs.End() - last.Theirs.At
}

func sameChange(x, y Hunk, ours, theirs []Line) bool {
	return x.Old == y.Old && x.New.N == y.New.N &&
		slices.Equal(ours[x.New.At:x.New.End()], theirs[y.New.At:y.New.End()])
}

// refine reduces each conflict to the lines that differ between the two sides.
func refine(regions []Region, ours, theirs []Line) ([]Region, error) {
	var out []Region
	for _, r := range regions {
		if r.By != Nobody || r.Ours.N == 0 || r.Theirs.N == 0 {
			out = append(out, r)
			continue
		}
		parts, err := Diff(ours[r.Ours.At:r.Ours.End()], theirs[r.Theirs.At:r.Theirs.End()])
		if err != nil {
			return nil, err
		}
		if len(parts) == 0 {
			r.By = fromBoth
			out = append(out, r)
			continue
		}
		for i, h := range parts {
			part := Region{By: Nobody,
				Ours:   Span{r.Ours.At + h.Old.At, h.Old.N},
				Theirs: Span{r.Theirs.At + h.New.At, h.New.N}}
			if i == 0 {
				part.Base = r.Base
			} else {
				part.Base = Span{r.Base.End(), 0}
			}
			out = append(out, part)
		}
	}
	return out, nil
}

// nearBy is the largest number of equal lines between two conflicts that git joins into one.
const nearBy = 3

// joinNear joins conflicts that are close to each other.
func joinNear(regions []Region) []Region {
	var out []Region
	for _, r := range regions {
		if len(out) == 0 || r.By != Nobody || out[len(out)-1].By != Nobody ||
			r.Ours.At-out[len(out)-1].Ours.End() > nearBy {
			out = append(out, r)
			continue
		}
		last := &out[len(out)-1]
		last.Base.N = max(last.Base.N, r.Base.End()-last.Base.At)
		last.Ours.N = r.Ours.End() - last.Ours.At
		last.Theirs.N = r.Theirs.End() - last.Theirs.At
	}
	return out
}
