package forward

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/internal/dotgit"
)

// Mover moves the branch that is checked out in one worktree.
type Mover struct {
	Tree *gitstate.Repo
	// Note is the path of the file that says which move is under way. Locks are the lock files of a move.
	Note  string
	Locks []string
	// Run is the run whose commits the move brings to another branch. It is empty if the branch is the run's own.
	Run string
}

// Note describes a move of the branch that is under way. The file with the note remains if the process is killed, so that the next move can
// restore the files.
type Note struct {
	V        int       `json:"v"`
	Worktree string    `json:"worktree"`
	Run      string    `json:"run,omitempty"`
	From     object.ID `json:"from"`
	// To is the commit to which the branch moves, or the tree of a commit that git is about to make.
	To object.ID `json:"to"`
	// Busy lists the files that the move would change, but that already differed from the commit From. They were not changed by the move.
	Busy []string `json:"busy,omitempty"`
}

// maxNote limits the size of the note that describes a move. A larger note is not written. If a move without a note is killed, the user
// must undo its changes to files before the move can be repeated.
const maxNote = 1 << 20

// Move moves the branch and its files from its present commit to a newer one. Git refuses to overwrite uncommitted changes, and keeps
// them. A killed git may have written files without moving the branch, so Move first restores the files that a killed move has written.
func (m Mover) Move(ctx context.Context, from, to object.ID) error {
	if _, err := m.SetBack(ctx, from); err != nil {
		return err
	}
	deltas, err := past.Changed(ctx, m.Tree, from, to)
	if err != nil {
		return err
	}
	changes, err := m.Tree.Status(ctx)
	if err != nil {
		return err
	}
	if err := m.Begin(from, to, deltas, changes); err != nil {
		return err
	}
	_, err = m.Tree.Git(ctx, process.Call{Args: []string{"-c", "core.hooksPath=/dev/null", "merge", "--ff-only", "--quiet", string(to)}, Mode: process.Write, Locks: m.Locks})
	if err == nil || refused(err) {
		m.End()
	}
	return err
}

// Begin writes the note about a move that git is about to make. The deltas are the paths that the move changes, and the argument "changes"
// has the state of the worktree.
func (m Mover) Begin(from, to object.ID, deltas []past.Delta, changes []gitstate.Change) error {
	w, err := m.look(changes)
	if err != nil {
		return err
	}
	defer w.root.Close()
	n := Note{V: 1, Worktree: m.Tree.GitDir, Run: m.Run, From: from, To: to}
	for _, d := range deltas {
		if w.changed(d) {
			n.Busy = append(n.Busy, d.Path)
		}
	}
	text, err := json.Marshal(n)
	if err != nil || len(text) > maxNote {
		return err
	}
	return m.write(text)
}

// End removes the note, because the move is over, or because git refused it before it wrote anything.
func (m Mover) End() {
	_ = os.Remove(m.Note) // ignore an error: a note that stays after the branch has moved has no effect
}

// write writes the note without waiting for the disk, so a power failure may destroy the note. That is safe: without the note, git refuses
// to overwrite the files that the interrupted move has already written.
func (m Mover) write(text []byte) error {
	if err := dotgit.MkdirAll(filepath.Dir(m.Note)); err != nil {
		return err
	}
	tmp := m.Note + dotgit.TempMark()
	if err := dotgit.WriteNew(tmp, append(text, '\n')); err != nil {
		return err
	}
	return os.Rename(tmp, m.Note)
}

// refused reports whether git found uncommitted changes or untracked files in the way. In this case git has written nothing.
func refused(err error) bool {
	var git *process.Error
	return errors.As(err, &git) && strings.Contains(git.Text, "would be overwritten by merge")
}

// SetBack restores the files that a killed or failed move has written. It does nothing if there was no such move in this worktree, if the
// branch has moved since, or if the two commits cannot be compared. The argument "at" is the commit at which the branch is now. The result
// lists the files that the move may have written, but that have another content now.
func (m Mover) SetBack(ctx context.Context, at object.ID) (unsure []string, err error) {
	n, ok := m.Unfinished(at)
	if !ok {
		return nil, nil
	}
	deltas, err := past.Changed(ctx, m.Tree, n.From, n.To)
	if err != nil {
		return nil, nil // without the two commits nothing can be compared; git then refuses to overwrite files
	}
	changes, err := m.Tree.Status(ctx)
	if err != nil {
		return nil, err
	}
	w, err := m.look(changes)
	if err != nil {
		return nil, err
	}
	defer w.root.Close()
	var ours []past.Delta
	for _, d := range deltas {
		if slices.Contains(n.Busy, d.Path) || !w.changed(d) {
			continue
		}
		if unsure = append(unsure, d.Path); w.mayBeOurs(d) {
			ours = append(ours, d)
		}
	}
	if ours, err = w.written(ctx, ours); err != nil || len(ours) == 0 {
		return unsure, err
	}
	known := func(path string) bool {
		return slices.ContainsFunc(ours, func(d past.Delta) bool { return d.Path == path })
	}
	return slices.DeleteFunc(unsure, known), w.restore(ctx, m.Locks, ours)
}

// Unfinished returns the note about a move that was killed or failed in this worktree. The result "ok" is false if there is none, or if the
// branch is not at the commit from which it was to move. The argument "at" is the commit at which the branch is now.
func (m Mover) Unfinished(at object.ID) (n Note, ok bool) {
	text, err := gitstate.ReadUpTo(m.Note, maxNote+1)
	ok = err == nil && json.Unmarshal(text, &n) == nil && n.V == 1 && object.IsID(string(n.From)) && object.IsID(string(n.To))
	return n, ok && n.From == at && n.Worktree == m.Tree.GitDir
}
