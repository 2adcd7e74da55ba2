package gitstate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
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

// ask puts one question to the helper, and to another one if that is killed under it.
func (r *Repo) ask(ctx context.Context, name string, limit int64) (o Object, err error) {
	for range patience {
		var b *talk
		if b, err = r.objects(ctx); err != nil {
			return Object{}, err
		}
		if o, err = b.read(name, limit); !errors.Is(err, ErrKilled) {
			break
		}
	}
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

// objects is a running "git cat-file --batch". What is larger than anything of ours it does not hold in memory either.
func (r *Repo) objects(ctx context.Context) (*talk, error) {
	return r.stay(ctx, &r.batch, Call{Args: []string{"-c", "core.bigFileThreshold=8m", "cat-file", "--batch"}})
}

func (t *talk) read(name string, limit int64) (Object, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.say(name + "\n"); err != nil {
		return Object{}, err
	}
	return t.answer(limit)
}

// readAll asks for many objects at once and hands on, in order, those that are there; it returns the first error.
// The questions are written beside the reading: git stops reading when nobody takes its answers.
func (t *talk) readAll(names []string, each func(int, Object) error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	asked := make(chan error, 1)
	go func() {
		_, err := io.WriteString(t.child.In, strings.Join(names, "\n")+"\n")
		asked <- err
	}()
	var first error
	for i, name := range names {
		o, err := t.answer(maxObject)
		if err == nil {
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

// answer reads what git says to one question.
func (t *talk) answer(limit int64) (Object, error) {
	head, err := t.out.ReadString('\n')
	if err != nil {
		return Object{}, t.end(err)
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
		_, _ = io.CopyN(io.Discard, t.out, size+1)
		return Object{}, &TooLargeError{Size: size}
	}
	data := make([]byte, size+1) // and the newline behind it
	if _, err := io.ReadFull(t.out, data); err != nil {
		return Object{}, t.end(err)
	}
	return Object{ID: OID(f[0]), Type: f[1], Data: data[:size]}, nil
}
