package resume

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/internal/plan"
)

// unfinishedWork begins the subject of the commit in which an update keeps what is uncommitted while git merges.
const unfinishedWork = "unfinished work"

// shelved is that commit, and the merge on top of it if there is one.
type shelved struct {
	commit gitstate.Commit
	merge  *gitstate.Commit
}

// ShelvedError says that a task cannot have a clean tree: what it left is in commits together with other changes.
type ShelvedError struct {
	Run    checkpoint.RunID
	Task   checkpoint.TaskID
	Commit gitstate.OID
	// Paths are files in which both are mixed; none if other commits were made on top.
	Paths []string
}

func (e *ShelvedError) Error() string {
	if len(e.Paths) > 0 {
		return fmt.Sprintf("the update mixed unfinished work with other changes in %s", strings.Join(e.Paths, ", "))
	}
	return fmt.Sprintf("commit %s holds unfinished work, and other commits are on top of it", e.Commit.Short())
}

// maxAbove is how many commits are looked at for unfinished work below them.
const maxAbove = 50

// shelvedWork finds the commit in which an update kept unfinished work; nil if there is none.
// Where other commits than the update's own merge are on top of it, it is found but cannot be taken out: *ShelvedError.
func shelvedWork(ctx context.Context, repo *gitstate.Repo, r *checkpoint.Run) (*shelved, error) {
	if r.Updating == nil {
		return nil, nil
	}
	_, head, err := repo.Refs.Head(ctx)
	if err != nil {
		return nil, err
	}
	var above []gitstate.Commit
	for at := head; at != "" && at != r.Updating.Head && len(above) < maxAbove; {
		c, err := repo.Objects.Commit(ctx, string(at))
		if err != nil {
			return nil, err
		}
		if isShelved(r, c) {
			return shelvedBelow(r, c, above)
		}
		if above = append(above, c); len(c.Parents) == 0 {
			break
		}
		at = c.Parents[0]
	}
	return nil, nil
}

func shelvedBelow(r *checkpoint.Run, c gitstate.Commit, above []gitstate.Commit) (*shelved, error) {
	switch {
	case len(above) == 0:
		return &shelved{commit: c}, nil
	case len(above) == 1 && len(above[0].Parents) == 2:
		return &shelved{c, &above[0]}, nil
	}
	e := &ShelvedError{Run: r.ID, Commit: c.ID}
	if t := gitstate.TrailerValues(c.Message, checkpoint.TrailerTask); len(t) > 0 {
		e.Task = checkpoint.TaskID(t[0])
	}
	return nil, e
}

// isShelved reports a commit that an update made of what was uncommitted.
func isShelved(r *checkpoint.Run, c gitstate.Commit) bool {
	return len(c.Parents) == 1 && strings.HasPrefix(c.Subject(), unfinishedWork) && ofRun(r.ID, c) &&
		len(gitstate.TrailerValues(c.Message, checkpoint.TrailerState)) > 0
}

func ofRun(run checkpoint.RunID, c gitstate.Commit) bool {
	return slices.Contains(gitstate.TrailerValues(c.Message, checkpoint.TrailerRun), string(run))
}

// unshelve makes uncommitted again what an update kept in a commit: the files stay as they are, and the branch
// is as if the base had been taken in without them. So a task can be run again from a clean tree after an update too,
// and no unfinished work goes into the base.
func (m *mover) unshelve(ctx context.Context) error {
	if m.out.Journal.Run.Here {
		return nil
	}
	tree, err := m.workTree()
	if err != nil {
		return nil // what is wrong with the tree is told by who needs it
	}
	defer tree.Close()
	if tree.Operation() != gitstate.NoOperation {
		return nil
	}
	return m.unshelveIn(ctx, tree)
}

func (m *mover) unshelveIn(ctx context.Context, tree *gitstate.Repo) error {
	r := &m.out.Journal.Run
	s, err := shelvedWork(ctx, tree, r)
	if below := new(ShelvedError); errors.As(err, &below) && !m.wantsClean() {
		return nil
	}
	if err != nil || s == nil {
		return err
	}
	head, to := s.commit.ID, s.commit.Parents[0]
	if s.merge != nil {
		var mixed []string
		if to, mixed, err = mergedWithout(ctx, tree, s); err != nil {
			return err
		}
		if len(mixed) > 0 && m.wantsClean() {
			return &ShelvedError{Run: r.ID, Commit: s.commit.ID, Paths: mixed}
		}
		head = s.merge.ID
	}
	err = tree.Refs.Update(ctx, gitstate.Update{Ref: r.Branch, New: to, Old: head, Message: "git-resume: keep unfinished work uncommitted", Log: true})
	if err != nil {
		return err
	}
	_, err = tree.Git(ctx, gitstate.Call{Args: []string{"reset", "-q"}, Mode: gitstate.Write, Locks: moveLocks(tree, r.Branch)})
	return err
}

