package journal

import (
	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/files"
)

// lack returns the reason why a run is not ours, or LackNothing if it is ours. The argument o is this clone's own file about the run. The
// function "lines" reads all lines, and is called only if needed.
func lack(r *checkpoint.Run, o files.OwnFile, lines func() ([]checkpoint.Line, error)) checkpoint.ProvenanceGap {
	switch {
	case !r.Rooted && r.Unsigned && (o.Open || o.Closed):
		return checkpoint.LackSignature
	case !r.Rooted:
		return checkpoint.LackRoot
	case o.Expired || !o.Open && !o.Closed, !o.Open && !r.Closed() && o.Own.Lines == 0:
		return checkpoint.LackFile
	case r.Own == o.Own, o.Own.Lines == 0 && !o.Lost:
		return checkpoint.LackNothing // all our lines are here, or an older version wrote the file without their count
	case o.Own.Lines == 0, r.Own.Seq < o.Own.Seq:
		return checkpoint.LackLines
	}
	all, err := lines()
	if err != nil || checkpoint.OwnUpTo(all, o.Own.Seq) != o.Own {
		return checkpoint.LackLines
	}
	return checkpoint.LackNothing
}
