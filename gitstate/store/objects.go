package store

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/gitstate/settings"
)

// Objects reads and writes the objects of a repository.
type Objects struct {
	git      *process.Program
	settings *settings.Settings
	refs     *refs.Refs
	mu       sync.Mutex
	// noBatchCommand is true if this git does not know the option batchCommand.
	noBatchCommand bool
}

// New returns Objects that have not read anything yet.
func New(git *process.Program, settings *settings.Settings, refs *refs.Refs) *Objects {
	return &Objects{git: git, settings: settings, refs: refs}
}

// Warm starts the helper process, so that the first read is faster.
func (r *Objects) Warm(ctx context.Context) {
	_, _ = r.helper(ctx) // a later call that needs the process gets the error
}

// Object reads one object by its id or by any name that git understands. If there is no such object, the error wraps ErrMissing.
func (r *Objects) Object(ctx context.Context, name string) (object.Object, error) {
	if name == "" || strings.ContainsAny(name, "\n\x00") {
		return object.Object{}, fmt.Errorf("read object %q: %w", name, object.ErrMissing)
	}
	o, err := r.peel(ctx, name)
	if err != nil {
		return object.Object{}, fmt.Errorf("read object %s: %w", name, err)
	}
	return o, nil
}

const maxTags = 64

// peel reads an object. For a name that ends in "^{commit}" or "^{tree}", it usually follows tags and commits itself, one object at a
// time. git would read and hash each object on the way, however large.
func (r *Objects) peel(ctx context.Context, name string) (object.Object, error) {
	name, kind := cutPeel(name)
	if kind == "" {
		return r.Ask(ctx, name, Wanted{})
	}
	passing := map[string][]string{"commit": {"commit", "tag"}, "tree": {"tree", "commit", "tag"}}[kind]
	for range maxTags {
		o, err := r.Ask(ctx, name, Wanted{Kinds: passing})
		var other *KindError
		switch {
		case errors.As(err, &other):
			return object.Object{}, object.ErrMissing
		case err != nil || o.Type == kind:
			return o, err
		case o.Type == "tag":
			target, _, _ := strings.Cut(string(o.Data), "\n")
			name = strings.TrimPrefix(target, "object ")
		default:
			c, err := object.ParseCommit(o)
			if err != nil {
				return object.Object{}, err
			}
			name = string(c.Tree)
		}
		if !object.IsID(name) {
			return object.Object{}, fmt.Errorf("%s %s is damaged", o.Type, o.ID)
		}
	}
	return object.Object{}, errors.New("a tag leads through too many other tags")
}

// cutPeel splits off "^{commit}" or "^{tree}" from an id, HEAD or a full ref name, because we can resolve these ourselves. Other names are
// left to git. For example, git needs the suffix to find the right object for an abbreviated id.
func cutPeel(name string) (base, kind string) {
	for _, kind := range []string{"commit", "tree"} {
		base, ok := strings.CutSuffix(name, "^{"+kind+"}")
		if ok && (object.IsID(base) || base == "HEAD" || strings.HasPrefix(base, "refs/") && !strings.ContainsAny(base, "^~:@")) {
			return base, kind
		}
	}
	return name, ""
}

// Commit reads a commit by any name that git understands, and follows tags.
func (r *Objects) Commit(ctx context.Context, name string) (object.Commit, error) {
	o, err := r.Object(ctx, name+"^{commit}")
	if err != nil {
		return object.Commit{}, err
	}
	return object.ParseCommit(o)
}

// Tree reads the entries of a tree, or of a commit's tree, in git's order.
func (r *Objects) Tree(ctx context.Context, name string) ([]object.Entry, error) {
	o, err := r.Object(ctx, name+"^{tree}")
	if err != nil {
		return nil, err
	}
	return object.ParseTree(o)
}

// TreeOf returns the id of a commit's tree. For the id of a tree it returns the same id.
func (r *Objects) TreeOf(ctx context.Context, id object.ID) (string, error) {
	o, err := r.Object(ctx, string(id)+"^{tree}")
	return string(o.ID), err
}

// Blob reads the bytes of a blob.
func (r *Objects) Blob(ctx context.Context, id object.ID) ([]byte, error) {
	o, err := r.Object(ctx, string(id))
	if err != nil {
		return nil, err
	}
	if o.Type != "blob" {
		return nil, fmt.Errorf("read blob %s: it is a %s", id, o.Type)
	}
	return o.Data, nil
}

// BlobUpTo reads a blob. If the blob has more than limit bytes, the error wraps a *TooLargeError.
func (r *Objects) BlobUpTo(ctx context.Context, id object.ID, limit int64) ([]byte, error) {
	o, err := r.Ask(ctx, string(id), Wanted{Kinds: []string{"blob"}, Limit: limit})
	if err != nil {
		return nil, fmt.Errorf("read blob %s: %w", id, err)
	}
	return o.Data, nil
}

// tries is how many helper processes may be killed during one question before we give up.
const tries = 3

// Ask reads one object from its file, or asks the helper process for it. If the helper is killed meanwhile, Ask starts a new one.
func (r *Objects) Ask(ctx context.Context, name string, w Wanted) (o object.Object, err error) {
	if object.IsID(name) {
		if o, ok := r.Loose(ctx).Read(name, w); ok {
			return o, nil
		}
	}
	for range tries {
		var b reader
		if b, err = r.helper(ctx); err != nil {
			return object.Object{}, err
		}
		if o, err = b.read(name, w); !errors.Is(err, process.ErrKilled) && !r.isOld(err) {
			break
		}
	}
	if errors.Is(err, object.ErrMissing) {
		err = r.whyMissing(ctx, name)
	}
	return o, err
}

