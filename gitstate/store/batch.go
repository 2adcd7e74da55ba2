package store

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
)

// These are the largest sizes of objects that are read into memory as a whole. Real plans, notes, trees and commits are far smaller.
const (
	MaxObject = 96 << 20
	maxCommit = 16 << 20
	// allocLimit limits how much memory git allocates at once, because a small object may be stored as a delta of a giant object.
	allocLimit = "GIT_ALLOC_LIMIT=128m"
)

// Wanted says which objects the caller can use.
type Wanted struct {
	// If Kinds is empty, every kind is wanted. Limit is the largest size of a blob or tree; 0 means MaxObject.
	Kinds []string
	Limit int64
	// Known, if it is set, reports whether the caller already has an object. For such an object, Ask may return only the id and the kind,
	// without the bytes. No other method uses Known.
	Known func(object.ID) bool
}

// fits returns an error if the caller cannot use an object.
func (w Wanted) fits(h header) error {
	limit := int64(MaxObject)
	switch {
	case len(w.Kinds) > 0 && !slices.Contains(w.Kinds, h.kind):
		return &KindError{h.kind}
	case h.kind == "commit" || h.kind == "tag":
		limit = maxCommit
	case w.Limit > 0:
		limit = w.Limit
	}
	if h.size > limit {
		return &object.TooLargeError{Size: h.size}
	}
	return nil
}

// mayBeLarge reports whether the wanted objects are often large, so that it is worth asking for the size first. Commits and trees are
// rarely large: if one is, the helper process is stopped and started again.
func (w Wanted) mayBeLarge() bool { return len(w.Kinds) == 0 || slices.Contains(w.Kinds, "blob") }

// KindError reports that an object does not have a wanted kind.
type KindError struct{ kind string }

func (e *KindError) Error() string { return "it is a " + e.kind }

// batchCommand lets us ask git for the size of an object before we ask for its bytes.
const batchCommand = "--batch-command"

// usageCode is git's exit code for an unknown option.
const usageCode = 129

// reader is a git process that keeps running and reads objects.
type reader struct {
	*process.Talk
	// isWhole reports whether an object's bytes match its id.
	isWhole func(object.Object) bool
}

// header is what git prints about an object before its bytes.
type header struct {
	id   object.ID
	kind string
	size int64
}

func (t reader) read(name string, w Wanted) (object.Object, error) {
	t.Lock()
	defer t.Unlock()
	defer t.Await()()
	switch {
	case t.asksFirst() && !w.mayBeLarge():
		name = "contents " + name + "\nflush"
	case t.asksFirst():
		if err := t.Say("info " + name + "\nflush\n"); err != nil {
			return object.Object{}, err
		}
		h, err := t.header()
		if err == nil {
			err = w.fits(h)
		}
		if err != nil || w.Known != nil && w.Known(h.id) {
			return object.Object{ID: h.id, Type: h.kind}, err
		}
		name = "contents " + string(h.id) + "\nflush"
	}
	if err := t.Say(name + "\n"); err != nil {
		return object.Object{}, err
	}
	return t.answer(w)
}

// asksFirst reports whether this git can be asked for an object's size before its bytes.
func (t reader) asksFirst() bool { return slices.Contains(t.Args, batchCommand) }

// readAll asks for many objects at once. It calls the function "each" for the objects that exist and that the caller can use, in the order
// of their names in the list. It returns the first error.
func (t reader) readAll(names []string, w Wanted, each func(int, object.Object) error) error {
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
		verb = "contents "
	}
	if t.asksFirst() && w.mayBeLarge() {
		at, asked = nil, nil
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

// sizes asks for the sizes of many objects. It calls the function "do" for each object that exists.
func (t reader) sizes(ids []object.ID, do func(object.ID, int64)) error {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = string(id)
	}
	t.Lock()
	defer t.Unlock()
	return t.exchange("info ", names, func(i int) error {
		h, err := t.header()
		if err == nil {
			do(ids[i], h.size)
		}
		return err
	})
}

// exchange writes the questions while it reads the answers, because git stops reading its input when nobody reads its output. It stops
// early only if git has ended.
func (t reader) exchange(verb string, names []string, answer func(int) error) error {
	if len(names) == 0 {
		return nil
	}
	asked := make(chan error, 1)
	end := "\n"
	if t.asksFirst() {
		end += "flush\n"
	}
	go func() {
		_, err := io.WriteString(t.In, verb+strings.Join(names, "\n"+verb)+end)
		asked <- err
	}()
	defer t.AwaitReads()()
	for i := range names {
		err := answer(i)
		if errors.Is(err, process.ErrEnded) {
			<-asked
			return err
		}
	}
	if err := <-asked; err != nil {
		return fmt.Errorf("ask git cat-file: %w", err)
	}
	return nil
}

// header reads the line that git prints before an object's bytes.
func (t reader) header() (header, error) {
	if t.HasEnded() {
		return header{}, process.ErrEnded // git was stopped, so its remaining output belongs to an earlier question
	}
	line, err := t.Out.ReadString('\n')
	if err != nil {
		return header{}, t.End(err)
	}
	f := strings.Fields(line)
	if len(f) < 3 || !object.IsID(f[0]) {
		return header{}, object.ErrMissing
	}
	size, err := strconv.ParseInt(f[2], 10, 64)
	if err != nil || size < 0 {
		return header{}, fmt.Errorf("parse the output of git cat-file: %q", line)
	}
	return header{object.ID(f[0]), f[1], size}, nil
}

// fewBytes is a size that we can read faster than we can start a new process.
const fewBytes = 1 << 20

// answer reads git's answer to one question. If the object is large and the caller cannot use it, the method stops git instead of reading
// the object.
func (t reader) answer(w Wanted) (object.Object, error) {
	h, err := t.header()
	if err != nil {
		return object.Object{}, err
	}
	unfit := w.fits(h)
	if unfit != nil && h.size > fewBytes {
		t.Stop()
		return object.Object{}, unfit
	}
	data := make([]byte, h.size+1) // one more byte for the newline after the object
	if _, err := io.ReadFull(t.Out, data); err != nil {
		return object.Object{}, t.End(err)
	}
	o := object.Object{ID: h.id, Type: h.kind, Data: data[:h.size]}
	// A damaged file may contain more bytes than its header says. git prints these after the object, where they look like its next answer.
	if data[h.size] != '\n' || !t.isWhole(o) {
		t.Stop()
		return object.Object{}, fmt.Errorf("%s %s is damaged", h.kind, h.id)
	}
	if unfit != nil {
		return object.Object{}, unfit
	}
	return o, nil
}
