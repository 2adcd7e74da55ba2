package specloop

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
)

// feature is one folder of specs while it is read.
type feature struct {
	ctx   context.Context
	view  *sources.View
	id    string
	dir   string
	trees []sources.Tree

	doubts []sources.Doubt
}

func (f *feature) doubt(code string, grade conflicts.Severity, path, format string, args ...any) {
	const most = 40
	if len(f.doubts) >= most {
		return
	}
	f.doubts = append(f.doubts, sources.Doubt{Code: code, Severity: grade, Path: path, Text: path + " " + fmt.Sprintf(format, args...)})
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