// mergedWithout is the update's merge as it would be without the unfinished work, and the paths in which both are mixed.
func mergedWithout(ctx context.Context, repo *gitstate.Repo, s *shelved) (gitstate.OID, []string, error) {
	ours, theirs := s.commit.Parents[0], s.merge.Parents[1]
	paths, err := changedPaths(ctx, repo, ours, s.commit.ID)
	if err != nil {
		return "", nil, err
	}
	x := &unmixing{ctx: ctx, repo: repo, ours: ours, theirs: theirs}
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
	tree, err := editedTree(ctx, repo, s.merge.Tree, lines.String())
	if err != nil {
		return "", nil, err
	}
	id, err := commitLike(ctx, repo, *s.merge, tree, ours, theirs)
	return id, mixed, err
}

// unmixing finds what a path would be in a merge of two commits.
type unmixing struct {
	ctx          context.Context
	repo         *gitstate.Repo
	ours, theirs gitstate.OID
	read         bool
	// Each holds mode and id by path; merged is nil where git could not merge.
	base, our, their, merged map[string]string
	unclear                  map[string]bool
}

// entry is the mode and the id of a path, empty if it is not there; false if it would be a conflict.
func (x *unmixing) entry(path string) (string, bool, error) {
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

func (x *unmixing) load() (err error) {
	x.read = true
	if x.our, err = entriesOf(x.ctx, x.repo, x.ours); err != nil {
		return err
	}
	if x.their, err = entriesOf(x.ctx, x.repo, x.theirs); err != nil {
		return err
	}
	bases, err := x.repo.MergeBases(x.ctx, x.ours, x.theirs)
	if err != nil {
		return err
	}
	if len(bases) > 0 {
		if x.base, err = entriesOf(x.ctx, x.repo, bases[0]); err != nil {
			return err
		}
	}
	// It fails where there are conflicts, and names them all the same.
	out, _ := x.repo.Git(x.ctx, gitstate.Call{Args: []string{"merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", string(x.ours), string(x.theirs)}, Mode: gitstate.Write})
	parts := strings.Split(string(out), "\x00")
	if len(parts) == 0 || !gitstate.IsOID(parts[0]) {
		return nil // an older git: what it would have merged counts as mixed
	}
	x.unclear = map[string]bool{}
	for _, p := range parts[1:] {
		x.unclear[p] = true
	}
	x.merged, err = entriesOf(x.ctx, x.repo, gitstate.OID(parts[0]))
	return err
}

// entriesOf lists the files of a tree: mode and id by path.
func entriesOf(ctx context.Context, repo *gitstate.Repo, tree gitstate.OID) (map[string]string, error) {
	out, err := repo.Git(ctx, gitstate.Call{Args: []string{"ls-tree", "-r", "-z", "--full-tree", string(tree)}})
	if err != nil {
		return nil, fmt.Errorf("list the files of %s: %w", tree.Short(), err)
	}
	all := map[string]string{}
	for line := range strings.SplitSeq(string(out), "\x00") {
		about, path, ok := strings.Cut(line, "\t")
		if f := strings.Fields(about); ok && len(f) == 3 {
			all[path] = f[0] + " " + f[2]
		}
	}
	return all, nil
}

// changedPaths are the files that differ between two commits.
func changedPaths(ctx context.Context, repo *gitstate.Repo, from, to gitstate.OID) ([]string, error) {
	deltas, err := repo.Changed(ctx, from, to)
	paths := make([]string, 0, len(deltas))
	for _, d := range deltas {
		paths = append(paths, d.Path)
	}
	return paths, err
}

// editedTree writes a tree with some entries changed, without touching the worktree's own index.
func editedTree(ctx context.Context, repo *gitstate.Repo, tree gitstate.OID, lines string) (gitstate.OID, error) {
	dir, done, err := repo.Guard.TempDir()
	if err != nil {
		return "", err
	}
	defer done()
	env := []string{"GIT_INDEX_FILE=" + filepath.Join(dir, "index")}
	var out []byte
	for _, c := range []gitstate.Call{
		{Args: []string{"read-tree", string(tree)}},
		{Args: []string{"update-index", "-z", "--index-info"}, Stdin: strings.NewReader(lines)},
		{Args: []string{"write-tree"}},
	} {
		c.Mode, c.Env = gitstate.Write, env
		if out, err = repo.Git(ctx, c); err != nil {
			return "", fmt.Errorf("write the tree of the update: %w", err)
		}
	}
	return gitstate.OID(strings.TrimSpace(string(out))), nil
}

// commitLike writes a commit of another tree with the message and the author of one that is there.
func commitLike(ctx context.Context, repo *gitstate.Repo, c gitstate.Commit, tree gitstate.OID, parents ...gitstate.OID) (gitstate.OID, error) {
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
		return repo.Git(ctx, gitstate.Call{Args: append(append(args, more...), string(tree)), Mode: gitstate.Write, Env: env, Stdin: strings.NewReader(c.Message)})
	}
	out, err := []byte(nil), error(nil)
	if cfg.Bool("commit.gpgsign", false) {
		out, err = write("-S")
	}
	if out == nil || err != nil {
		out, err = write()
	}
	if err != nil {
		return "", fmt.Errorf("write the commit of the update: %w", err)
	}
	return gitstate.OID(strings.TrimSpace(string(out))), nil
}

