package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
)

// fewObjects is the number up to which loose objects are cheaper than they are untidy:
// each costs a file and a sync, about a millisecond, where a whole pack costs three.
const fewObjects = 8

// storeTries bounds how often objects are written again: a "git prune" beside us may take away
// the directory that an object is just put into, or a pack that has no name yet.
const storeTries = 6

// Write hands the collection to git in one process, which writes it durably: as loose objects if they are few and else as one pack that stays.
func (r *Objects) Write(ctx context.Context, p *object.Pending) error {
	if len(p.Objects) == 0 {
		return nil
	}
	args, deflate := []string{"unpack-objects", "-q"}, object.Wrap // git compresses what it unpacks its own way
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
