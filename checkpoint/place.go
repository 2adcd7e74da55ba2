package checkpoint

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate/object"
)

// maxPlaces is the highest number of a place. A place is a worktree for a task that runs at the same time as others.
const maxPlaces = 999

// Place says in which place a task works. A place is a worktree for tasks that run at the same time, and N is its number. From is the
// commit of its HEAD when the task started. Commit is the commit that the task made there, before its replay on the run's branch.
type Place struct {
	N        int       `json:"n"`
	Admin    string    `json:"admin,omitempty"`
	Worktree string    `json:"worktree,omitempty"`
	From     object.ID `json:"from,omitempty"`
	Commit   object.ID `json:"commit,omitempty"`
	// Done is true if the worker in the place has reported its task done. The result is not on the run's branch yet.
	Done bool `json:"done,omitempty"`
	// Task is the last task that started or ended in the place. It is computed from the lines of the journal.
	Task TaskID `json:"task,omitempty"`
}

// Place returns the name under which git registers the worktree of a place. No run has an id of this form.
func (id RunID) Place(n int) string { return fmt.Sprintf("%s.%d", id, n) }

// places lists the places of a run, sorted by their numbers. Methods that add, remove or change a place return a new list, because copies
// of a Run share one list.
type places []Place

// At returns the place with a number, or nil if there is none.
func (p places) At(n int) *Place {
	for i := range p {
		if p[i].N == n {
			return &p[i]
		}
	}
	return nil
}

// The method "ready" returns the list of places after a worktree was made for one more place. An older place with the same number is
// replaced.
func (p places) ready(next Place) places {
	out := append(p.gone(next.N), Place{N: next.N, Admin: next.Admin, Worktree: next.Worktree})
	slices.SortFunc(out, func(a, b Place) int { return a.N - b.N })
	return out
}

// The method "gone" returns the list of places without the one that has this number.
func (p places) gone(n int) places {
	return slices.DeleteFunc(slices.Clone(p), func(x Place) bool { return x.N == n })
}

// The method "used" records in a copy of the list that the task "by" was started in the place with the number at.N, at the commit at.From.
// If "done" is true, it also records the commit that the task made there, at.Commit. It returns the copy. If no place has this number, the
// method returns the list unchanged.
func (p places) used(by TaskID, at Place, done bool) places {
	if p.At(at.N) == nil {
		return p
	}
	out := slices.Clone(p)
	x := out.At(at.N)
	if x.Task, x.From = by, at.From; done {
		x.Commit = at.Commit
	}
	return out
}

// sound returns an error if the number, an object id, the name or the path in the place is not valid.
func (p *Place) sound() error {
	if p == nil {
		return nil
	}
	if p.N < 1 || p.N > maxPlaces {
		return fmt.Errorf("worktrees for tasks have numbers from 1 to %d, but this number is %d", maxPlaces, p.N)
	}
	for _, id := range []object.ID{p.From, p.Commit} {
		if id != "" && !object.IsID(string(id)) {
			return fmt.Errorf("%q is not an object id", id)
		}
	}
	if p.Admin != "" && !isAdmin(p.Admin) {
		return fmt.Errorf("%q is not the name of a worktree", p.Admin)
	}
	if strings.ContainsRune(p.Worktree, 0) {
		return fmt.Errorf("a name has a control character")
	}
	return nil
}

// isAdmin reports whether a text can be the name of a folder in .git/worktrees.
func isAdmin(name string) bool {
	return name == filepath.Base(name) && name != "." && name != ".." && !strings.ContainsAny(name, "/\\\x00")
}
