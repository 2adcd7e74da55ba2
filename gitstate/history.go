package gitstate

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Touch is a commit and those of the asked paths that it changed.
type Touch struct {
	ID      OID
	Author  Signature
	Subject string
	Paths   []string
}

// Touching lists the commits of from..to that changed any of the paths, newest first.
// Merges count only for what git lists of them, which is nothing.
func (r *Repo) Touching(ctx context.Context, from, to OID, paths []string) ([]Touch, error) {
	args := []string{"log", "-z", "--format=tformat:%x01%H%x00%an%x00%ae%x00%at%x00%s", "--name-only",
		"--no-renames", "--no-show-signature", "--no-notes", "--no-color", string(from) + ".." + string(to), "--"}
	out, err := r.Git(ctx, Call{Args: append(args, paths...), Env: literal})
	if err != nil {
		return nil, fmt.Errorf("list the commits since %s: %w", from, err)
	}
	return parseTouches(string(out))
}

// parseTouches reads records that begin with a byte no path of a diff begins with in this position:
// the id behind it tells the two apart for good.
func parseTouches(text string) ([]Touch, error) {
	var out []Touch
	f := strings.Split(text, "\x00")
	for i := 0; i < len(f); i++ {
		id, begins := strings.CutPrefix(strings.TrimPrefix(f[i], "\n"), "\x01")
		switch {
		case begins && IsOID(id) && i+4 < len(f):
			sec, _ := strconv.ParseInt(f[i+3], 10, 64)
			out = append(out, Touch{ID: OID(id), Subject: f[i+4],
				Author: Signature{Name: f[i+1], Email: f[i+2], When: time.Unix(sec, 0).UTC()}})
			i += 4
		case f[i] == "":
		case len(out) == 0:
			return nil, fmt.Errorf("understand git log: %q", firstBytes(f[i]))
		default:
			last, path := &out[len(out)-1], f[i]
			if len(last.Paths) == 0 {
				path = strings.TrimPrefix(path, "\n") // it ends the line of the subject
			}
			last.Paths = append(last.Paths, path)
		}
	}
	return out, nil
}

// Blame names the commits of from..to that made any of the lines (ranges of 1-based, inclusive numbers)
// of a file as it is in to. Lines older than from have none.
func (r *Repo) Blame(ctx context.Context, from, to OID, path string, ranges [][2]int) (map[OID]bool, error) {
	args := []string{"blame", "--porcelain", "--no-progress"}
	for _, g := range ranges {
		args = append(args, "-L", strconv.Itoa(g[0])+","+strconv.Itoa(g[1]))
	}
	out, err := r.Git(ctx, Call{Args: append(args, string(from)+".."+string(to), "--", path)})
	if err != nil {
		return nil, fmt.Errorf("ask who wrote '%s': %w", path, err)
	}
	made := map[OID]bool{}
	var at OID
	for line := range bytes.Lines(out) {
		if len(line) > 0 && line[0] == '\t' {
			continue
		}
		text := strings.TrimRight(string(line), "\n")
		word, _, _ := strings.Cut(text, " ")
		switch {
		case IsOID(word):
			if _, known := made[OID(word)]; !known {
				made[OID(word)] = true
			}
			at = OID(word)
		case word == "boundary":
			made[at] = false
		}
	}
	for id, in := range made {
		if !in {
			delete(made, id)
		}
	}
	return made, nil
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
