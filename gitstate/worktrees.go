package gitstate

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
)

// Worktree is one registered worktree as "git worktree list" shows it.
type Worktree struct {
	Path   string
	Head   object.ID
	Branch refs.Name // full ref name, empty if HEAD is detached
	Bare   bool
	// Locked is true if the worktree is locked, with or without a reason. Prunable is git's reason why the worktree can be pruned. It
	// is "prunable" if git gives no reason, and empty if the worktree cannot be pruned.
	Locked     bool
	LockReason string
	Prunable   string
	Main       bool
}

// Worktrees lists the registered worktrees, the main worktree first.
func (r *Repo) Worktrees(ctx context.Context) ([]Worktree, error) {
	out, err := r.Git(ctx, process.Call{Args: []string{"worktree", "list", "--porcelain", "-z"}})
	sep := "\x00"
	var git *process.Error
	if errors.As(err, &git) && git.Code == 129 { // git before 2.36 has no -z
		out, err = r.Git(ctx, process.Call{Args: []string{"worktree", "list", "--porcelain"}})
		sep = "\n"
	}
	if err != nil {
		return nil, fmt.Errorf("list worktrees: %w", err)
	}
	return parseWorktrees(string(out), sep), nil
}

func parseWorktrees(text, sep string) []Worktree {
	var out []Worktree
	for line := range strings.SplitSeq(text, sep) {
		key, value, _ := strings.Cut(line, " ")
		if key == "worktree" {
			out = append(out, Worktree{Path: value, Main: len(out) == 0})
			continue
		}
		if len(out) == 0 {
			continue
		}
		w := &out[len(out)-1]
		switch key {
		case "HEAD":
			w.Head = object.ID(value)
		case "branch":
			w.Branch = refs.Name(value)
		case "bare":
			w.Bare = true
		case "locked":
			w.Locked, w.LockReason = true, value
			if text, err := strconv.Unquote(value); err == nil && sep == "\n" { // without -z, git quotes a reason of several lines
				w.LockReason = text
			}
		case "prunable":
			w.Prunable = value
			if value == "" {
				w.Prunable = "prunable"
			}
		}
	}
	return out
}
