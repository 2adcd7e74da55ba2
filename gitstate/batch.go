package gitstate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// ErrMissing says that the repository has no such object.
var ErrMissing = errors.New("no such object")

// What is read into memory at once; plans, notes, trees and commits are far smaller.
const (
	maxObject = 96 << 20
	maxCommit = 16 << 20
	// allocLimit bounds what git takes for one thing: a small object may be stored as a change of a giant one.
	allocLimit = "GIT_ALLOC_LIMIT=128m"
)

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
	o, err := r.peel(ctx, name)
	if err != nil {
		return Object{}, fmt.Errorf("read object %s: %w", name, err)
	}
	return o, nil
}

// maxTags bounds how many tags name each other.
const maxTags = 64

// peel follows a name that ends in "^{commit}" or "^{tree}". git would do so, too,
// but it reads and sums up whatever lies on the way, however large that is.
func (r *Repo) peel(ctx context.Context, name string) (Object, error) {
	name, kind := cutPeel(name)
	if kind == "" {
		return r.ask(ctx, name, wanted{})
	}
	passing := map[string][]string{"commit": {"commit", "tag"}, "tree": {"tree", "commit", "tag"}}[kind]
	for range maxTags {
		o, err := r.ask(ctx, name, wanted{kinds: passing})
		var other *kindError
		switch {
		case errors.As(err, &other):
			return Object{}, ErrMissing
		case err != nil || o.Type == kind:
			return o, err
		case o.Type == "tag":
			target, _, _ := strings.Cut(string(o.Data), "\n")
			name = strings.TrimPrefix(target, "object ")
		default:
			c, err := parseCommit(o)
			if err != nil {
				return Object{}, err
			}
			name = string(c.Tree)
		}
		if !IsOID(name) {
			return Object{}, fmt.Errorf("%s %s is damaged", o.Type, o.ID)
		}
	}
	return Object{}, errors.New("its tags name each other")
}

// cutPeel takes a name apart that can be followed here. Others, such as abbreviations,
// are left to git: what they mean depends on what is wanted.
func cutPeel(name string) (base, kind string) {
	for _, kind := range []string{"commit", "tree"} {
		base, ok := strings.CutSuffix(name, "^{"+kind+"}")
		if ok && (IsOID(base) || base == "HEAD" || strings.HasPrefix(base, "refs/") && !strings.ContainsAny(base, "^~:@")) {
			return base, kind
		}
	}
	return name, ""
}

// wanted is what the caller of an object can use.
type wanted struct {
	// kinds are all if empty; limit is for blobs, and the largest of all if 0.
	kinds []string
	limit int64
}

// fits reports whether an object is of use; what is not is never asked for.
func (w wanted) fits(h header) error {
	limit := int64(maxObject)
	switch {
	case len(w.kinds) > 0 && !slices.Contains(w.kinds, h.kind):
		return &kindError{h.kind}
	case h.kind == "commit" || h.kind == "tag":
		limit = maxCommit
	case w.limit > 0:
		limit = w.limit
	}
	if h.size > limit {
		return &TooLargeError{Size: h.size}
	}
	return nil
}

// kindError says that an object is of another kind.
type kindError struct{ kind string }

func (e *kindError) Error() string { return "it is a " + e.kind }

// TooLargeError says that an object is larger than the caller wants in memory.
type TooLargeError struct{ Size int64 }

func (e *TooLargeError) Error() string { return fmt.Sprintf("%d bytes are too many", e.Size) }

// ask puts one question to the helper, and to another one if that is killed under it.
func (r *Repo) ask(ctx context.Context, name string, w wanted) (o Object, err error) {
	for range patience {
		var b reader
		if b, err = r.objects(ctx); err != nil {
			return Object{}, err
		}
		if o, err = b.read(name, w); !errors.Is(err, ErrKilled) && !r.isOld(err) {
			break
		}
	}
	if errors.Is(err, ErrMissing) {
		err = r.whyMissing(ctx, name)
	}
	return o, err
}

