package gitstate

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
)

// Look is a worktree at one moment: where HEAD was and what was not as it says.
type Look struct {
	// Head is empty on an unborn branch, Branch (short name) when HEAD is detached.
	Head    object.ID
	Branch  string
	Changes []Change
	// Ignored are ignored paths; a directory that is ignored as a whole ends in a slash and stands for its content.
	Ignored []string
}

// Look asks for HEAD, the changes and the ignored files in one go, so that they belong together.
// It takes no lock and writes nothing.
func (r *Repo) Look(ctx context.Context) (Look, error) { return r.look(ctx, "none") }

// LookOutside is Look without a look into submodules, whose repositories may not be where they are looked for.
func (r *Repo) LookOutside(ctx context.Context) (Look, error) { return r.look(ctx, "all") }

func (r *Repo) look(ctx context.Context, ignore string) (Look, error) {
	out, err := r.Git(ctx, process.Call{Args: []string{"status", "--porcelain=v2", "--branch", "-z", "-uall",
		"--ignored=matching", "--no-renames", "--ignore-submodules=" + ignore}})
	if err != nil {
		return Look{}, fmt.Errorf("look at the worktree: %w", err)
	}
	return parseLook(string(out))
}

func parseLook(text string) (Look, error) {
	var l Look
	for rec := range strings.SplitSeq(text, "\x00") {
		switch {
		case rec == "":
		case rec[0] == '#':
			l.header(rec)
		case rec[0] == '!':
			l.Ignored = append(l.Ignored, rec[min(2, len(rec)):])
		default:
			c, ok := parseChange(rec)
			if !ok {
				return Look{}, fmt.Errorf("understand git status: %q", rec)
			}
			l.Changes = append(l.Changes, c)
		}
	}
	return l, nil
}

func (l *Look) header(rec string) {
	if id, ok := strings.CutPrefix(rec, "# branch.oid "); ok && object.IsID(id) {
		l.Head = object.ID(id)
	}
	if name, ok := strings.CutPrefix(rec, "# branch.head "); ok && name != "(detached)" {
		l.Branch = name
	}
}

// Tracked is one entry of the index.
type Tracked struct {
	object.Entry // Name is the whole path
	Stage        byte
	// Hidden: git was told not to look at the file (assume-unchanged or skip-worktree).
	Hidden bool
}

// Hidden lists the paths that git was told not to look at: assume-unchanged and skip-worktree.
func (r *Repo) Hidden(ctx context.Context) ([]string, error) {
	out, err := r.Git(ctx, process.Call{Args: []string{"ls-files", "-v", "-z"}})
	if err != nil {
		return nil, fmt.Errorf("list the index: %w", err)
	}
	var paths []string
	for len(out) > 2 {
		end := bytes.IndexByte(out, 0)
		if end < 0 {
			break
		}
		if isHidden(out[0]) {
			paths = append(paths, string(out[2:end]))
		}
		out = out[end+1:]
	}
	return paths, nil
}

// isHidden reads the letter of "ls-files -v": small for assume-unchanged, S for skip-worktree.
func isHidden(tag byte) bool { return tag == 'S' || tag >= 'a' && tag <= 'z' }

// Index lists all entries of the index, unmerged ones with each of their stages.
func (r *Repo) Index(ctx context.Context) ([]Tracked, error) {
	out, err := r.Git(ctx, process.Call{Args: []string{"ls-files", "-v", "-s", "-z"}})
	if err != nil {
		return nil, fmt.Errorf("list the index: %w", err)
	}
	var all []Tracked
	for rec := range strings.SplitSeq(string(out), "\x00") {
		head, path, ok := strings.Cut(rec, "\t")
		f := strings.Fields(head)
		if !ok || len(f) != 4 {
			continue
		}
		mode, err := strconv.ParseUint(f[1], 8, 32)
		if err != nil {
			return nil, fmt.Errorf("understand git ls-files: %q", rec)
		}
		all = append(all, Tracked{Entry: object.Entry{Name: path, Mode: uint32(mode), ID: object.ID(f[2])}, Stage: f[3][0] - '0', Hidden: isHidden(f[0][0])})
	}
	return all, nil
}
