package checkpoint

// lack judges a run: o is what this clone's own files say of it, and lines reads all of its lines, where that is needed.
func lack(r *Run, o ownFile, lines func() ([]Line, error)) Lack {
	switch {
	case !r.Rooted && r.Unsigned && (o.open || o.closed):
		return LackSignature
	case !r.Rooted:
		return LackRoot
	case o.Expired || !o.open && !o.closed, !o.open && !r.Closed() && o.Own.Lines == 0:
		return LackFile
	case r.Own == o.Own, o.Own.Lines == 0 && !o.lost:
		return LackNothing // an older version writes no set of lines; what it names was read
	case o.Own.Lines == 0, r.Own.Seq < o.Own.Seq:
		return LackLines
	}
	all, err := lines()
	if err != nil || ownUpTo(all, o.Own.Seq) != o.Own {
		return LackLines
	}
	return LackNothing
}
