package snapshot

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/worktree/place"
)

// keptIndex holds what a restore of the index needs: the bytes of the index file, and blobs that perhaps no commit contains.
type keptIndex struct {
	file   object.ID
	shared map[string]object.ID // maps the file name of each base file of a split index to its blob
	blobs  []object.ID
}

// readIndex saves the index if it differs from HEAD. It saves the index twice: as a tree that people can read, and byte for byte for a
// restore.
func (t *snapshotJob) readIndex(ctx context.Context) error {
	staged := Edit(t.repo, t.headTree)
	var k keptIndex
	special := false
	for _, c := range t.look.Changes {
		var err error
		switch {
		case c.Unmerged:
			special = true
			for _, s := range c.Stages {
				if s.ID != "" && s.Mode != object.ModeSubmodule {
					k.blobs = append(k.blobs, s.ID)
				}
			}
			err = stageSide(ctx, staged, c)
		case c.Staged():
			special = true
			err = stage(ctx, staged, c)
		case c.Tree == 'A': // "git add -N" puts an empty blob into the index, which must be saved too
			special = true
			k.blobs = append(k.blobs, t.pending.Add("blob", nil))
		}
		if err != nil {
			return err
		}
	}
	if !special {
		return nil
	}
	if err := t.keepIndexFile(&k); err != nil {
		return err
	}
	t.meta.indexTree, t.meta.indexFile = staged.write(t.pending), k.file
	t.index = k.add(t.pending, t.meta.indexTree)
	return nil
}

func stage(ctx context.Context, e *editor, c gitstate.Change) error {
	if c.IndexID == "" {
		return e.remove(ctx, c.Path)
	}
	mode, err := strconv.ParseUint(c.ModeIndex, 8, 32)
	if err != nil {
		return fmt.Errorf("parse mode %q: %w", c.ModeIndex, err)
	}
	return e.put(ctx, c.Path, uint32(mode), c.IndexID)
}

// stageSide puts our version of a conflicting path into the tree of staged files, which can have only one version of each path. All
// versions are in the copy of the index file that the snapshot contains.
func stageSide(ctx context.Context, e *editor, c gitstate.Change) error {
	if ours := c.Stages[1]; ours.ID != "" {
		return e.put(ctx, c.Path, ours.Mode, ours.ID)
	}
	return e.remove(ctx, c.Path)
}

// keepIndexFile stores the index as it is on disk, and the shared part of a split index.
func (t *snapshotJob) keepIndexFile(k *keptIndex) error {
	data, err := os.ReadFile(filepath.Join(t.repo.GitDir, "index"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read index: %w", err)
	}
	k.file = t.pending.Add("blob", data)
	k.shared = map[string]object.ID{}
	names, _ := filepath.Glob(filepath.Join(place.GlobQuote(t.repo.GitDir), "sharedindex.*"))
	for _, name := range names {
		sum, err := hex.DecodeString(strings.TrimPrefix(filepath.Base(name), "sharedindex."))
		if err != nil || !bytes.Contains(data, sum) {
			continue // this base file belongs to an older index
		}
		shared, err := os.ReadFile(name)
		if err != nil {
			return fmt.Errorf("read shared index: %w", err)
		}
		k.shared[filepath.Base(name)] = t.pending.Add("blob", shared)
	}
	return nil
}

// The names in the folder with the saved index.
const (
	stagedTree = "tree"
	indexBytes = "file"
	sidesTree  = "sides"
)

// add adds the folder with the saved index to the pending objects. "git diff HEAD ENTRY:index/tree" then shows the staged changes.
func (k keptIndex) add(p *object.Pending, staged object.ID) object.ID {
	entries := []object.Entry{{Name: stagedTree, Mode: object.ModeDir, ID: staged}}
	if k.file != "" {
		entries = append(entries, object.Entry{Name: indexBytes, Mode: object.ModeFile, ID: k.file})
	}
	for name, id := range k.shared {
		entries = append(entries, object.Entry{Name: name, Mode: object.ModeFile, ID: id})
	}
	if sides := blobTree(p, k.blobs); sides != "" {
		entries = append(entries, object.Entry{Name: sidesTree, Mode: object.ModeDir, ID: sides})
	}
	return p.Add("tree", object.TreeData(entries))
}

// blobTree adds a tree that contains the given objects, so that gc does not delete them. It returns an empty id if there are no objects.
func blobTree(p *object.Pending, ids []object.ID) object.ID {
	var entries []object.Entry
	seen := map[object.ID]bool{}
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			entries = append(entries, object.Entry{Name: string(id), Mode: object.ModeFile, ID: id})
		}
	}
	if len(entries) == 0 {
		return ""
	}
	return p.Add("tree", object.TreeData(entries))
}
