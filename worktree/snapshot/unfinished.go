package snapshot

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/dotgit"
	"github.com/git-resume/git-resume/worktree/series"
)

// Purpose says which command restores a snapshot.
type Purpose string

// These commands restore snapshots in a worktree that is in use. The purpose is empty if a snapshot is restored in a new worktree. Such
// a restore is not recorded in a file, because nobody uses a new worktree before it is complete.
const (
	ByRestore Purpose = "restore"
	ByUndo    Purpose = "undo"
	ByRedo    Purpose = "redo"
)

// Unfinished is a restore that has started to change a worktree. It is stored in the worktree's git dir until all files are written. So if
// the process is killed, the next command knows that the worktree may have files of two states, and which command finishes the restore.
type Unfinished struct {
	Purpose Purpose
	// Run is the run or git operation whose snapshots are used. Number is the number of the snapshot that is restored.
	Run    string
	Number int
	// Paths limits the restore to some files and folders.
	Paths []string
	// Snapshot is the git tree of the snapshot that is restored. Before is the git tree of the snapshot that was taken
	// before the restore, or empty if none was needed. BeforeNumber is the number of the snapshot Before.
	Snapshot, Before object.ID
	BeforeNumber     int
}

// unfinishedFile is the file in a worktree's git dir that describes an unfinished restore.
const unfinishedFile = "resume-restore"

// maxUnfinished is the maximum size of the unfinishedFile in bytes. If it would be larger, the list of paths is left out.
const maxUnfinished = 1 << 20

func unfinishedPath(gitDir string) string { return filepath.Join(gitDir, unfinishedFile) }

// FindUnfinished returns the restore that was interrupted in the worktree with this git dir, or nil if there is none.
func FindUnfinished(gitDir string) *Unfinished {
	text, err := gitstate.ReadUpTo(unfinishedPath(gitDir), maxUnfinished)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	u := &Unfinished{Purpose: ByRestore} // the restore was interrupted, even if the file that describes it cannot be read
	if err == nil {
		for line := range strings.Lines(string(text)) {
			key, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			u.decode(key, rest)
		}
	}
	return u
}

// Label returns the name of the snapshot that is restored, or "" if its number is not known.
func (u *Unfinished) Label() string {
	if u.Number == 0 {
		return ""
	}
	return Label(u.Run, u.Number)
}

// The method same() reports whether two restores have the same purpose, run, snapshot and paths, so that the second one finishes the first
// one.
func (u *Unfinished) same(v *Unfinished) bool {
	return u.Purpose == v.Purpose && u.Run == v.Run && u.Snapshot == v.Snapshot && slices.Equal(u.Paths, v.Paths)
}

func (u *Unfinished) encode() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("version 1")
	line("purpose %s", u.Purpose)
	line("run %s", u.Run)
	line("number %d", u.Number)
	line("snapshot %s", u.Snapshot)
	if u.Before != "" {
		line("before %s", u.Before)
		line("before-number %d", u.BeforeNumber)
	}
	for _, path := range u.Paths {
		line("path %s", strconv.QuoteToASCII(path))
	}
	return b.String()
}

// decode reads one line of the file. It ignores a line that it does not understand.
func (u *Unfinished) decode(key, rest string) {
	number := func() int {
		n, err := strconv.Atoi(rest)
		if err != nil || n < 1 {
			return 0
		}
		return n
	}
	id := func() object.ID {
		id, err := series.DecodeID(rest)
		if err != nil {
			return ""
		}
		return id
	}
	switch key {
	case "purpose":
		if p := Purpose(rest); p == ByUndo || p == ByRedo {
			u.Purpose = p
		}
	case "run":
		if series.CheckRun(rest) == nil {
			u.Run = rest
		}
	case "number":
		u.Number = number()
	case "snapshot":
		u.Snapshot = id()
	case "before":
		u.Before = id()
	case "before-number":
		u.BeforeNumber = number()
	case "path":
		if path, err := strconv.Unquote(rest); err == nil {
			u.Paths = append(u.Paths, path)
		}
	}
}

// The method note() stores that a restore is about to change files. This survives a power failure.
func (u *Unfinished) note(repo *gitstate.Repo) error {
	text := u.encode()
	if len(text) > maxUnfinished {
		all := *u
		all.Paths = nil // leave out a list of paths that is too long; the user still learns which snapshot is being restored
		text = all.encode()
	}
	return repo.Guard.Replace(unfinishedPath(repo.GitDir), []byte(text))
}

// ForgetUnfinished stores that no restore is unfinished in the worktree with this git dir.
func ForgetUnfinished(gitDir string) error {
	if err := os.Remove(unfinishedPath(gitDir)); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	return dotgit.SyncDir(gitDir)
}
