package gitstate

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/gitstate/index"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
)

// WorktreeState is the state of a worktree at one moment: where HEAD was, which files had changed, and which
// were ignored.
type WorktreeState struct {
	// Head is empty if the branch has no commit yet. Branch is a short name, and is empty if HEAD is detached.
	Head    object.ID
	Branch  string
	Changes []Change
	// Ignored lists the ignored paths. A path that ends in a slash is a directory whose whole content is ignored.
	Ignored []string
}

// ReadState reads HEAD, the changes and the ignored files in one call of git, so that they belong to the same moment. It takes no lock and
// writes nothing.
func (r *Repo) ReadState(ctx context.Context) (WorktreeState, error) { return r.readState(ctx, "none") }

// LookOutside does what ReadState does, but leaves out submodules and their changes. It does not look into submodules, because their
// repositories may have been moved.
func (r *Repo) LookOutside(ctx context.Context) (WorktreeState, error) {
	return r.readState(ctx, "all")
}

func (r *Repo) readState(ctx context.Context, ignore string) (WorktreeState, error) {
	out, err := r.Git(ctx, process.Call{Args: []string{"status", "--porcelain=v2", "--branch", "-z", "-uall",
		"--ignored=matching", "--no-renames", "--ignore-submodules=" + ignore}})
	if err != nil {
		return WorktreeState{}, fmt.Errorf("read the state of the worktree: %w", err)
	}
	return parseState(string(out))
}

func parseState(text string) (WorktreeState, error) {
	var l WorktreeState
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
				return WorktreeState{}, fmt.Errorf("parse the output of git status: %q", rec)
			}
			l.Changes = append(l.Changes, c)
		}
	}
	return l, nil
}

func (l *WorktreeState) header(rec string) {
	if id, ok := strings.CutPrefix(rec, "# branch.oid "); ok && object.IsID(id) {
		l.Head = object.ID(id)
	}
	if name, ok := strings.CutPrefix(rec, "# branch.head "); ok && name != "(detached)" {
		l.Branch = name
	}
}

// Tracked is one entry of the index.
type Tracked struct {
	object.Entry // Entry.Name is the whole path
	Stage        byte
	// Hidden is true if git was told to ignore changes of the file (assume-unchanged or skip-worktree).
	Hidden bool
}

// Hidden lists the paths whose changes git was told to ignore (assume-unchanged or skip-worktree).
func (r *Repo) Hidden(ctx context.Context) ([]string, error) {
	if index.NoneHidden(r.GitDir, r.CommonDir) {
		return nil, nil
	}
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

// isHidden interprets the letter of "ls-files -v": a lower-case letter means assume-unchanged, S means skip-worktree.
func isHidden(tag byte) bool { return tag == 'S' || tag >= 'a' && tag <= 'z' }

// Index lists all entries of the index. An unmerged path has one entry for each of its stages.
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
			return nil, fmt.Errorf("parse the output of git ls-files: %q", rec)
		}
		all = append(all, Tracked{Entry: object.Entry{Name: path, Mode: uint32(mode), ID: object.ID(f[2])}, Stage: f[3][0] - '0', Hidden: isHidden(f[0][0])})
	}
	return all, nil
}
