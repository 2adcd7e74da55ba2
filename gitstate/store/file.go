package store

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/dotgit"
)

// writeFiles writes a few small objects as loose object files, in the same steps as git: it writes a temporary file, waits until the file
// is on the disk, and renames the file. A kill can leave a temporary file behind, which "git gc" removes like git's own temporary files.
// writeFiles returns false if git has to write the objects, because something is unusual or has failed.
func (r *Objects) writeFiles(ctx context.Context, p *object.Pending) bool {
	if runtime.GOOS == "windows" || r.git.HasExtra() || r.settings.Mentions("sharedrepository") || r.settings.Mentions("compatobjectformat") || ctx.Err() != nil {
		return false
	}
	dir := filepath.Join(r.git.CommonDir, "objects")
	for _, o := range p.Objects {
		if len(o.Data) > smallObject || writeFile(dir, o) != nil {
			return false
		}
	}
	return true
}

func writeFile(dir string, o object.Object) error {
	folder := filepath.Join(dir, string(o.ID[:2]))
	path := filepath.Join(folder, string(o.ID[2:]))
	if _, err := os.Lstat(path); err == nil {
		// The object exists already. As git does, give its file the current time, so that a simultaneous "git prune" keeps the file. If
		// the file belongs to somebody else, this fails, and git has to write the object.
		return dotgit.Touch(path)
	}
	if err := os.Mkdir(folder, 0o777); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	f, err := os.CreateTemp(folder, "tmp_obj_")
	if err != nil {
		return err
	}
	_, err = f.Write(packed(o))
	err = errors.Join(err, f.Chmod(0o444&^dotgit.Umask()), dotgit.SyncOpen(f), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// On most file systems, a file of at most oneBlock bytes takes the same room on the disk, compressed or not.
const oneBlock = 4000

// fast has compressors that can be used again, because making one costs more than compressing a small object.
var fast = sync.Pool{New: func() any {
	z, _ := zlib.NewWriterLevel(nil, zlib.BestSpeed) // it fails only for a level that does not exist
	return z
}}

// packed returns the content of the loose object file for an object. Content of at most oneBlock bytes is not compressed.
func packed(o object.Object) []byte {
	var buf bytes.Buffer
	data := append(fmt.Appendf(nil, "%s %d\x00", o.Type, len(o.Data)), o.Data...)
	if len(data) <= oneBlock {
		object.Wrap(&buf, data)
		return buf.Bytes()
	}
	z := fast.Get().(*zlib.Writer)
	defer fast.Put(z)
	z.Reset(&buf)
	_, _ = z.Write(data) // a write to memory cannot fail
	_ = z.Close()
	return buf.Bytes()
}
