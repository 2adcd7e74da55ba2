package snapshot

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/store"
	"github.com/git-resume/git-resume/worktree/place"
)

// Files are written by several goroutines if there are at least manyFiles of them. With fewer, one goroutine is as fast.
const (
	manyFiles  = 64
	maxWriters = 4
)

// Each goroutine gets a batch of files, which are often in one directory. This is faster, because goroutines that write into the same
// directory wait for each other in the kernel.
const (
	batchFiles = 32
	batchBytes = 1 << 20
)

// putContents writes files and links, whose contents it requests from git all at once. A file that git does not deliver
// in this way, for example because it is very large, is written on its own.
func (w writer) putContents(ctx context.Context, items []Item) error {
	names, done := make([]string, len(items)), make([]bool, len(items))
	for i, it := range items {
		names[i] = string(it.ID)
	}
	writers := 1
	if len(items) >= manyFiles {
		writers = min(runtime.GOMAXPROCS(0), maxWriters)
	}
	crew := hire(writers, func(c content) error { return w.named(c.item, w.put(c.item, c.data)) })
	_ = w.repo.Objects.Each(ctx, names, store.Wanted{Kinds: []string{"blob"}, Limit: bigFile}, func(i int, o object.Object) error {
		done[i] = true
		crew.give(content{items[i], o.Data})
		return nil
	})
	if err := crew.finish(); err != nil {
		return err
	}
	for i, it := range items {
		if done[i] {
			continue
		}
		if err := w.named(it, w.putAlone(ctx, it)); err != nil {
			return err
		}
	}
	return nil
}

// content is an item with the bytes of its file, or with the target of its link.
type content struct {
	item Item
	data []byte
}

// crew is a group of goroutines that write files. After the first error, no goroutine starts to write another file.
type crew struct {
	work  chan []content
	batch []content
	bytes int
	done  sync.WaitGroup
	mu    sync.Mutex
	first error
}

// hire starts the goroutines of a crew. Each of them calls write() for the items that it is given.
func hire(n int, write func(content) error) *crew {
	c := &crew{work: make(chan []content)}
	for range n {
		c.done.Go(func() {
			for batch := range c.work {
				for _, item := range batch {
					if c.failed() != nil {
						break
					}
					c.note(write(item))
				}
			}
		})
	}
	return c
}

// give adds an item to the next batch. If the batch is full, give waits until a goroutine of the crew is free to write it.
func (c *crew) give(item content) {
	c.batch, c.bytes = append(c.batch, item), c.bytes+len(item.data)
	if len(c.batch) >= batchFiles || c.bytes >= batchBytes {
		c.work <- c.batch
		c.batch, c.bytes = make([]content, 0, batchFiles), 0
	}
}

// finish waits until everything is written, and returns the first error.
func (c *crew) finish() error {
	c.work <- c.batch
	close(c.work)
	c.done.Wait()
	return c.first
}

func (c *crew) failed() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.first
}

func (c *crew) note(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.first == nil {
		c.first = err
	}
}

// put writes one file or link in the place of whatever exists there. A file that already has these bytes is not written again, so that its
// modification time stays.
func (w writer) put(it Item, data []byte) error {
	full := w.full(it.Path)
	if w.isStoredLink(it) {
		if to, err := os.Readlink(full); err == nil && filepath.ToSlash(to) == string(data) {
			return nil
		}
		if err := makeRoom(full); err != nil {
			return err
		}
		return os.Symlink(string(data), full)
	}
	if info, err := os.Lstat(full); err == nil && hasBytes(full, info, data) {
		return chmod(full, info, w.permOf(it))
	}
	return w.replace(it, func(f *os.File) error { _, err := f.Write(data); return err })
}

// replace writes one file in the place of whatever exists there. The function fill() writes its content.
func (w writer) replace(it Item, fill func(*os.File) error) error {
	full, perm := w.full(it.Path), w.permOf(it)
	if err := makeRoom(full); err != nil {
		return err
	}
	f, err := place.Create(full, fileMode(perm).Perm()|0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	return errors.Join(fill(f), f.Close(), chmod(full, info, perm))
}

// putAlone writes an item that could not be read together with the others. If the blob is too large for our memory, git writes it directly
// to the disk.
func (w writer) putAlone(ctx context.Context, it Item) error {
	data, err := w.repo.Objects.Blob(ctx, it.ID)
	switch {
	case err == nil:
		return w.put(it, data)
	case errors.Is(err, object.ErrMissing) || w.isStoredLink(it):
		return err
	}
	return w.replace(it, func(f *os.File) error {
		_, err := w.repo.Git(ctx, process.Call{Args: []string{"cat-file", "blob", string(it.ID)}, Stdout: f})
		return err
	})
}

func hasBytes(full string, info fs.FileInfo, data []byte) bool {
	if !info.Mode().IsRegular() || info.Size() != int64(len(data)) {
		return false
	}
	have, err := os.ReadFile(full)
	return err == nil && bytes.Equal(have, data)
}

// makeRoom removes whatever exists at the path of a new file. It fails if this is a directory that is not empty.
func makeRoom(full string) error {
	err := os.Remove(full)
	if place.Gone(err) {
		return nil
	}
	return err
}
