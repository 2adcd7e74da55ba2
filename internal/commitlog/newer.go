package commitlog

import (
	"iter"
	"time"
)

// Newer returns the commits that are not older than a time, the newest first.
func (h History) Newer(than time.Time) iter.Seq[Commit] {
	return func(yield func(Commit) bool) {
		for i := range h.commits {
			if c := h.commits[i].Commit; !c.When.Before(than) && !yield(c) {
				return
			}
		}
	}
}
