package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/git-resume/git-resume/gitstate"
)

// identity is written on commits that nobody signs with their name; it needs no user.name.
const identity = "git-resume <git-resume@localhost>"

// commitData is the raw form of a commit of ours.
func commitData(tree gitstate.OID, parents []gitstate.OID, at time.Time, message string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "tree %s\n", tree)
	for _, p := range parents {
		fmt.Fprintf(&b, "parent %s\n", p)
	}
	stamp := fmt.Sprintf("%s %d +0000", identity, at.Unix())
	fmt.Fprintf(&b, "author %s\ncommitter %s\n\n%s", stamp, stamp, message)
	return b.Bytes()
}

// tries bounds how often a lost race is run again.
const tries = 8

// link puts the snapshot behind the newest one of the run.
func (t *taking) link(ctx context.Context) (Snapshot, error) {
	nothing := len(t.found) == 0 && t.facts.indexTree == ""
	for i := 1; ; i++ {
		prev, err := t.repo.Ref(ctx, wipRef(t.req.Run))
		if err != nil {
			return Snapshot{}, err
		}
		if t.req.When == IfNeeded {
			if nothing {
				return t.result("", false), nil
			}
			if old, err := Load(ctx, t.repo, prev); err == nil && old.Tree == t.tree && old.facts.sameWork(t.facts) {
				snap := t.result(prev, false)
				snap.Index, snap.At = old.Index, old.At
				return snap, nil
			}
		}
		snap, err := t.commit(ctx, prev)
		var stale *gitstate.StaleRefError
		var busy *gitstate.BusyRefError
		if i == tries || !errors.As(err, &stale) && !errors.As(err, &busy) {
			return snap, err
		}
	}
}

func (t *taking) commit(ctx context.Context, prev gitstate.OID) (Snapshot, error) {
	t.facts.previous = prev
	if _, err := t.repo.Object(ctx, string(prev)); errors.Is(err, gitstate.ErrMissing) {
		t.facts.previous = "" // a ref to nothing, as a gc or a power cut may leave it; what can be saved is saved
	}
	var parents []gitstate.OID
	for _, p := range []gitstate.OID{t.look.Head, t.facts.index, t.facts.previous} {
		if p != "" {
			parents = append(parents, p)
		}
	}
	message := fmt.Sprintf("%s%s\n\n%s", subjectPrefix, subject(t.req.Run, t.req.Cause), t.facts.encode())
	id := t.pending.Add("commit", commitData(t.tree, parents, t.req.Now(), message))
	if err := t.flush(ctx); err != nil {
		return Snapshot{}, err
	}
	err := t.repo.UpdateRef(ctx, gitstate.Update{Ref: wipRef(t.req.Run), New: id, Old: prev})
	if err != nil {
		return Snapshot{}, err
	}
	return t.result(id, true), nil
}

const subjectPrefix = "snapshot of "

// subject is the run and, in one line, the cause.
func subject(run, cause string) string {
	cause = strings.Join(strings.Fields(cause), " ")
	if cause == "" {
		return run
	}
	return run + ": " + cause
}

func (t *taking) result(id gitstate.OID, made bool) Snapshot {
	return Snapshot{
		ID: id, Run: t.req.Run, Cause: t.req.Cause, At: t.req.Now(), Scope: t.req.Scope,
		Head: t.look.Head, Tree: t.tree, Index: t.facts.index,
		Paths: t.paths, Left: t.left, Made: made, facts: t.facts,
	}
}

// ErrNotSnapshot says that a commit is none of ours.
var ErrNotSnapshot = errors.New("not a snapshot")

// Load reads a stored snapshot by its commit.
func Load(ctx context.Context, repo *gitstate.Repo, id gitstate.OID) (Snapshot, error) {
	if id == "" {
		return Snapshot{}, ErrNotSnapshot
	}
	c, err := repo.Commit(ctx, string(id))
	if err != nil {
		return Snapshot{}, err
	}
	first, body, _ := strings.Cut(c.Message, "\n\n")
	name, ok := strings.CutPrefix(first, subjectPrefix)
	if !ok {
		return Snapshot{}, fmt.Errorf("read %s: %w", id, ErrNotSnapshot)
	}
	f, err := decodeFacts(body)
	if err != nil {
		return Snapshot{}, fmt.Errorf("read snapshot %s: %w", id, err)
	}
	run, cause, _ := strings.Cut(name, ": ")
	return Snapshot{
		ID: c.ID, Run: run, Cause: cause, At: c.Committer.When.UTC(), Scope: f.scope,
		Head: f.head, Tree: c.Tree, Index: f.index, Left: f.left, facts: f,
	}, nil
}
