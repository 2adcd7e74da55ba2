package merge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/site"
)

// mergeAttempt is a single merge of a run into its base.
type mergeAttempt struct {
	*site.Site
	merger *Merger
	// tree is the worktree in which the base is checked out. The field before holds the commit of the base before the merge, and tip
	// holds the commit to merge.
	tree        *gitstate.Repo
	run         *checkpoint.Run
	before, tip object.ID
	// status lists the uncommitted changes before the merge. absent holds the files that the run adds and that do not exist yet in the
	// worktree.
	status []gitstate.Change
	absent map[string]bool
	// others is true if a merge of other commits is in progress in the worktree.
	others bool
	said   bytes.Buffer
}

// merge runs git merge. If an earlier merge of the same commits was killed just before its commit, merge only makes that commit.
func (e *Merger) merge(ctx context.Context, tree *gitstate.Repo, r *checkpoint.Run, what string) (*Merged, error) {
	m := &mergeAttempt{Site: e.Site, merger: e, tree: tree, run: r, absent: map[string]bool{}}
	finish, err := m.examine(ctx, what)
	if err != nil {
		return nil, err
	}
	message := fmt.Sprintf("Merge run '%s' (%s)", r.Name, r.ID)
	// Disable git's automatic gc. If it were killed, it would leave a lock, and git-resume would not recognize that lock as its own.
	args := []string{"-c", "maintenance.auto=false", "-c", "gc.auto=0", "merge", "--no-edit", "-m", message, what}
	if finish {
		args = append(args[:4], "commit", "--no-edit", "-m", message)
	}
	_, err = tree.Git(ctx, process.Call{
		Args: args, Mode: process.User, Env: []string{"GIT_EDITOR=:"},
		Stdout: &m.said, Stderr: &m.said, Locks: site.MoveLocks(tree, refs.Branch(r.Base.Name)),
	})
	var git *process.Error
	if errors.As(err, &git) {
		if m.said.Len() == 0 {
			m.said.WriteString(git.Text) // git was killed before it could print anything
		}
		return nil, m.describeFailure(ctx)
	}
	if err != nil {
		return nil, err
	}
	out := &Merged{Base: r.Base.Name, Finished: finish, Output: m.said.String()}
	if _, out.Commit, err = tree.Refs.Head(ctx); err != nil {
		return nil, err
	}
	if out.Already = m.before == out.Commit; out.Already {
		m.before = m.baseBefore(ctx)
	}
	out.Journal, err = e.Store.Append(ctx, r.ID, journal.Batch{Decide: func(now *checkpoint.Run) ([]checkpoint.Event, error) {
		if now.Merged == out.Commit {
			return nil, nil
		}
		return []checkpoint.Event{{Event: checkpoint.RunMerged, Commit: out.Commit, BaseTip: m.before}}, nil
	}})
	return out, err
}

// baseBefore returns the commit that the base had before the merge.
// If the merge is already committed but not recorded, this is the first parent of HEAD. Undo needs this commit.
func (m *mergeAttempt) baseBefore(ctx context.Context) object.ID {
	c, err := m.tree.Objects.Commit(ctx, string(m.before))
	if err == nil && len(c.Parents) == 2 && c.Parents[1] == m.tip {
		return c.Parents[0]
	}
	return m.before
}

// examine records the state of the worktree before git starts.
// It returns true if an earlier merge of the same commits only has to be committed.
func (m *mergeAttempt) examine(ctx context.Context, what string) (finish bool, err error) {
	if _, m.before, err = m.tree.Refs.Head(ctx); err != nil {
		return false, err
	}
	tip, err := m.tree.Objects.Commit(ctx, what)
	if err != nil {
		return false, fmt.Errorf("read the commit to merge: %w", err)
	}
	m.tip = tip.ID
	if finish, err = m.onlyLacksCommit(ctx); finish || err != nil {
		return finish, err
	}
	if m.status, err = m.tree.Status(ctx); err != nil {
		return false, err
	}
	return false, m.noteAbsent(ctx)
}

