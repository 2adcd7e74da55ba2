package specloop

import (
	"context"
	"errors"
	"io/fs"
	"path"

	"github.com/git-resume/git-resume/internal/sources"
)

// feature is one folder of specs while it is read.
type feature struct {
	ctx   context.Context
	view  *sources.View
	id    string
	dir   string
	trees []sources.Tree

	doubts sources.Doubts
}

func (f *feature) file(name string) string { return path.Join(f.dir, ".workflow", name) }

// state reads one state file. Absent is fs.ErrNotExist; what stands in the way of reading it is a doubt.
func (f *feature) state(t sources.Tree, full string) ([]byte, error) {
	data, err := t.Read(full)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.doubts = append(f.doubts, sources.DoubtOf(err, full))
	}
	return data, err
}
