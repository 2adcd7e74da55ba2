package candidate

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strconv"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// StoredChanges is the stored form of a set of changes. It holds enough to undo and to redo them.
type StoredChanges struct {
	V       int      `json:"v"`
	Changes []Edited `json:"changes"`
}

// Edited is one change. The file's bytes are in the folders "before" and "after" of the same git tree, under the number of the change.
type Edited struct {
	Tree string `json:"tree"`
	Path string `json:"path"`
	To   string `json:"to,omitempty"`
	// Made is true if the file did not exist before, Written if its content changed, and Gone if it was removed.
	Made    bool `json:"made,omitempty"`
	Written bool `json:"written,omitempty"`
	Gone    bool `json:"gone,omitempty"`
	// Mode is the octal mode of a file that was removed.
	Mode string `json:"mode,omitempty"`
}

// WroteFiles reports whether an action changed files of the other system.
func WroteFiles(e checkpoint.Event) bool {
	return e.Event == checkpoint.RunActed && (e.Tree != "" || e.Commit != "")
}

// DeedOf returns the git object with the files that an action changed. This is a tree, or a commit if an older version recorded the action.
func DeedOf(ctx context.Context, repo *gitstate.Repo, id checkpoint.RunID, acted checkpoint.Event) object.ID {
	return snapshot.Acted(ctx, repo, string(id), cmp.Or(acted.Tree, acted.Commit))
}

// LoadDeed reads a stored set of changes.
func LoadDeed(ctx context.Context, repo *gitstate.Repo, kept object.ID) ([]sources.Change, error) {
	if kept == "" { // refuse an empty id, because git would look in its index instead
		return nil, fmt.Errorf("the record of what was changed is missing: %w", object.ErrMissing)
	}
	o, err := repo.Objects.Object(ctx, string(kept)+":"+DeedFile)
	if err != nil {
		return nil, fmt.Errorf("the record of what was changed is missing: %w", err)
	}
	var d StoredChanges
	if err := json.Unmarshal(o.Data, &d); err != nil {
		return nil, fmt.Errorf("understand %s: %w", DeedFile, err)
	}
	var out []sources.Change
	for i, c := range d.Changes {
		ch := sources.Change{Tree: c.Tree, Path: c.Path, To: c.To, Gone: c.Gone}
		if mode, err := strconv.ParseUint(c.Mode, 8, 32); err == nil {
			ch.Mode = fs.FileMode(mode).Perm()
		}
		if c.Written {
			if ch.Now, err = deedBytes(ctx, repo, kept, "after", i); err != nil {
				return nil, err
			}
		}
		if c.Written && !c.Made || c.Gone {
			if ch.Was, err = deedBytes(ctx, repo, kept, "before", i); err != nil {
				return nil, err
			}
		}
		out = append(out, ch)
	}
	return out, nil
}

func deedBytes(ctx context.Context, repo *gitstate.Repo, kept object.ID, folder string, n int) ([]byte, error) {
	o, err := repo.Objects.Object(ctx, fmt.Sprintf("%s:%s/%d", kept, folder, n))
	if err != nil {
		return nil, err
	}
	return slices.Concat(o.Data, []byte{}), nil
}

// Origin returns the change that an undo took back, and counts the undos on the way: an undo can itself be undone. Any other event is
// returned unchanged, with the count 0. If the original change is not found, Origin returns an empty event.
func Origin(lines []checkpoint.Line, what checkpoint.Event) (checkpoint.Event, int) {
	return Origins(lines)(what)
}

// Origins returns a function that does what Origin does, and is faster for many events of one journal.
func Origins(lines []checkpoint.Line) func(checkpoint.Event) (checkpoint.Event, int) {
	by := map[string]checkpoint.Event{}
	for _, l := range lines {
		if l.Ours { // events of others cannot be undone here
			by[l.Event.ID] = l.Event
		}
	}
	return func(what checkpoint.Event) (checkpoint.Event, int) {
		flips := 0
		for what.Event == checkpoint.Undone {
			if what = by[what.Undoes]; flips > len(lines) {
				return checkpoint.Event{}, flips
			}
			flips++
		}
		return what, flips
	}
}

const DeedFile = "changes.json"
