package resume

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/tasks"
)

// uncommitShelved undoes the commit of unfinished work that an update had to make, if there is one. The files stay the same, but this work
// is uncommitted again. So it does not get into the base, and options that clean the worktree, such as --retry, can still remove it.
func (m updater) uncommitShelved(ctx context.Context) error {
	if m.out.Journal.Run.Here {
		return nil
	}
	tree, err := m.workTree()
	if err != nil {
		return nil // a later step that needs the worktree returns this error
	}
	defer tree.Close()
	if ongoing.OperationIn(tree) != ongoing.NoOperation {
		return nil
	}
	return m.unshelveIn(ctx, tree)
}

func (m updater) unshelveIn(ctx context.Context, tree *gitstate.Repo) error {
	r := &m.out.Journal.Run
	s, err := assess.ShelvedWork(ctx, tree, r)
	if below := new(assess.ShelvedError); errors.As(err, &below) && !m.wantsCleanWorktree() {
		return nil
	}
	if err != nil || s == nil {
		return err
	}
	head, to := s.Commit.ID, s.Commit.Parents[0]
	if s.Merge != nil {
		var mixed []string
		if to, mixed, err = mergedWithout(ctx, tree, s); err != nil {
			return err
		}
		if len(mixed) > 0 && m.wantsCleanWorktree() {
			return &assess.ShelvedError{Run: r.ID, Commit: s.Commit.ID, Paths: mixed}
		}
		head = s.Merge.ID
	}
	err = tree.Refs.Update(ctx, refs.Update{Ref: r.Branch, New: to, Old: head, Message: "git-resume: keep unfinished work uncommitted", Log: true})
	if err != nil {
		return err
	}
	_, err = tree.Git(ctx, process.Call{Args: []string{"reset", "-q"}, Mode: process.Write, Locks: site.MoveLocks(tree, r.Branch)})
	return err
}

// mergedWithout merges the base into the run's branch again, this time without the commit of unfinished work, and returns the new merge
// commit. If a file of the unfinished work has a conflict in the new merge, it keeps the content that it has in the old merge, so its
// unfinished work stays committed. mergedWithout also returns the paths of these files.
func mergedWithout(ctx context.Context, repo *gitstate.Repo, s *assess.Shelved) (object.ID, []string, error) {
	ours, theirs := s.Commit.Parents[0], s.Merge.Parents[1]
	paths, err := assess.ChangedPaths(ctx, repo, ours, s.Commit.ID)
	if err != nil {
		return "", nil, err
	}
	x := &pathMerge{ctx: ctx, repo: repo, ours: ours, theirs: theirs}
	var lines strings.Builder
	var mixed []string
	for _, p := range paths {
		entry, ok, err := x.entry(p)
		if err != nil {
			return "", nil, err
		}
		if !ok {
			mixed = append(mixed, p)
			continue
		}
		if entry == "" {
			entry = "0 " + strings.Repeat("0", len(string(ours)))
		}
		fmt.Fprintf(&lines, "%s\t%s\x00", entry, p)
	}
	tree, err := editedTree(ctx, repo, s.Merge.Tree, lines.String())
	if err != nil {
		return "", nil, err
	}
	id, err := commitLike(ctx, repo, *s.Merge, tree, ours, theirs)
	return id, mixed, err
}

// pathMerge computes the content of single paths in a merge of two commits.
type pathMerge struct {
	ctx          context.Context
	repo         *gitstate.Repo
	ours, theirs object.ID
	read         bool
	// These maps hold the mode and object id of each path. merged is nil if git could not merge.
	base, our, their, merged map[string]string
	unclear                  map[string]bool
}

// entry returns the mode and object id of a path; empty if the path does not exist. It returns false if the path would have a conflict.
func (x *pathMerge) entry(path string) (string, bool, error) {
	if !x.read {
		if err := x.load(); err != nil {
			return "", false, err
		}
	}
	b, o, t := x.base[path], x.our[path], x.their[path]
	switch {
	case o == b || o == t:
		return t, true, nil
	case t == b:
		return o, true, nil
	}
	return x.merged[path], x.merged != nil && !x.unclear[path], nil
}

