package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
)

// fewObjects is the largest number of objects that are written as loose objects. Each loose object costs a file and a sync, about a
// millisecond, while a whole pack costs about three milliseconds.
const fewObjects = 8

// storeTries limits how often we let git try to write the objects. A try can fail because of a simultaneous "git prune". This may remove
// the directory for a new object, or a pack that has no name yet.
const storeTries = 6

// Write writes the collected objects durably. If there are at most fewObjects of them, they become loose objects, which this process or
// git writes. If there are more, git writes all of them as one pack.
func (r *Objects) Write(ctx context.Context, p *object.Pending) error {
	if len(p.Objects) == 0 {
		return nil
	}
	if len(p.Objects) <= fewObjects && r.writeFiles(ctx, p) {
		return nil
	}
	args, deflate := []string{"unpack-objects", "-q"}, object.Wrap // git compresses the objects itself, so we do not
	if len(p.Objects) > fewObjects {
		args, deflate = []string{"index-pack", "--stdin"}, object.Compressor()
	}
	pack, err := p.Pack(deflate)
	if err != nil {
		return err
	}
	for i := 1; ; i++ {
		_, err = r.git.Git(ctx, process.Call{Args: args, Mode: process.Write, Stdin: bytes.NewReader(pack)})
		if err == nil {
			return nil
		}
		var git *process.Error
		if i == storeTries || !errors.As(err, &git) {
			return fmt.Errorf("write objects: %w", err)
		}
	}
}