// onlyLacksCommit reports whether a merge of the same commits is in progress and only has to be committed.
// It returns false for any other operation in progress, because "git merge" itself refuses to start then.
func (m *mergeAttempt) onlyLacksCommit(ctx context.Context) (bool, error) {
	if ongoing.OperationIn(m.tree) != ongoing.Merge {
		return false, nil
	}
	all, err := ongoing.In(ctx, m.tree)
	if err != nil {
		return false, err
	}
	i := slices.IndexFunc(all, func(o ongoing.Ongoing) bool { return o.Op == ongoing.Merge })
	if i < 0 || !slices.Equal(all[i].Heads, []object.ID{m.tip}) {
		m.others = true
		return false, nil
	}
	if len(all[i].Unmerged) > 0 {
		return false, m.fault(func(e *StoppedError) { e.Half = true })
	}
	if !m.indexIsComplete(ctx) {
		return false, m.fault(func(e *StoppedError) { e.Waits = true })
	}
	return true, nil
}

// indexIsComplete reports whether the index holds exactly the result that git makes when it merges the two commits.
func (m *mergeAttempt) indexIsComplete(ctx context.Context) bool {
	store, err := past.NewScratch(m.tree)
	if err != nil {
		return false
	}
	defer store.Close()
	made, err := store.Merge(ctx, string(m.before), string(m.tip))
	if err != nil || !made.Clean {
		return false
	}
	_, err = store.Repo.Git(ctx, process.Call{Args: []string{"diff-index", "--cached", "--quiet", string(made.Tree), "--"}})
	return err == nil
}

func (m *mergeAttempt) fault(say func(*StoppedError)) error {
	e := &StoppedError{Run: m.run.ID, Base: m.run.Base.Name, Path: m.tree.WorkTree, Text: m.said.String()}
	say(e)
	return e
}

// noteAbsent records which of the files that the run adds do not exist yet.
// If the merge fails, only these files can have been created by git.
func (m *mergeAttempt) noteAbsent(ctx context.Context) error {
	from := m.before
	if bases, err := past.MergeBases(ctx, m.tree, m.before, m.tip); err == nil && len(bases) > 0 {
		from = bases[0]
	}
	deltas, err := past.Changed(ctx, m.tree, from, m.tip)
	if err != nil {
		return err
	}
	for _, d := range deltas {
		if _, err := os.Lstat(m.full(d.Path)); d.Letter == 'A' && errors.Is(err, os.ErrNotExist) {
			m.absent[d.Path] = true
		}
	}
	return nil
}

func (m *mergeAttempt) full(p string) string {
	return filepath.Join(m.tree.WorkTree, filepath.FromSlash(p))
}

// describeFailure describes what git left in the worktree when it refused to merge or failed.
func (m *mergeAttempt) describeFailure(ctx context.Context) error {
	if ongoing.OperationIn(m.tree) == ongoing.Merge && !m.others {
		unmerged, err := m.tree.Line(ctx, "ls-files", "-u")
		return errors.Join(err, m.fault(func(e *StoppedError) {
			e.Half = unmerged != ""
			e.Uncommitted = !e.Half
		}))
	}
	if err := m.restoreFiles(ctx); err != nil {
		m.said.WriteString("\n" + err.Error())
	}
	now, err := m.tree.Status(ctx)
	if err != nil {
		return err
	}
	return m.fault(func(e *StoppedError) { e.Left = changedPaths(now, m.status) })
}

// changedPaths lists the paths whose status has changed.
func changedPaths(now, before []gitstate.Change) []string {
	var out []string
	for _, c := range now {
		if !slices.Contains(before, c) {
			out = append(out, c.Path)
		}
	}
	for _, c := range before {
		if !slices.Contains(now, c) && !slices.Contains(out, c.Path) {
			out = append(out, c.Path)
		}
	}
	return out
}

