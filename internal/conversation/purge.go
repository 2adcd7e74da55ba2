package conversation

import (
	"github.com/git-resume/git-resume/internal/screen/undo"
)

// Purge shows what git-resume stored in the repository, asks, and removes it. It needs --force to remove work that exists nowhere else.
func Purge(t *Talk) error {
	p, err := t.Engine.Purging.Plan(t.Context)
	if err != nil {
		return err
	}
	s := t.Person.Screen()
	if p.Empty() {
		undo.NothingToPurge(s)
		return nil
	}
	undo.PurgePlan(s, p)
	if err := p.Unsaved(); err != nil && !t.Options.Force {
		return err
	}
	q := yesNo(askPurge, "Remove all of this? It cannot be undone.", "remove everything that is listed, for good", difference{none: "everything that will be removed is listed above"})
	if err := t.confirm(q); err != nil {
		return err
	}
	if err := t.Engine.Purging.Purge(t.Context, p); err != nil {
		return err
	}
	undo.Purged(s)
	return nil
}
