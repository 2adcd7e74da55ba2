package conversation

import (
	handler "github.com/git-resume/git-resume/internal/handler/saved"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/prompt"
	"github.com/git-resume/git-resume/internal/screen/saved"
)

// RestoreRequest says which files of a snapshot to restore, and where.
type RestoreRequest struct {
	Snapshot string
	Paths    []string
	// To is a new folder for the files. IntoWorktree restores them in the worktree that they are from.
	To           string
	IntoWorktree bool
}

type restoring struct{ *Talk }

// Restore restores a snapshot. If the user has not said where, it asks.
func Restore(t *Talk, q RestoreRequest) error { return restoring{t}.restore(q) }

func (t restoring) restore(q RestoreRequest) error {
	if q.To != "" {
		done, err := t.Engine.Saved.Copy(t.Context, q.Snapshot, q.Paths, q.To)
		if err == nil {
			saved.Copied(t.Person.Screen(), done)
		}
		return err
	}
	p, err := t.Engine.Saved.Plan(t.Context, q.Snapshot, q.Paths)
	if err != nil {
		return err
	}
	if t.Options.DryRun {
		return t.showPlan(t.Person.Screen(), p)
	}
	if !q.IntoWorktree || p.Moved {
		copies, err := t.askWhere(q, p)
		if err != nil {
			return err
		}
		if copies {
			q.To = p.Snapshot.Label()
			return t.restore(q)
		}
	}
	done, err := t.Engine.Saved.Restore(t.Context, p)
	if err == nil {
		saved.Restored(t.Person.Screen(), done)
	}
	return err
}

func (t restoring) showPlan(s page.Page, p *handler.Restoring) error {
	if err := t.Engine.Saved.Foresee(t.Context, p); err != nil {
		return err
	}
	saved.Planned(s, p)
	return nil
}

// askWhere shows what a restore into the worktree would change. Without --yes, it also asks whether to do that. It returns true if the user
// wants the files in a new folder instead.
func (t restoring) askWhere(q RestoreRequest, p *handler.Restoring) (copies bool, err error) {
	side := t.Person.Screen().OnErr()
	if err := t.showPlan(side, p); err != nil {
		return false, err
	}
	if t.Options.Yes {
		return false, nil
	}
	if !t.Person.CanAnswer() {
		return false, &handler.WhereError{Snapshot: p.Snapshot.Label(), Moved: p.Moved, Partly: len(p.Paths) > 0}
	}
	show := func() {
		if text, err := t.Engine.Saved.Diff(t.Context, p.Snapshot.Label(), q.Paths); err == nil {
			saved.Diff(side, text, q.Paths)
		}
	}
	ask := yesNo(askRestore, saved.Question(side, p), "restore the snapshot; uncommitted changes are saved first", difference{what: "the changes in the snapshot", show: show})
	ask.keys = append(ask.keys, prompt.Key{Name: "c", Does: saved.CopyInstead(p)})
	answer, err := t.put(ask)
	return answer.key == "c", err
}