func (x *pathMerge) load() (err error) {
	x.read = true
	if x.our, err = assess.EntriesOf(x.ctx, x.repo, x.ours); err != nil {
		return err
	}
	if x.their, err = assess.EntriesOf(x.ctx, x.repo, x.theirs); err != nil {
		return err
	}
	bases, err := past.MergeBases(x.ctx, x.repo, x.ours, x.theirs)
	if err != nil {
		return err
	}
	if len(bases) > 0 {
		if x.base, err = assess.EntriesOf(x.ctx, x.repo, bases[0]); err != nil {
			return err
		}
	}
	// If there are conflicts, "git merge-tree" fails but still lists the conflicting paths.
	out, _ := x.repo.Git(x.ctx, process.Call{Args: []string{"merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", string(x.ours), string(x.theirs)}, Mode: process.Write})
	parts := strings.Split(string(out), "\x00")
	if len(parts) == 0 || !object.IsID(parts[0]) {
		return nil // an older git has no --write-tree; without x.unclear, every path that the two commits changed differently is a conflict
	}
	x.unclear = map[string]bool{}
	for _, p := range parts[1:] {
		x.unclear[p] = true
	}
	x.merged, err = assess.EntriesOf(x.ctx, x.repo, object.ID(parts[0]))
	return err
}

// editedTree writes a git tree with some entries changed. It does not touch the worktree's index.
func editedTree(ctx context.Context, repo *gitstate.Repo, tree object.ID, lines string) (object.ID, error) {
	dir, done, err := repo.Guard.TempDir()
	if err != nil {
		return "", err
	}
	defer done()
	env := []string{"GIT_INDEX_FILE=" + filepath.Join(dir, "index")}
	var out []byte
	for _, c := range []process.Call{
		{Args: []string{"read-tree", string(tree)}},
		{Args: []string{"update-index", "-z", "--index-info"}, Stdin: strings.NewReader(lines)},
		{Args: []string{"write-tree"}},
	} {
		c.Mode, c.Env = process.Write, env
		if out, err = repo.Git(ctx, c); err != nil {
			return "", fmt.Errorf("write the files of the commit that merges the base into the run: %w", err)
		}
	}
	return object.ID(strings.TrimSpace(string(out))), nil
}

// commitLike writes a commit with another git tree, but with the message and author of an existing commit.
func commitLike(ctx context.Context, repo *gitstate.Repo, c object.Commit, tree object.ID, parents ...object.ID) (object.ID, error) {
	cfg, err := repo.Settings.Config(ctx)
	if err != nil {
		return "", err
	}
	args := []string{"commit-tree"}
	for _, p := range parents {
		args = append(args, "-p", string(p))
	}
	env := []string{
		"GIT_AUTHOR_NAME=" + c.Author.Name, "GIT_AUTHOR_EMAIL=" + c.Author.Email, fmt.Sprintf("GIT_AUTHOR_DATE=@%d %s", c.Author.When.Unix(), c.Author.When.Format("-0700")),
	}
	write := func(more ...string) ([]byte, error) {
		return repo.Git(ctx, process.Call{Args: append(append(args, more...), string(tree)), Mode: process.Write, Env: env, Stdin: strings.NewReader(c.Message)})
	}
	out, err := []byte(nil), error(nil)
	if cfg.Bool("commit.gpgsign", false) {
		out, err = write("-S")
	}
	if out == nil || err != nil {
		out, err = write()
	}
	if err != nil {
		return "", fmt.Errorf("write the commit that merges the base into the run: %w", err)
	}
	return object.ID(strings.TrimSpace(string(out))), nil
}

// wantsCleanWorktree reports whether the user chose an option that cleans the worktree: --retry, --from or --skip.
func (m updater) wantsCleanWorktree() bool {
	return m.c.Execute.Doubt == plan.Retry || m.c.From != "" || m.c.Skip
}

// noteUpdated records that an update is complete if the user has finished it by hand.
func (m updater) noteUpdated(ctx context.Context) error {
	r := &m.out.Journal.Run
	tree, err := m.workTree()
	if err != nil {
		return nil // a later step that needs the worktree returns this error
	}
	defer tree.Close()
	_, tip, err := tree.Refs.Head(ctx)
	if err != nil {
		return err
	}
	left := tasks.Updated(ctx, tree, r, tip)
	if left == "" {
		return nil
	}
	if err := m.noteMergedWorktree(ctx, tree); err != nil {
		return err
	}
	if t := m.a.Interrupted; t != nil && !m.a.Has(candidate.FindPartly) && m.c.Execute.Doubt == "" {
		m.c.Execute.Settled = map[checkpoint.TaskID]string{t.ID: nothingFound}
	}
	// Commits after the update may have changed files of finished tasks. So do not record the present state of these files, but only the tree
	// that the worktree had right after the update.
	if m.mergedState.Tree != left {
		m.mergedState = checkpoint.WorktreeState{Tree: left}
	}
	return nil
}
