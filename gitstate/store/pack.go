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

// storeTries limits how often objects are written again. A simultaneous "git prune" may remove the directory into which an object is being
// written, or a pack that has no name yet.
const storeTries = 6

// Write writes the collected objects durably: a few as loose objects, more as one pack, which a git process writes.
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
