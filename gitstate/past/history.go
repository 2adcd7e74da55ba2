package past

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/store"
)

// literalPaths makes git treat paths as plain names, not as patterns.
var literalPaths = []string{"GIT_LITERAL_PATHSPECS=1"}

// Touch is a commit together with its changes to the given paths.
type Touch struct {
	ID      object.ID
	Author  object.Signature
	Made    time.Time // the committer's date
	Subject string
	Changes []Delta
}

// Wrote reports whether the commit gave a file this content.
func (t *Touch) Wrote(path string, v object.Version) bool {
	return slices.ContainsFunc(t.Changes, func(d Delta) bool { return d.Path == path && d.New == v })
}

// touchArgs make git list commits with their changes, in the format that TouchLog reads.
var touchArgs = []string{"log", "-z", "--raw", "--no-abbrev", "--no-renames",
	"--format=tformat:%x01%H%x00%an%x00%ae%x00%at%x00%ct%x00%s", "--no-show-signature", "--no-notes", "--no-color"}

// touchFields is the number of fields that git prints for a commit before its changes.
const touchFields = 6

// parseTouch reads the fields of a commit. The first field must begin with the byte 1.
func parseTouch(f []string) (Touch, error) {
	id, ok := strings.CutPrefix(f[0], "\x01")
	if !ok || !object.IsID(id) {
		return Touch{}, fmt.Errorf("parse the output of git log: %q", firstBytes(f[0]))
	}
	return Touch{ID: object.ID(id), Subject: f[5], Made: parseUnix(f[4]), Author: object.Signature{Name: f[1], Email: f[2], When: parseUnix(f[3])}}, nil
}

// FileAt reads the file at a path in a commit. Any name that git knows can be given for the commit. If there is no such commit, or no such
// file in it, the error wraps ErrMissing. If the commit has the file, but the content of the file is missing from this repository, the
// error does not wrap ErrMissing. If w.Known says that the caller already has the content, FileAt may return the object without its bytes.
func (s *Scratch) FileAt(ctx context.Context, commit, path string, w store.Wanted) (object.Object, error) {
	if !strings.Contains(path, "\n") {
		o, err := s.readBlob(ctx, commit+":"+path, w)
		var other *store.KindError
		if errors.As(err, &other) {
			return object.Object{}, fmt.Errorf("read '%s' of %s: %w", path, commit, object.ErrMissing)
		}
		if err == nil {
			return o, nil
		}
		if !errors.Is(err, object.ErrMissing) {
			return object.Object{}, fmt.Errorf("read '%s' of %s: %w", path, commit, err)
		}
	}
	// The helper process gives the same answer for a file that does not exist and for a file whose content is missing.
	e, err := s.Lookup(ctx, object.ID(commit), path)
	if err != nil {
		return object.Object{}, err
	}
	if e.Mode == object.ModeDir || e.Mode == object.ModeSubmodule {
		return object.Object{}, fmt.Errorf("read '%s' of %s: %w", path, commit, object.ErrMissing)
	}
	o, err := s.readBlob(ctx, string(e.ID), w)
	if err != nil {
		return object.Object{}, fmt.Errorf("read '%s' of %s: %v", path, commit, err)
	}
	return o, nil
}

// InUTF8 returns the author and the subject of a commit in UTF-8, for a commit that was written in another encoding. If git cannot convert
// them, it returns them unchanged.
func InUTF8(ctx context.Context, r *gitstate.Repo, c object.Commit) (author, subject string) {
	text, err := r.Line(ctx, "log", "-1", "--no-show-signature", "--encoding=UTF-8", "--format=%an%x00%s", string(c.ID))
	author, subject, ok := strings.Cut(text, "\x00")
	if err != nil || !ok {
		return c.Author.Name, c.Subject()
	}
	return author, subject
}

// Attributes returns the value of one attribute for many paths, as git finds it for the worktree. An attribute without a value is "set" or
// "unset", as in git. Paths for which the attribute is not specified are not in the map.
func Attributes(ctx context.Context, r *gitstate.Repo, name string, paths []string) (map[string]string, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	ask := strings.Join(paths, "\x00") + "\x00"
	out, err := r.Git(ctx, process.Call{Args: []string{"check-attr", "-z", "--stdin", name}, Stdin: strings.NewReader(ask)})
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

// parseUnix reads a Unix time in seconds. A text that is not a number gives 1970.
func parseUnix(text string) time.Time {
	sec, _ := strconv.ParseInt(text, 10, 64)
	return time.Unix(sec, 0).UTC()
}
