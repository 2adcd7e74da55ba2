package resume

import (
	"context"

	"github.com/git-resume/git-resume/checkpoint"
)

// follow records the name that the run's branch has now.
func (m *mover) follow(ctx context.Context) error {
	j, err := m.owner.Append(ctx, func(*checkpoint.Run) ([]checkpoint.Event, error) {
		return []checkpoint.Event{{Event: checkpoint.RunRenamed, Branch: m.a.Renamed}}, nil
	})
	if err == nil {
		m.out.Journal = j
	}
	return err
}