// Each reads many objects at once and calls the function "do" for each one that can be read, in order. After an error it continues with the
// next object, and at the end it returns the first error.
func (r *Objects) Each(ctx context.Context, names []string, w Wanted, do func(int, object.Object) error) (first error) {
	note := func(err error) {
		if first == nil {
			first = err
		}
	}
	// Objects that are not loose files are read by git. The variable "behind" is the index of the first name that was not read yet.
	files, behind := r.Loose(ctx), 0
	for i, name := range names {
		o, ok := files.Read(name, w)
		if !ok {
			continue
		}
		note(r.eachOfGit(ctx, names[behind:i], w, func(n int, o object.Object) error { return do(behind+n, o) }))
		if err := do(i, o); err != nil {
			note(fmt.Errorf("read object %s: %w", name, err))
		}
		behind = i + 1
	}
	note(r.eachOfGit(ctx, names[behind:], w, func(n int, o object.Object) error { return do(behind+n, o) }))
	return first
}

// Sizes calls the function "do" with the size of each object, without reading the object. It leaves out missing objects.
func (r *Objects) Sizes(ctx context.Context, ids []object.ID, do func(object.ID, int64)) error {
	files := r.Loose(ctx)
	var rest []object.ID
	for _, id := range ids {
		if h, ok := files.open(string(id), headFile); ok {
			do(id, h.size)
			continue
		}
		rest = append(rest, id)
	}
	if len(rest) == 0 {
		return nil
	}
	b, err := r.helper(ctx)
	if err != nil {
		return err
	}
	if b.asksFirst() {
		if err := b.sizes(rest, do); err == nil || !errors.Is(err, process.ErrKilled) && !r.isOld(err) {
			return err
		}
	}
	return r.sizesOfGit(ctx, rest, do)
}

// sizesOfGit starts a new git process that reports only sizes. It is used if the helper process was killed, or if git is so old that the
// helper cannot report a size without the object's bytes.
func (r *Objects) sizesOfGit(ctx context.Context, ids []object.ID, do func(object.ID, int64)) error {
	var ask strings.Builder
	for _, id := range ids {
		ask.WriteString(string(id) + "\n")
	}
	out, err := r.git.Git(ctx, process.Call{Args: []string{"cat-file", "--batch-check=%(objectname) %(objectsize)"}, Stdin: strings.NewReader(ask.String())})
	for line := range strings.Lines(string(out)) {
		id, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		if size, err := strconv.ParseInt(text, 10, 64); err == nil {
			do(object.ID(id), size)
		}
	}
	return err
}

// eachOfGit does the same as Each, but reads all objects through the helper process.
func (r *Objects) eachOfGit(ctx context.Context, names []string, w Wanted, do func(int, object.Object) error) (err error) {
	done := 0
	for range tries {
		if done == len(names) {
			return nil
		}
		var b reader
		if b, err = r.helper(ctx); err != nil {
			return err
		}
		behind := done
		err = b.readAll(names[behind:], w, func(i int, o object.Object) error {
			done = behind + i + 1
			return do(behind+i, o)
		})
		if !errors.Is(err, process.ErrKilled) && !r.isOld(err) {
			break
		}
	}
	return err
}

// isWhole checks an object's bytes against its id, or against the id of the user's replacement ("git replace").
func (r *Objects) isWhole(o object.Object) bool {
	ctx := context.Background() // there is no need to cancel this work, because it rarely starts a process
	h, err := r.settings.Hasher(ctx)
	if err != nil {
		return false
	}
	is := h.ID(o.Type, o.Data)
	for id := o.ID; ; {
		if id == is {
			return true
		}
		by, err := r.refs.Ref(ctx, refs.Name("refs/replace/"+string(id)))
		if err != nil || by == "" || by == o.ID {
			return false
		}
		id = by
	}
}

// whyMissing distinguishes an object that does not exist from one that exists but cannot be read. The git process that reads objects for us
// calls both "missing". So whyMissing asks git again with another command, which prints one line about an object that does not exist, and
// more lines about one that cannot be read.
func (r *Objects) whyMissing(ctx context.Context, name string) error {
	id, _, _ := strings.Cut(name, "^")
	if !object.IsID(id) {
		return object.ErrMissing
	}
	_, err := r.git.Git(ctx, process.Call{Args: []string{"cat-file", "-t", id}})
	var git *process.Error
	if errors.As(err, &git) && strings.Contains(git.Text, "\n") {
		return fmt.Errorf("it cannot be read: %s", git.Text)
	}
	return object.ErrMissing
}

// helper returns a running git that reports the size of an object before we ask for the bytes. git before 2.36 sends size and bytes
// together, so we kill it if the size is too large.
func (r *Objects) helper(ctx context.Context) (reader, error) {
	r.mu.Lock()
	how := []string{batchCommand, "--buffer"} // with --buffer, git answers only at "flush", so that many answers take few system calls
	if r.noBatchCommand {
		how = []string{"--batch"}
	}
	r.mu.Unlock()
	args := append([]string{"-c", "core.bigFileThreshold=8m", "cat-file"}, how...)
	t, err := r.git.Resident(ctx, process.Reader, process.Call{Args: args, Env: []string{allocLimit}})
	return reader{t, r.isWhole}, err
}

// isOld reports whether an error shows that this git does not know the option batchCommand. It remembers this and returns true only the
// first time.
func (r *Objects) isOld(err error) bool {
	var git *process.Error
	if !errors.As(err, &git) || git.Code != usageCode {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	was := r.noBatchCommand
	r.noBatchCommand = true
	return !was
}
