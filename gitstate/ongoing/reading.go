package ongoing

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
)

// reading is a look at one worktree.
type reading struct {
	ctx  context.Context
	repo *gitstate.Repo
	// names are what is in the git dir, refs what a table holds instead.
	names map[string]bool
	refs  map[string]object.ID
	// shared are locks that belong to no worktree alone; the main one tells of them.
	shared []string

	unmerged []string
	asked    bool
	moved    *string // what HEAD's log says last, once it was looked at
	err      error
}

func (x *reading) has(file string) bool {
	top, rest, deep := strings.Cut(file, "/")
	if id := x.refs[top]; id != "" {
		return true
	}
	if !x.names[top] {
		return false
	}
	if !deep {
		return true
	}
	_, err := os.Lstat(x.path(top, rest))
	return err == nil
}

func (x *reading) path(elem ...string) string {
	return filepath.Join(append([]string{x.repo.GitDir}, elem...)...)
}

// text reads a small file of the git dir; empty if it is not there.
func (x *reading) text(elem ...string) string {
	const most = 8 << 20
	info, err := os.Stat(x.path(elem...))
	if err != nil || !info.Mode().IsRegular() || info.Size() > most {
		return ""
	}
	data, _ := locate.ReadFile(x.path(elem...))
	return string(data)
}

func (x *reading) line(elem ...string) string {
	first, _, _ := strings.Cut(x.text(elem...), "\n")
	return strings.TrimRight(first, "\r")
}

func (x *reading) number(elem ...string) int {
	n, _ := strconv.Atoi(x.line(elem...))
	return max(n, 0)
}

func (x *reading) id(elem ...string) object.ID {
	if id := x.line(elem...); object.IsID(id) {
		return object.ID(id)
	}
	return ""
}

// ref is the commit of a mark that is a file or an entry of a table.
func (x *reading) ref(name string) object.ID {
	if id := x.refs[name]; id != "" {
		return id
	}
	return x.id(name)
}

// newest is when one of these files, or a file in one of these folders, last changed.
func (x *reading) newest(names ...string) time.Time {
	var last time.Time
	note := func(info fs.FileInfo, err error) {
		if err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	for _, name := range names {
		path := x.path(name)
		note(os.Lstat(path))
		entries, _ := os.ReadDir(path) // a file has none
		for _, e := range entries {
			note(e.Info())
		}
	}
	return last
}

// unresolved are the unmerged paths; git is asked once, and only if there may be some.
func (x *reading) unresolved() []string {
	if x.asked {
		return x.unmerged
	}
	x.asked = true
	if x.repo.WorkTree == "" || indexIsMerged(x.repo) {
		return nil
	}
	out, err := x.repo.Git(x.ctx, process.Call{Args: []string{"ls-files", "-u", "-z", "--full-name"}})
	if err != nil {
		x.err = err
		return nil
	}
	for rec := range strings.SplitSeq(string(out), "\x00") {
		if _, path, ok := strings.Cut(rec, "\t"); ok {
			x.unmerged = append(x.unmerged, path)
		}
	}
	x.unmerged = slices.Compact(x.unmerged) // each stage has a line
	return x.unmerged
}

// conflictOr is the stop of an operation that waits for paths to be resolved, or for something else.
func (x *reading) conflictOr(other Stop) (Stop, []string) {
	if paths := x.unresolved(); len(paths) > 0 {
		return StopConflict, paths
	}
	return other, nil
}

func (x *reading) branch() string {
	branch, _, _ := x.repo.Refs.Head(x.ctx)
	return branch
}
