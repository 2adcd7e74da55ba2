package gitstate

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// literal makes git take paths as names.
var literal = []string{"GIT_LITERAL_PATHSPECS=1"}

// Touch is a commit and what it changed of the asked paths.
type Touch struct {
	ID      OID
	Author  Signature
	Subject string
	Changes []Delta
}

// Touching lists the commits of two tips that are not in base and that changed any of the paths, newest first.
// One that both tips have counts for one of them. Merges count only for what git lists of them, which is nothing.
func (r *Repo) Touching(ctx context.Context, base, ours, theirs OID, paths []string) (byOurs, byTheirs []Touch, err error) {
	args := append(slices.Clone(touchArgs), string(ours), string(theirs), "^"+string(base), "--")
	out, err := r.Git(ctx, Call{Args: append(args, paths...), Env: literal})
	if err != nil {
		return nil, nil, fmt.Errorf("list the commits since %s: %w", base, err)
	}
	return parseTouches(string(out), ours)
}

// touchArgs ask for commits with what each changed, in the form that parseTouches reads.
var touchArgs = []string{"log", "-z", "--source", "--raw", "--no-abbrev", "--no-renames",
	"--format=tformat:%x01%S%x00%H%x00%an%x00%ae%x00%at%x00%s", "--no-show-signature", "--no-notes", "--no-color"}

// Touches lists the commits below a tip that changed any of the paths, newest first, at most most, with what each
// changed of them. Commits from before since are not looked at, which bounds the walk; a zero time looks at all.
func (r *Repo) Touches(ctx context.Context, tip string, since time.Time, most int, paths ...string) ([]Touch, error) {
	args := append(slices.Clone(touchArgs), "-n", strconv.Itoa(most))
	if !since.IsZero() {
		args = append(args, "--since="+since.UTC().Format(time.RFC3339))
	}
	args = append(args, "--end-of-options", tip, "--")
	out, err := r.Git(ctx, Call{Args: append(args, paths...), Env: literal})
	if err != nil {
		return nil, fmt.Errorf("list the commits of %s: %w", tip, err)
	}
	touches, _, err := parseTouches(string(out), OID(tip))
	return touches, err
}

// parseTouches reads records of six fields; a byte that begins no other field begins the first,
// which says from which side git came to the commit.
func parseTouches(text string, ours OID) (byOurs, byTheirs []Touch, err error) {
	for f := strings.Split(text, "\x00"); len(f) >= 6; {
		from, ok := strings.CutPrefix(f[0], "\x01")
		if !ok || !IsOID(f[1]) {
			return nil, nil, fmt.Errorf("understand git log: %q", firstBytes(f[0]))
		}
		sec, _ := strconv.ParseInt(f[4], 10, 64)
		t := Touch{ID: OID(f[1]), Subject: f[5],
			Author: Signature{Name: f[2], Email: f[3], When: time.Unix(sec, 0).UTC()}}
		f = f[6:]
		if len(f) > 0 {
			f[0] = strings.TrimPrefix(f[0], "\n") // the end of the subject's line
		}
		if t.Changes, f, err = parseRaw(f); err != nil {
			return nil, nil, err
		}
		if from == string(ours) {
			byOurs = append(byOurs, t)
		} else {
			byTheirs = append(byTheirs, t)
		}
	}
	return byOurs, byTheirs, nil
}

// Attributes asks for one attribute of many paths, as the worktree's files define it.
// A path without a value is absent from the answer; "set" and "unset" are git's words.
func (r *Repo) Attributes(ctx context.Context, name string, paths []string) (map[string]string, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	ask := strings.Join(paths, "\x00") + "\x00"
	out, err := r.Git(ctx, Call{Args: []string{"check-attr", "-z", "--stdin", name}, Stdin: strings.NewReader(ask)})
	if err != nil {
		return nil, fmt.Errorf("read attribute '%s': %w", name, err)
	}
	values := map[string]string{}
	f := strings.Split(string(out), "\x00")
	for i := 0; i+2 < len(f); i += 3 {
		if f[i+2] != "unspecified" {
			values[f[i]] = f[i+2]
		}
	}
	return values, nil
}
