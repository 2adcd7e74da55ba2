package gitstate

import (
	"bytes"
	"context"
	"fmt"
)

// fewObjects is the number up to which loose objects are cheaper than they are untidy:
// each costs a file and a sync, about a millisecond, where a whole pack costs three.
const fewObjects = 8

// Len is the number of objects collected.
func (p *Pending) Len() int { return len(p.objects) }

// StoreObjects writes the collection durably, as loose objects if they are few and else as one pack that stays.
func (r *Repo) StoreObjects(ctx context.Context, p *Pending) error {
	if len(p.objects) <= fewObjects {
		return r.WriteObjects(ctx, p)
	}
	pack, err := p.pack()
	if err != nil {
		return err
	}
	_, err = r.Git(ctx, Call{Args: []string{"index-pack", "--stdin"}, Mode: Write, Stdin: bytes.NewReader(pack)})
	if err != nil {
		return fmt.Errorf("write objects: %w", err)
	}
	return nil
}
