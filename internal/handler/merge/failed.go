package merge

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/process"
)

// describeFailure returns an error that describes what git left in the worktree when it refused to merge or failed. If no merge of this run
// is in progress, describeFailure first restores the files that the failed merge has changed.
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

// restoreFiles removes the files that a failed merge has added, and restores those that it has changed. Git writes files before the index.
// If it cannot write the index, for example because the disk is full, it leaves the files.
//
// restoreFiles touches a file only if it was missing or unchanged before the merge, and has its old content, its merged content, or the
// beginning of one of them. Git has both contents in its objects, so nothing is lost.
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
		// Also restore a file that has part of its old content: git was restoring it when the disk became full.
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

// target returns the git tree, or a commit with that tree, that the merge should have produced.
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

// isWritten reports whether a file has the same content as in the git tree "target", or the beginning of that content. If the tree has no
// such file, the file must be missing.
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

// behindLink reports whether a parent folder of a path is missing or is not a real folder. Git does not write through a symbolic link.
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
