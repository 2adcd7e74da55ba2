package gitstate

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
)

// Change is a path that differs between HEAD, the index and the worktree, or that is untracked.
type Change struct {
	Path string
	// Index is git's letter for the difference between HEAD and the index. Tree is the letter for the difference between the index and
	// the file. "." means that there is no difference, and "?" that the path is untracked. For an unmerged path, the letters say what
	// each side did.
	Index, Tree byte
	// ModeHead, ModeIndex and ModeTree are the modes as git prints them, with zeros where there is no file. An unmerged path has only
	// ModeTree, and an untracked path has none of them.
	ModeHead, ModeIndex, ModeTree string
	// HeadID and IndexID are the objects in HEAD and in the index. An id is empty if there is no such object, and for an untracked or
	// unmerged path.
	HeadID, IndexID object.ID
	// Stages are the base, "ours" and "theirs" of an unmerged path. A stage without the path has no id.
	Stages [3]object.Entry
	// Submodule is git's four-letter state of a submodule, or "N..." for any other path.
	Submodule string
	Unmerged  bool
}

// Untracked reports whether the path is untracked.
func (c Change) Untracked() bool { return c.Index == '?' }

// Staged reports whether the index differs from HEAD at this path.
func (c Change) Staged() bool { return c.Index != '.' && c.Index != '?' }

// Status lists the uncommitted changes and the untracked files in the worktree. It takes no lock and writes nothing.
func (r *Repo) Status(ctx context.Context) ([]Change, error) {
	out, err := r.Git(ctx, process.Call{Args: []string{"status", "--porcelain=v2", "-z", "-uall", "--no-renames", "--ignore-submodules=none"}})
	if err != nil {
		return nil, fmt.Errorf("read the state of the worktree: %w", err)
	}
	return parseStatus(string(out))
}

func parseStatus(text string) ([]Change, error) {
	var out []Change
	for rec := range strings.SplitSeq(text, "\x00") {
		if rec == "" || rec[0] == '#' || rec[0] == '!' {
			continue
		}
		c, ok := parseChange(rec)
		if !ok {
			return nil, fmt.Errorf("parse the output of git status: %q", rec)
		}
		out = append(out, c)
	}
	return out, nil
}

// isPair reports whether a text is the two status letters of a tracked file. The letter "?" is for untracked files only.
func isPair(text string) bool { return len(text) == 2 && !strings.Contains(text, "?") }

func parseChange(rec string) (Change, bool) {
	switch rec[0] {
	case '?':
		return Change{Path: rec[min(2, len(rec)):], Index: '?', Tree: '?', Submodule: "N..."}, len(rec) > 2
	case '1':
		f := strings.SplitN(rec, " ", 9)
		if len(f) < 9 || !isPair(f[1]) || f[8] == "" {
			return Change{}, false
		}
		return Change{Path: f[8], Index: f[1][0], Tree: f[1][1], Submodule: f[2],
			ModeHead: f[3], ModeIndex: f[4], ModeTree: f[5], HeadID: orEmpty(f[6]), IndexID: orEmpty(f[7])}, true
	case 'u':
		f := strings.SplitN(rec, " ", 11)
		if len(f) < 11 || !isPair(f[1]) || f[10] == "" {
			return Change{}, false
		}
		c := Change{Path: f[10], Index: f[1][0], Tree: f[1][1], Submodule: f[2], ModeTree: f[6], Unmerged: true}
		for i := range c.Stages {
			mode, err := strconv.ParseUint(f[3+i], 8, 32)
			if err != nil {
				return Change{}, false
			}
			c.Stages[i] = object.Entry{Name: c.Path, Mode: uint32(mode), ID: orEmpty(f[7+i])}
		}
		return c, true
	}
	return Change{}, false
}

// orEmpty turns git's id of zeros, which means "no object", into an empty id.
func orEmpty(id string) object.ID {
	if strings.Trim(id, "0") == "" {
		return ""
	}
	return object.ID(id)
}
