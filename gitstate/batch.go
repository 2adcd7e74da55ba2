package gitstate

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/git-resume/git-resume/internal/proc"
)

// ErrMissing says that the repository has no such object.
var ErrMissing = errors.New("no such object")

// maxObject bounds what is read into memory at once; plans, notes, trees and commits are far smaller.
const maxObject = 256 << 20

// Object is one object's kind and bytes as git stores them.
type Object struct {
	ID   OID
	Type string
	Data []byte
}

// batch is a running "git cat-file --batch".
type batch struct {
	mu    sync.Mutex
	child *proc.Child
	out   *bufio.Reader
}

// Object reads one object by id or by any name git understands.
// ErrMissing is in the error's chain if there is none.
func (r *Repo) Object(ctx context.Context, name string) (Object, error) {
	if name == "" || strings.ContainsAny(name, "\n\x00") {
		return Object{}, fmt.Errorf("read object %q: %w", name, ErrMissing)
	}
	b, err := r.objects(ctx)
	if err != nil {
		return Object{}, err
	}
	o, err := b.read(name)
	if err != nil {
		return Object{}, fmt.Errorf("read object %s: %w", name, err)
	}
	return o, nil
}

func (r *Repo) objects(ctx context.Context) (*batch, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.batch != nil {
		return r.batch, nil
	}
	// The helper outlives the call that needed it first, so that call's deadline must not end it.
	cmd := r.command(Call{Args: []string{"cat-file", "--batch"}})
	child, err := cmd.Start(context.WithoutCancel(ctx))
	if err != nil {
		return nil, fmt.Errorf("start git cat-file: %w", err)
	}
	r.batch = &batch{child: child, out: bufio.NewReaderSize(child.Out, 64<<10)}
	return r.batch, nil
}

func (b *batch) read(name string) (Object, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, err := io.WriteString(b.child.In, name+"\n"); err != nil {
		return Object{}, fmt.Errorf("ask git cat-file: %w", err)
	}
	head, err := b.out.ReadString('\n')
	if err != nil {
		return Object{}, fmt.Errorf("git cat-file ended: %w", err)
	}
	f := strings.Fields(head)
	if len(f) < 3 || !IsOID(f[0]) {
		return Object{}, ErrMissing
	}
	size, err := strconv.ParseInt(f[2], 10, 64)
	if err != nil {
		return Object{}, fmt.Errorf("understand git cat-file: %q", head)
	}
	if size > maxObject {
		_, _ = io.CopyN(io.Discard, b.out, size+1)
		return Object{}, fmt.Errorf("object of %d bytes is too large", size)
	}
	data := make([]byte, size+1) // and the newline behind it
	if _, err := io.ReadFull(b.out, data); err != nil {
		return Object{}, fmt.Errorf("read from git cat-file: %w", err)
	}
	return Object{ID: OID(f[0]), Type: f[1], Data: data[:size]}, nil
}

func (b *batch) close() { _ = b.child.Close() }
