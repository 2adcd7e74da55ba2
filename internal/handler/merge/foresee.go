package merge

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
)

// announce writes the note about the merge that git is about to make. After a kill, the next merge knows from it which files git may have
// written. If the merge would have conflicts, and the user did not ask for them, announce returns an error and nothing is changed.
func (m *mergeAttempt) announce(ctx context.Context) error {
	store, err := past.NewScratch(m.tree)
	if err != nil {
		return err
	}
	defer store.Close()
	to, err := m.foresee(ctx, store)
	if err != nil {
		return err
	}
	if len(m.unsure) > 0 {
		return nil // keep the note of the interrupted merge, because git will probably refuse
	}
	deltas, err := past.Changed(ctx, store.Repo, m.before, to)
	if err != nil {
		return err
	}
	return m.mover.Begin(m.before, to, deltas, m.status)
}

// foresee returns the commit or the git tree whose files the base will have after the merge. If that is not known, it returns the commit to
// merge, which has at least the files that only the run has changed.
func (m *mergeAttempt) foresee(ctx context.Context, store *past.Scratch) (object.ID, error) {
	bases, err := past.MergeBases(ctx, m.tree, m.before, m.tip)
	if err != nil || slices.Contains(bases, m.before) || m.hasOwnStrategy(ctx) {
		return m.tip, nil // git only moves the base forward, or refuses, or merges in a way that we cannot try
	}
	made, err := store.Merge(ctx, string(m.before), string(m.tip))
	switch {
	case errors.Is(err, past.ErrNoMergeTree):
		return m.tip, m.foreseeWithoutGit(ctx)
	case err != nil: // git will say why it cannot merge these commits
		return m.tip, nil
	case made.Clean:
		return made.Tree, nil
	}
	return m.tip, m.refuseConflicts(made.Paths())
}

// foreseeWithoutGit looks for conflicts if git is too old to merge without a worktree.
func (m *mergeAttempt) foreseeWithoutGit(ctx context.Context) error {
	rep, err := conflicts.Check(ctx, m.tree, conflicts.Query{Ours: m.before, Theirs: m.tip, Detail: conflicts.Paths})
	if err != nil || rep.Clean {
		return nil // after an error, git will say why it cannot merge these commits
	}
	var files []string
	for _, c := range rep.Conflicts {
		files = append(files, c.Path)
	}
	return m.refuseConflicts(files)
}

func (m *mergeAttempt) refuseConflicts(files []string) error {
	if m.request.Conflicts {
		return nil
	}
	return &ConflictsError{Run: m.run.ID, Base: m.run.Base.Name, Path: m.path, Files: files, Squash: m.request.Squash, At: m.tree.WorkTree}
}

// hasOwnStrategy reports whether the user's settings make git merge in another way than usual. Then only git itself knows whether there will
// be conflicts.
func (m *mergeAttempt) hasOwnStrategy(ctx context.Context) bool {
	config, err := m.tree.Settings.Config(ctx)
	if err != nil {
		return false
	}
	options, _ := config.Get("branch." + m.run.Base.Name + ".mergeoptions")
	strategy, _ := config.Get("pull.twohead")
	return strategy != "" || slices.ContainsFunc(strings.Fields(options), func(o string) bool {
		return strings.HasPrefix(o, "-s") || strings.HasPrefix(o, "-X") || strings.HasPrefix(o, "--strategy")
	})
}
