package sources

import (
	"fmt"
	"path"
	"slices"

	"github.com/git-resume/git-resume/conflicts"
)

// NameByFolder sets the ID and the name of each piece of work to the last part of the path that the function "own" returns. If different
// paths end in the same part, the ID is the whole path. Work for which "own" returns "" is not changed.
func NameByFolder(all []Found, own func(*Found) string) {
	ends := map[string]map[string]bool{}
	for i := range all {
		at := own(&all[i])
		if at == "" {
			continue
		}
		end := path.Base(at)
		all[i].ID, all[i].Name = end, end
		if ends[end] == nil {
			ends[end] = map[string]bool{}
		}
		ends[end][at] = true
	}
	for i := range all {
		if at := own(&all[i]); at != "" && len(ends[path.Base(at)]) > 1 {
			all[i].ID = at
		}
	}
}

// MergeCopies keeps one of several copies of work that have the same ID. It keeps the copy with the latest activity, and
// if the times are equal, the copy with the most progress. If another copy has a different state, the kept copy gets a warning.
func MergeCopies(all []Found) []Found {
	var out []Found
	at := map[string]int{}
	for _, f := range all {
		i, seen := at[f.ID]
		if !seen {
			at[f.ID] = len(out)
			out = append(out, f)
			continue
		}
		kept, other := out[i], f
		if f.Active.After(kept.Active) || f.Active.Equal(kept.Active) && f.further(&kept) {
			kept, other = f, kept
		}
		if !sameState(kept, other) {
			kept.Doubts = append(kept.Doubts, Doubt{Code: DoubtCopies, Severity: conflicts.Warning, Path: other.Root,
				Text: fmt.Sprintf("the copy in %s is at a different point: %s", other.Home, other.Headline)})
		}
		out[i] = kept
	}
	return out
}

// The method "further" reports whether f has made more progress than another copy of the same work. MergeCopies needs it if both copies
// have the same time of activity.
func (f *Found) further(than *Found) bool {
	done := func(f *Found) int {
		n := 0
		for _, t := range f.Tasks {
			if t.State.Closed() {
				n++
			}
		}
		return n
	}
	if a, b := done(f), done(than); a != b {
		return a > b
	}
	return f.Steps > than.Steps
}

func sameState(a, b Found) bool {
	return a.State == b.State && a.Point.Task == b.Point.Task && a.Steps == b.Steps && slices.EqualFunc(a.Tasks, b.Tasks, func(x, y Task) bool {
		return x.ID == y.ID && x.State == y.State
	})
}
