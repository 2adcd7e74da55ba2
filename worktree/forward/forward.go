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
}

// note describes a move of the branch that is under way. The file with the note remains if the process is killed, so that the next call of
// Move can restore the files.
type note struct {
	V        int       `json:"v"`
	Worktree string    `json:"worktree"`
	From     object.ID `json:"from"`
	To       object.ID `json:"to"`
	// Busy lists the files that the move would change, but that already differed from the commit From. They were not changed by the move.
	Busy []string `json:"busy,omitempty"`
}

// maxNote limits the size of the note that describes a move. A larger note is not written. If a move without a note is killed, the user
// must undo its changes to files before the move can be repeated.
const maxNote = 1 << 20

// Move moves the branch and its files from its present commit to a newer one. Git refuses to overwrite uncommitted changes, and keeps
// them. A killed git may have written files without moving the branch, so Move first restores the files that a killed move has written.
func (m Mover) Move(ctx context.Context, from, to object.ID) error {
	if err := m.setBack(ctx, from); err != nil {
		return err
	}
	busy, err := m.busy(ctx, from, to)
	if err != nil {
		return err
	}
	text, err := json.Marshal(note{V: 1, Worktree: m.Tree.GitDir, From: from, To: to, Busy: busy})
	if err != nil {
		return err
	}
	if len(text) <= maxNote {
		if err := m.write(text); err != nil {
			return err
		}
	}
	_, err = m.Tree.Git(ctx, process.Call{Args: []string{"-c", "core.hooksPath=/dev/null", "merge", "--ff-only", "--quiet", string(to)}, Mode: process.Write, Locks: m.Locks})
	if err == nil || refused(err) {
		_ = os.Remove(m.Note) // ignore an error: a note that stays after the branch has moved has no effect
	}
	return err
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

// busy lists the files that a move would change, but that already differ from the commit "from".
func (m Mover) busy(ctx context.Context, from, to object.ID) ([]string, error) {
	w, err := m.look(ctx, from, to)
	if err != nil {
		return nil, err
	}
	defer w.root.Close()
	var out []string
	for _, d := range w.deltas {
		if w.changed(d) {
			out = append(out, d.Path)
		}
	}
	return out, nil
}

// setBack restores the files that a killed move has written. It does nothing if no move was killed in this worktree, if the branch has
// moved since, or if the two commits cannot be compared.
func (m Mover) setBack(ctx context.Context, from object.ID) error {
	n, ok := m.read()
	if !ok || n.From != from || n.Worktree != m.Tree.GitDir {
		return nil
	}
	w, err := m.look(ctx, n.From, n.To)
	if err != nil {
		return nil // without the two commits nothing can be compared; git then refuses to overwrite files
	}
	defer w.root.Close()
	var ours []past.Delta
	for _, d := range w.deltas {
		if !slices.Contains(n.Busy, d.Path) && w.changed(d) && w.mayBeOurs(d) {
			ours = append(ours, d)
		}
	}
	if ours, err = w.written(ctx, ours); err != nil || len(ours) == 0 {
		return err
	}
	return w.restore(ctx, m.Locks, ours)
}

func (m Mover) read() (n note, ok bool) {
	text, err := gitstate.ReadUpTo(m.Note, maxNote+1)
	ok = err == nil && json.Unmarshal(text, &n) == nil && n.V == 1 && object.IsID(string(n.From)) && object.IsID(string(n.To))
	return n, ok
}
