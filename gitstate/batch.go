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
	"sync/atomic"

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
	ended atomic.Bool
}

// Object reads one object by id or by any name git understands.
// ErrMissing is in the error's chain if there is none.
func (r *Repo) Object(ctx context.Context, name string) (Object, error) {
	if name == "" || strings.ContainsAny(name, "\n\x00") {
		return Object{}, fmt.Errorf("read object %q: %w", name, ErrMissing)
	}
	o, err := r.ask(ctx, name, maxObject)
	if err != nil {
		return Object{}, fmt.Errorf("read object %s: %w", name, err)
	}
	return o, nil
}

// ask puts one question to the helper.
func (r *Repo) ask(ctx context.Context, name string, limit int64) (Object, error) {
	b, err := r.objects(ctx)
	if err != nil {
		return Object{}, err
	}
	o, err := b.read(name, limit)
	if errors.Is(err, ErrMissing) {
		err = r.whyMissing(ctx, name)
	}
	return o, err
}

// whyMissing tells an object that is not there from one that is there and cannot be read,
// of which the helper says "missing" too. git says one line of the first, and more of the other.
func (r *Repo) whyMissing(ctx context.Context, name string) error {
	id, _, _ := strings.Cut(name, "^")
	if !IsOID(id) {
		return ErrMissing
	}
	_, err := r.Git(ctx, Call{Args: []string{"cat-file", "-t", id}})
	var git *Error
	if errors.As(err, &git) && strings.Contains(git.Text, "\n") {
		return fmt.Errorf("it cannot be read: %s", git.Text)
	}
	return ErrMissing
}

// TooLargeError says that an object is larger than the caller wants in memory.
type TooLargeError struct{ Size int64 }

func (e *TooLargeError) Error() string { return fmt.Sprintf("%d bytes are too many", e.Size) }

// BlobUpTo reads a blob unless it has more than limit bytes, which is a *TooLargeError.
func (r *Repo) BlobUpTo(ctx context.Context, id OID, limit int64) ([]byte, error) {
	o, err := r.ask(ctx, string(id), limit)
	if err == nil && o.Type != "blob" {
		err = fmt.Errorf("it is a %s", o.Type)
	}
	if err != nil {
		return nil, fmt.Errorf("read blob %s: %w", id, err)
	}
	return o.Data, nil
}

func (r *Repo) objects(ctx context.Context) (*batch, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.batch != nil && !r.batch.ended.Load() {
		return r.batch, nil
	}
	if r.batch != nil {
		r.batch.close() // git ended it at a damaged object; that must not hide all others
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

func (b *batch) read(name string, limit int64) (Object, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, err := io.WriteString(b.child.In, name+"\n"); err != nil {
		return Object{}, b.end(err)
	}
	return b.answer(limit)
}

// readAll asks for many objects at once and hands them on in order.
// The questions are written beside the reading: git stops reading when nobody takes its answers.
func (b *batch) readAll(names []string, each func(int, Object) error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	asked := make(chan error, 1)
	go func() {
		_, err := io.WriteString(b.child.In, strings.Join(names, "\n")+"\n")
		asked <- err
	}()
	var first error
	for i, name := range names {
		o, err := b.answer(maxObject)
		if err == nil && first == nil {
			err = each(i, o)
		}
		if err != nil && first == nil {
			first = fmt.Errorf("read object %s: %w", name, err)
		}
		if errors.Is(err, errEnded) {
			break
		}
	}
	if err := <-asked; err != nil && first == nil {
		return fmt.Errorf("ask git cat-file: %w", err)
	}
	return first
}

// errEnded says that the helper process is gone.
var errEnded = errors.New("git cat-file ended")

// end says why the helper is gone, in git's own words where it left some.
func (b *batch) end(err error) error {
	b.ended.Store(true)
	var exit *proc.ExitError
	if errors.As(b.child.Close(), &exit) {
		err = &Error{Args: []string{"cat-file"}, Code: exit.Code, Text: cleanStderr(exit.Stderr, exit.Signal)}
	}
	return fmt.Errorf("%w: %w", errEnded, err)
}

// answer reads what git says to one question.
func (b *batch) answer(limit int64) (Object, error) {
	head, err := b.out.ReadString('\n')
	if err != nil {
		return Object{}, b.end(err)
	}
	f := strings.Fields(head)
	if len(f) < 3 || !IsOID(f[0]) {
		return Object{}, ErrMissing
	}
	size, err := strconv.ParseInt(f[2], 10, 64)
	if err != nil {
		return Object{}, fmt.Errorf("understand git cat-file: %q", head)
	}
	if size > limit {
		_, _ = io.CopyN(io.Discard, b.out, size+1)
		return Object{}, &TooLargeError{Size: size}
	}
	data := make([]byte, size+1) // and the newline behind it
	if _, err := io.ReadFull(b.out, data); err != nil {
		return Object{}, b.end(err)
	}
	return Object{ID: OID(f[0]), Type: f[1], Data: data[:size]}, nil
}

func (b *batch) close() { _ = b.child.Close() }