// isWhole holds what was read against its id, or against that of the object by which the user replaced it.
func (r *Repo) isWhole(o Object) bool {
	ctx := context.Background() // to answer takes a process in rare repositories only
	h, err := r.Hasher(ctx)
	if err != nil {
		return false
	}
	is := h.ID(o.Type, o.Data)
	for id := o.ID; ; {
		if id == is {
			return true
		}
		by, err := r.Ref(ctx, "refs/replace/"+string(id))
		if err != nil || by == "" || by == o.ID {
			return false
		}
		id = by
	}
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

// BlobUpTo reads a blob unless it has more than limit bytes, which is a *TooLargeError.
func (r *Repo) BlobUpTo(ctx context.Context, id OID, limit int64) ([]byte, error) {
	o, err := r.ask(ctx, string(id), wanted{kinds: []string{"blob"}, limit: limit})
	if err != nil {
		return nil, fmt.Errorf("read blob %s: %w", id, err)
	}
	return o.Data, nil
}

// objects is a running git that tells the size of an object before it is asked for the bytes.
// Before git 2.36 it tells both at once, and is killed where the size is too large.
func (r *Repo) objects(ctx context.Context) (reader, error) {
	r.mu.Lock()
	how := batchCommand
	if r.old {
		how = "--batch"
	}
	r.mu.Unlock()
	t, err := r.stay(ctx, Reader, Call{Args: []string{"-c", "core.bigFileThreshold=8m", "cat-file", how}, Env: []string{allocLimit}})
	return reader{t, r.isWhole}, err
}

// isOld reports that git does not know how to tell sizes apart, and remembers it.
func (r *Repo) isOld(err error) bool {
	var git *Error
	if !errors.As(err, &git) || git.Code != usageCode {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	was := r.old
	r.old = true
	return !was
}

// batchCommand makes git tell the size of an object, or its bytes, as it is asked.
const batchCommand = "--batch-command"

// usageCode is how git ends that does not know an option.
const usageCode = 129

// reader is a git that stays and reads objects.
type reader struct {
	*talk
	// isWhole reports whether an object is what its id says.
	isWhole func(Object) bool
}

// header is what git says of an object before its bytes.
type header struct {
	id   OID
	kind string
	size int64
}

func (t reader) read(name string, w wanted) (Object, error) {
	t.Lock()
	defer t.Unlock()
	defer t.await()()
	if t.asksFirst() {
		if err := t.say("info " + name + "\n"); err != nil {
			return Object{}, err
		}
		h, err := t.header()
		if err == nil {
			err = w.fits(h)
		}
		if err != nil {
			return Object{}, err
		}
		name = "contents " + string(h.id)
	}
	if err := t.say(name + "\n"); err != nil {
		return Object{}, err
	}
	return t.answer(w)
}

// asksFirst: this git tells sizes apart.
func (t reader) asksFirst() bool { return slices.Contains(t.args, batchCommand) }

// readAll asks for many objects at once and hands on, in order, those that are there; it returns the first error.
func (t reader) readAll(names []string, w wanted, each func(int, Object) error) error {
	t.Lock()
	defer t.Unlock()
	var first error
	note := func(i int, err error) {
		if err != nil && first == nil {
			first = fmt.Errorf("read object %s: %w", names[i], err)
		}
	}
	at, verb := make([]int, len(names)), ""
	for i := range at {
		at[i] = i
	}
	asked := names
	if t.asksFirst() {
		at, asked, verb = nil, nil, "contents "
		err := t.exchange("info ", names, func(i int) error {
			h, err := t.header()
			if err == nil {
				err = w.fits(h)
			}
			if note(i, err); err == nil {
				at, asked = append(at, i), append(asked, string(h.id))
			}
			return err
		})
		if err != nil {
			return errors.Join(first, err)
		}
	}
	err := t.exchange(verb, asked, func(i int) error {
		o, err := t.answer(w)
		if err == nil {
			err = each(at[i], o)
		}
		note(at[i], err)
		return err
	})
	if first == nil {
		first = err
	}
	return first
}

// exchange writes questions beside the reading of the answers: git stops reading when nobody takes what it says.
// It gives up only where git is gone.
func (t reader) exchange(verb string, names []string, answer func(int) error) error {
	if len(names) == 0 {
		return nil
	}
	asked := make(chan error, 1)
	go func() {
		_, err := io.WriteString(t.in, verb+strings.Join(names, "\n"+verb)+"\n")
		asked <- err
	}()
	for i := range names {
		stop := t.await()
		err := answer(i)
		stop()
		if errors.Is(err, errEnded) {
			<-asked
			return err
		}
	}
	if err := <-asked; err != nil {
		return fmt.Errorf("ask git cat-file: %w", err)
	}
	return nil
}

// header reads what git says first of one object.
func (t reader) header() (header, error) {
	if t.hasEnded() {
		return header{}, errEnded // what it said before it was stopped is no answer
	}
	line, err := t.out.ReadString('\n')
	if err != nil {
		return header{}, t.end(err)
	}
	f := strings.Fields(line)
	if len(f) < 3 || !IsOID(f[0]) {
		return header{}, ErrMissing
	}
	size, err := strconv.ParseInt(f[2], 10, 64)
	if err != nil || size < 0 {
		return header{}, fmt.Errorf("understand git cat-file: %q", line)
	}
	return header{OID(f[0]), f[1], size}, nil
}

// fewBytes are sooner read than a process is started.
const fewBytes = 1 << 20

// answer reads what git says to one question. What is of no use is not waited for: git is stopped in the middle of it.
func (t reader) answer(w wanted) (Object, error) {
	h, err := t.header()
	if err != nil {
		return Object{}, err
	}
	unfit := w.fits(h)
	if unfit != nil && h.size > fewBytes {
		t.stop()
		return Object{}, unfit
	}
	data := make([]byte, h.size+1) // and the newline behind it
	if _, err := io.ReadFull(t.out, data); err != nil {
		return Object{}, t.end(err)
	}
	o := Object{ID: h.id, Type: h.kind, Data: data[:h.size]}
	// A file may hold more than it says. What git writes behind the object would pass for its next answer.
	if data[h.size] != '\n' || !t.isWhole(o) {
		t.stop()
		return Object{}, fmt.Errorf("%s %s is damaged", h.kind, h.id)
	}
	if unfit != nil {
		return Object{}, unfit
	}
	return o, nil
}
