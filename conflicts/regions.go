package conflicts

import "slices"

// owner says whose lines a region of a merged file takes.
type owner int

const (
	nobody owner = iota // a conflict
	fromOurs
	fromTheirs
	fromBoth // both sides say the same
)

// region is a part of a file that at least one side changed.
type region struct {
	base, ours, theirs span
	by                 owner
}

// mergeTexts merges base, ours and theirs line by line.
func mergeTexts(texts [3][]byte) ([]region, error) {
	in := interner{}
	base, ours, theirs := in.cut(texts[0]), in.cut(texts[1]), in.cut(texts[2])
	return mergeLines(base, ours, theirs)
}

// mergeLines merges three texts and lists the regions that changed.
// Changes that overlap or touch form one region, which conflicts unless both sides give the same lines.
func mergeLines(base, ours, theirs []line) ([]region, error) {
	a, err := diffLines(base, ours)
	if err != nil {
		return nil, err
	}
	b, err := diffLines(base, theirs)
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

// weave brings the hunks of both sides into one order.
func weave(a, b []hunk, base int, ours, theirs []line) []region {
	var w woven
	for len(a) > 0 && len(b) > 0 {
		switch x, y := a[0], b[0]; {
		case x.old.end() < y.old.at:
			w.takeOurs(x, y.new.at-y.old.at)
			a = a[1:]
		case y.old.end() < x.old.at:
			w.takeTheirs(y, x.new.at-x.old.at)
			b = b[1:]
		default:
			if !sameChange(x, y, ours, theirs) {
				w.clash(x, y)
			}
			if x.old.end() >= y.old.end() {
				b = b[1:]
			}
			if y.old.end() >= x.old.end() {
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

type woven struct{ regions []region }

// takeOurs adds a change of ours alone; shift is how far theirs lies from the base there.
func (w *woven) takeOurs(h hunk, shift int) {
	w.add(region{h.old, h.new, span{h.old.at + shift, h.old.n}, fromOurs})
}

func (w *woven) takeTheirs(h hunk, shift int) {
	w.add(region{h.old, span{h.old.at + shift, h.old.n}, h.new, fromTheirs})
}

// clash adds a conflict over all that the two hunks cover of the base.
func (w *woven) clash(x, y hunk) {
	from, to := min(x.old.at, y.old.at), max(x.old.end(), y.old.end())
	widen := func(h hunk) span {
		at, end := h.new.at-(h.old.at-from), h.new.end()+(to-h.old.end())
		return span{at, end - at}
	}
	w.add(region{span{from, to - from}, widen(x), widen(y), nobody})
}

// add joins the region to the last one where they touch on either side.
func (w *woven) add(r region) {
	if len(w.regions) == 0 {
		w.regions = append(w.regions, r)
		return
	}
	last := &w.regions[len(w.regions)-1]
	if r.ours.at > last.ours.end() && r.theirs.at > last.theirs.end() {
		w.regions = append(w.regions, r)
		return
	}
	if last.by != r.by {
		last.by = nobody
	}
	last.base.n = r.base.end() - last.base.at
	last.ours.n = r.ours.end() - last.ours.at
	last.theirs.n = r.theirs.end() - last.theirs.at
}

func sameChange(x, y hunk, ours, theirs []line) bool {
	return x.old == y.old && x.new.n == y.new.n &&
		slices.Equal(ours[x.new.at:x.new.end()], theirs[y.new.at:y.new.end()])
}

// refine cuts each conflict down to the lines in which the two sides differ.
func refine(regions []region, ours, theirs []line) ([]region, error) {
	var out []region
	for _, r := range regions {
		if r.by != nobody || r.ours.n == 0 || r.theirs.n == 0 {
			out = append(out, r)
			continue
		}
		parts, err := diffLines(ours[r.ours.at:r.ours.end()], theirs[r.theirs.at:r.theirs.end()])
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
				ours:   span{r.ours.at + h.old.at, h.old.n},
				theirs: span{r.theirs.at + h.new.at, h.new.n}}
			if i == 0 {
				part.base = r.base
			} else {
				part.base = span{r.base.end(), 0}
			}
			out = append(out, part)
		}
	}
	return out, nil
}

// nearBy is how many equal lines between two conflicts git hides in one.
const nearBy = 3

// joinNear joins conflicts that follow each other closely.
func joinNear(regions []region) []region {
	var out []region
	for _, r := range regions {
		if len(out) == 0 || r.by != nobody || out[len(out)-1].by != nobody ||
			r.ours.at-out[len(out)-1].ours.end() > nearBy {
			out = append(out, r)
			continue
		}
		last := &out[len(out)-1]
		last.base.n = max(last.base.n, r.base.end()-last.base.at)
		last.ours.n = r.ours.end() - last.ours.at
		last.theirs.n = r.theirs.end() - last.theirs.at
	}
	return out
}