// restoreFiles removes the files that a failed merge has left.
// Git writes files before the index, and leaves them if it cannot write the index, for example because the disk is full.
//
// restoreFiles changes only files that did not exist or were unchanged before the merge.
// They must contain the merged content or its beginning, so nothing is lost: git has this content in its objects.
func (m *mergeAttempt) restoreFiles(ctx context.Context) error {
	now, err := m.tree.Status(ctx)
	if err != nil || len(changedPaths(now, m.status)) == 0 {
		return err
	}
	store, err := past.NewScratch(m.tree)
	if err != nil {
		return err
	}
	defer store.Close()
	target, err := m.target(ctx, store)
	if err != nil {
		return err
	}
	var restore []string
	for _, c := range now {
		if slices.Contains(m.status, c) {
			continue
		}
		switch {
		case c.Untracked() && m.absent[c.Path] && m.isWritten(ctx, store, target, c.Path):
			if err := m.remove(c.Path); err != nil {
				return err
			}
		// Also restore a file that contains part of its old content. Git itself was restoring it when the disk became full.
		case !c.Untracked() && !c.Staged() && m.wasClean(c.Path) && (m.isWritten(ctx, store, target, c.Path) || m.isWritten(ctx, store, m.before, c.Path)):
			restore = append(restore, c.Path)
		}
	}
	if len(restore) == 0 {
		return nil
	}
	_, err = m.tree.Git(ctx, process.Call{
		Args: []string{"checkout-index", "-f", "-z", "--stdin"}, Mode: process.Write, Stdin: strings.NewReader(strings.Join(restore, "\x00") + "\x00"),
	})
	return err
}

// target returns the git tree that the merge should have produced.
func (m *mergeAttempt) target(ctx context.Context, store *past.Scratch) (object.ID, error) {
	if bases, err := past.MergeBases(ctx, m.tree, m.before, m.tip); err == nil && len(bases) == 1 && bases[0] == m.before {
		return m.tip, nil
	}
	made, err := store.Merge(ctx, string(m.before), string(m.tip))
	return made.Tree, err
}

func (m *mergeAttempt) wasClean(p string) bool {
	return !slices.ContainsFunc(m.status, func(c gitstate.Change) bool { return c.Path == p })
}

// isWritten reports whether a file contains the merged content or its beginning. A file that the merge deletes must be missing.
func (m *mergeAttempt) isWritten(ctx context.Context, store *past.Scratch, target object.ID, p string) bool {
	entry, err := store.Lookup(ctx, target, p)
	info, gone := os.Lstat(m.full(p))
	switch {
	case errors.Is(err, object.ErrMissing):
		return errors.Is(gone, os.ErrNotExist)
	case err != nil || gone != nil || m.behindLink(p):
		return false
	case entry.Mode == object.ModeLink:
		to, err := os.Readlink(m.full(p))
		blob, err2 := store.Repo.Git(ctx, process.Call{Args: []string{"cat-file", "blob", string(entry.ID)}})
		return err == nil && err2 == nil && to == string(blob)
	case !info.Mode().IsRegular() || entry.Mode == object.ModeSubmodule:
		return false
	}
	f, err := os.Open(m.full(p))
	if err != nil {
		return false
	}
	defer f.Close()
	same := &prefixComparer{file: f}
	_, err = store.Repo.Git(ctx, process.Call{Args: []string{"cat-file", "--filters", string(target) + ":" + p}, Stdout: same})
	return err == nil && same.isPrefix()
}

// behindLink reports whether a parent folder of a path is a symbolic link. Git never writes through a symbolic link.
func (m *mergeAttempt) behindLink(p string) bool {
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		if info, err := os.Lstat(m.full(dir)); err != nil || !info.IsDir() {
			return true
		}
	}
	return false
}

// remove deletes a file that git wrote, and the folders that become empty.
func (m *mergeAttempt) remove(p string) error {
	if err := os.Remove(m.full(p)); err != nil {
		return err
	}
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		if os.Remove(m.full(dir)) != nil {
			break
		}
	}
	return nil
}

// prefixComparer compares data with a file. The file may be shorter than the data.
type prefixComparer struct {
	file   io.Reader
	differ bool
}

func (b *prefixComparer) Write(data []byte) (int, error) {
	have := make([]byte, len(data))
	n, err := io.ReadFull(b.file, have)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) || !bytes.Equal(have[:n], data[:n]) {
		b.differ = true
	}
	return len(data), nil
}

// isPrefix reports whether the file is equal to the data, or to the first part of the data.
func (b *prefixComparer) isPrefix() bool {
	n, err := b.file.Read(make([]byte, 1))
	return !b.differ && n == 0 && errors.Is(err, io.EOF)
}