// wantsClean: the user said that an interrupted task shall have a clean tree.
func (m *mover) wantsClean() bool {
	return m.c.Execute.Doubt == plan.Retry || m.c.From != "" || m.c.Skip
}

// settleFirst decides about an interrupted task before the base is taken in: what it left is set aside, accepted, or kept
// as it is now, and not as it looks when it is mixed with the base.
func (m *mover) settleFirst(ctx context.Context) error {
	r := &m.out.Journal.Run
	if !m.c.Update || r.Base.Name == "" || m.c.From != "" || m.c.Skip || setupDue(m.a.Plan, r) || len(commandsOf(m.a.Plan)) == 0 {
		return nil
	}
	q := m.c.Execute
	q.Owner = m.owner
	x, err := m.executor(ctx, r.ID, q)
	if err != nil {
		return err
	}
	defer x.repo.Close()
	if err := x.take(ctx, r.ID); err != nil {
		return err
	}
	err = x.keepByHand(ctx)
	if err == nil {
		err = x.recordLanded(ctx)
	}
	if err == nil {
		err = x.settle(ctx)
	}
	m.out.Journal, m.c.Execute.Settled = x.out.Journal, x.why
	m.out.Unadded = append(m.out.Unadded, x.out.Unadded...)
	return err
}

// updated is the tree in which an update ended that git stopped in and the user brought to its end; empty if there is none.
// What the user resolved is how the run was left: no finished task is invalid because of it.
func updated(ctx context.Context, repo *gitstate.Repo, r *checkpoint.Run, tip gitstate.OID) gitstate.OID {
	u := r.Updating
	if u == nil || u.Base == "" || tip == "" || tip == u.Head || repo.Operation() != gitstate.NoOperation {
		return ""
	}
	if within, err := repo.IsAncestor(ctx, u.Base, tip); err != nil || !within {
		return "" // it was taken back
	}
	at := tip
	for range maxAbove {
		c, err := repo.Objects.Commit(ctx, string(at))
		switch {
		case err != nil:
			return ""
		case u.How == updateByRebase, len(c.Parents) == 2:
			return c.Tree
		case len(c.Parents) == 0:
			return ""
		}
		at = c.Parents[0]
	}
	return ""
}

// onlyRebased reports an update by rebase that the user brought to its end, and after which nothing else was committed.
func (x *assessor) onlyRebased(ctx context.Context) bool {
	r, tip := x.run(), x.a.seen.branch
	if r.Updating == nil || r.Updating.How != updateByRebase || updated(ctx, x.repo, r, tip) == "" {
		return false
	}
	made, err := x.Store.Between(ctx, r.Updating.Base, tip, maxStrange)
	return err == nil && !slices.ContainsFunc(made, func(c gitstate.Commit) bool { return !ofRun(r.ID, c) })
}

// updateByRebase is the setting and the word for an update that rebases the run.
const updateByRebase = "rebase"

// noteUpdated notes the end of an update that the user brought to its end.
func (m *mover) noteUpdated(ctx context.Context) error {
	r := &m.out.Journal.Run
	tree, err := m.workTree()
	if err != nil {
		return nil // what is wrong with the tree is told by who needs it
	}
	defer tree.Close()
	_, tip, err := tree.Refs.Head(ctx)
	if err != nil {
		return err
	}
	left := updated(ctx, tree, r, tip)
	if left == "" {
		return nil
	}
	if err := m.tookIn(ctx, tree); err != nil {
		return err
	}
	if t := m.a.CutOff; t != nil && !m.a.has(FindPartly) && m.c.Execute.Doubt == "" {
		m.c.Execute.Settled = map[checkpoint.TaskID]string{t.ID: nothingFound}
	}
	if m.updated.Tree != left { // commits came after it: whether they change a finished task's files is judged
		m.updated = checkpoint.Left{Tree: left}
	}
	return nil
}
