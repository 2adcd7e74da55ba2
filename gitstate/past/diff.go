package past

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
)

// Delta is one path that differs between two trees.
type Delta struct {
	// Path is the newer name; OldPath differs from it only for renames.
	Path, OldPath string
	Old, New      object.Version
	// Letter is git's letter: A, D, M, T or R.
	Letter byte
}

// DiffOptions control whether and how Diff looks for renames.
type DiffOptions struct {
	// If Renames is true, Diff finds renames as a merge does: two files are a rename if at least half of their content is equal. Empty
	// files are excluded.
	Renames bool
	// Limit is how many files on each side are compared to find renames. 0 means git's default.
	Limit int
}

// Diff lists what differs between two trees or commits, by path.
func Diff(ctx context.Context, r *gitstate.Repo, from, to object.ID, o DiffOptions) ([]Delta, error) {
	args := append([]string{"diff-tree", "-r", "--raw", "-z", "--no-abbrev"}, o.flags()...)
	out, err := r.Git(ctx, process.Call{Args: append(args, string(from), string(to), "--")})
	if err != nil {
		return nil, fmt.Errorf("compare %s and %s: %w", from, to, err)
	}
	deltas, rest, err := parseRaw(strings.Split(string(out), "\x00"))
	if err == nil && len(rest) > 0 && rest[0] != "" {
		err = fmt.Errorf("parse the output of git diff-tree: %q", rest[0])
	}
	return deltas, err
}

func (o DiffOptions) flags() []string {
	if !o.Renames {
		return []string{"--no-renames"}
	}
	flags := []string{"-M50%", "--no-rename-empty"}
	if o.Limit > 0 {
		flags = append(flags, "-l"+strconv.Itoa(o.Limit))
	}
	return flags
}

// parseRaw reads records of "git diff --raw -z". It stops at the first field that does not begin a record.
func parseRaw(f []string) (out []Delta, rest []string, err error) {
	for len(f) > 0 && strings.HasPrefix(f[0], ":") {
		h := strings.Fields(f[0][1:])
		if len(h) != 5 || len(f) < 2 {
			return nil, nil, fmt.Errorf("parse the output of git diff-tree: %q", f[0])
		}
		d := Delta{Path: f[1], OldPath: f[1], Letter: h[4][0]}
		d.Old, d.New = parseVersion(h[0], h[2]), parseVersion(h[1], h[3])
		f = f[2:]
		if d.Letter == 'R' || d.Letter == 'C' {
			if len(f) == 0 {
				return nil, nil, fmt.Errorf("parse the output of git diff-tree: the second path of %q is missing", d.Path)
			}
			d.Path = f[0]
			f = f[1:]
		}
		out = append(out, d)
	}
	return out, f, nil
}

func parseVersion(mode, id string) object.Version {
	m, err := strconv.ParseUint(mode, 8, 32)
	if err != nil || m == 0 {
		return object.Version{}
	}
	return object.Version{Mode: uint32(m), ID: object.ID(id)}
}
