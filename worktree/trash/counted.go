package trash

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/internal/dotgit"
	"github.com/git-resume/git-resume/worktree"
	"github.com/git-resume/git-resume/worktree/place"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// mark identifies an ignored file by its size and modification time. If both are unchanged, the file counts as unchanged and is not read.
type mark struct{ size, at int64 }

type marks map[string]mark

func markOf(info fs.FileInfo) mark { return mark{info.Size(), info.ModTime().UnixNano()} }

// countedFile is a file next to the record of a discard. It lists the ignored files that may be deleted.
const countedFile = "counted"

// noteCounted records which ignored files may be deleted. These are the files that the user has seen in a preview. Without a preview, they
// are the files that exist now.
func (d *discardJob) noteCounted(ctx context.Context, t worktree.Tree) error {
	counted := marks{}
	if shown := d.req.Shown; shown != nil && shown.counted != nil {
		counted = shown.counted
	} else {
		at := d.repo.At(locate.Place{GitDir: t.Admin, CommonDir: d.repo.CommonDir, WorkTree: t.Path})
		defer at.Close()
		look, err := at.ReadState(ctx)
		if err != nil {
			return err
		}
		for _, name := range look.Ignored {
			measure(t.Path, name, d.req.Keep, counted)
		}
	}
	var text bytes.Buffer
	for _, path := range slices.Sorted(maps.Keys(counted)) {
		fmt.Fprintf(&text, "%d %d %s\x00", counted[path].size, counted[path].at, path)
	}
	if err := dotgit.MkdirAll(d.dir); err != nil {
		return err
	}
	return dotgit.WriteFile(filepath.Join(d.dir, countedFile), text.Bytes())
}

// readMarks reads the countedFile. If the file cannot be read, the result is empty. Then no ignored file counts as one that may be deleted
// without a copy.
func readMarks(path string) marks {
	text, _ := os.ReadFile(path)
	out := marks{}
	for rec := range strings.SplitSeq(string(text), "\x00") {
		size, rest, _ := strings.Cut(rec, " ")
		at, path, ok := strings.Cut(rest, " ")
		n, errA := strconv.ParseInt(size, 10, 64)
		when, errB := strconv.ParseInt(at, 10, 64)
		if ok && errA == nil && errB == nil {
			out[path] = mark{n, when}
		}
	}
	return out
}

// measure adds up the size of an ignored file or directory, and records each file in the map "counted". It skips the paths in the list
// "keep".
func measure(root, name string, keep []string, counted marks) snapshot.Omission {
	l := snapshot.Omission{Kind: snapshot.Ignored, Path: name}
	_ = filepath.WalkDir(filepath.Join(root, filepath.FromSlash(name)), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return place.SkipUnreadable(d)
		}
		if rel, err := filepath.Rel(root, path); err == nil && snapshot.IsKept(filepath.ToSlash(rel), keep) {
			return place.SkipUnreadable(d)
		}
		if d.IsDir() {
			return nil
		}
		l.Files++
		if info, err := d.Info(); err == nil {
			l.Size += info.Size()
			if rel, err := filepath.Rel(root, path); err == nil {
				counted[filepath.ToSlash(rel)] = markOf(info)
			}
		}
		l.Data = l.Data || looksLikeData(d.Name())
		return nil
	})
	return l
}

// dataNames match files that people often ignore, but perhaps cannot create again.
var dataNames = []string{".env", ".env.*", "*.env", "*.db", "*.sqlite", "*.sqlite3"}

func looksLikeData(name string) bool {
	for _, pattern := range dataNames {
		if ok, _ := path.Match(pattern, strings.ToLower(name)); ok {
			return true
		}
	}
	return false
}
