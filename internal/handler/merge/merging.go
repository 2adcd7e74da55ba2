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
	// tree is the worktree in which the base is checked out; tip is merged into before.
	tree        *gitstate.Repo
	run         *checkpoint.Run
	before, tip object.ID
	// status is what was uncommitted before the merge; absent are files that the run adds and that did not exist yet.
	status []gitstate.Change
	absent map[string]bool
	// others: a merge of something else is in progress there.
	others bool
	said   bytes.Buffer
}

// merge runs git merge. If a merge of the same commits was killed before its commit, merge only makes that commit.
func (e *Merger) merge(ctx context.Context, tree *gitstate.Repo, r *checkpoint.Run, what string) (*Merged, error) {
	m := &mergeAttempt{Site: e.Site, merger: e, tree: tree, run: r, absent: map[string]bool{}}
	finish, err := m.examine(ctx, what)
	if err != nil {
		return nil, err
	}
	message := fmt.Sprintf("Merge run '%s' (%s)", r.Name, r.ID)
	// Switch off git's automatic clean-up: if it were killed, its lock would stay and nobody would know that it is ours.
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
			m.said.WriteString(git.Text) // git was killed before it could say anything
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

// baseBefore returns where the base was before a merge commit that was made but not recorded: undo needs to know.
func (m *mergeAttempt) baseBefore(ctx context.Context) object.ID {
	c, err := m.tree.Objects.Commit(ctx, string(m.before))
	if err == nil && len(c.Parents) == 2 && c.Parents[1] == m.tip {
		return c.Parents[0]
	}
	return m.before
}

// examine examines the worktree before git starts; finish is true if git was killed just before the commit of this very merge.
func (m *mergeAttempt) examine(ctx context.Context, what string) (finish bool, err error) {
	if _, m.before, err = m.tree.Refs.Head(ctx); err != nil {
		return false, err
	}
	tip, err := m.tree.Objects.Commit(ctx, what)
	if err != nil {
		return false, fmt.Errorf("look at what is to be merged: %w", err)
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

// onlyLacksCommit reports whether a merge of the same commits is in progress and only lacks its commit.
// Any other operation is left to git, which refuses in its own words.
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

// indexIsComplete reports whether the index holds exactly the result that git itself makes from the two sides.
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

// noteAbsent records which files added by the run do not exist yet: only those can have been written by git afterwards.
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

// describeFailure describes what git left behind when it refused to merge or could not.
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

// changedPaths lists the paths whose state has changed.
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

// restoreFiles removes what git wrote for a merge that it could not complete, for example because the disk was full: git writes the files first
// and leaves them there if it cannot write the index. restoreFiles touches only files that hold what the merge would write, or the first part
// of it, and only where the user had nothing before. All of those bytes are in the object store.
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
		// git itself may have been restoring the file when the disk was full.
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

// target returns the tree that the merge was meant to produce.
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

// isWritten reports whether a file holds what the merge writes there, or the first part of it; a file that the merge deletes must be gone.
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
	return err == nil && same.all()
}

// behindLink reports whether a folder on the way to a path is a symbolic link: git never writes through one.
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
			break // the folder holds something else
		}
	}
	return nil
}

// prefixComparer compares the data written to it with a file, which may be shorter.
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

// all reports whether nothing differed, and the file is not longer than the data written.
func (b *prefixComparer) all() bool {
	n, err := b.file.Read(make([]byte, 1))
	return !b.differ && n == 0 && errors.Is(err, io.EOF)
}
