package past

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/guard"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/settings"
	"github.com/git-resume/git-resume/gitstate/store"
	"github.com/go-git/go-git/v5/plumbing/format/objfile"
)

// Scratch is a view of the repository with a temporary object store on top. git writes new objects only into this store, and Close removes
// them. No object is added to the repository itself. Nothing is fetched through a Scratch: objects that a partial clone lacks count as
// missing.
type Scratch struct {
	// Repo is the repository as seen through the temporary store.
	Repo        *gitstate.Repo
	env         []string
	dir         string
	removeStore func()
	// underlying reads objects that are not in the temporary store. Usually it is the original repository, so that its helper process is
	// used if it is already running. In a partial clone it is the field Repo, because the helper process of the original repository would
	// fetch missing objects. After Stored it is the field Repo too.
	underlying *gitstate.Repo
	// made maps each commit that exists only in this store to its tree.
	made map[object.ID]object.ID
	// Lookup keeps what it has read: "roots" has the trees of commits, and "dirs" has the entries of trees. Lookup and Root change these
	// maps, so only one goroutine at a time may call them.
	roots map[string]object.ID
	// rootOf has the trees of commits, as far as MergeBases and Trees have found them.
	rootOf map[object.ID]object.ID
	dirs   map[object.ID][]object.RawEntry
	// merger passes on the git process that StartMerge has started for the first Merge.
	merger chan *process.Talk
	// The field "gone" is closed when the store has been removed.
	gone    chan struct{}
	release sync.Once
}

// NewScratch opens a temporary object store. The caller must call Close.
func NewScratch(r *gitstate.Repo) (*Scratch, error) {
	dir, remove, err := guard.ScratchDir()
	if err != nil {
		return nil, fmt.Errorf("create a temporary object store: %w", err)
	}
	env := []string{
		"GIT_OBJECT_DIRECTORY=" + dir,
		"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + quoteAlternate(r.CommonPath("objects")),
		"GIT_NO_LAZY_FETCH=1",
		// Most versions of git before 2.44 do not know GIT_NO_LAZY_FETCH, but git cannot fetch without an allowed protocol.
		"GIT_ALLOW_PROTOCOL=none",
	}
	view := r.Through(env...)
	s := &Scratch{Repo: view, env: env, dir: dir, removeStore: remove, underlying: r, made: map[object.ID]object.ID{}, gone: make(chan struct{}),
		roots: map[string]object.ID{}, rootOf: map[object.ID]object.ID{}, dirs: map[object.ID][]object.RawEntry{}}
	if Partial(r) {
		s.underlying = view
	}
	return s, nil
}

// Partial reports whether git could try to fetch missing objects. That is the case if a pack came from the remote of a partial clone, and a
// settings file still mentions such a remote.
func Partial(r *gitstate.Repo) bool {
	lacking, _ := filepath.Glob(r.CommonPath("objects", "pack", "*.promisor"))
	return len(lacking) > 0 && (r.Settings.Mentions("promisor") || r.Settings.Mentions("partialclone"))
}

// Config returns the repository's settings.
func (s *Scratch) Config(ctx context.Context) (*settings.Config, error) {
	return s.underlying.Settings.Config(ctx)
}

// Hasher returns the repository's hasher.
func (s *Scratch) Hasher(ctx context.Context) (object.Hasher, error) {
	return s.underlying.Settings.Hasher(ctx)
}

// Object reads an object from this store or from the repository. The name is an id, "ID^{tree}" or any other name that git knows.
func (s *Scratch) Object(ctx context.Context, name string) (object.Object, error) {
	id, tree := strings.CutSuffix(name, "^{tree}")
	o, err := s.readTemp(object.ID(id))
	if errors.Is(err, os.ErrNotExist) {
		return s.underlying.Objects.Object(ctx, name)
	}
	if err == nil && tree && o.Type == "commit" {
		c, err := object.ParseCommit(o)
		if err != nil {
			return object.Object{}, err
		}
		return s.Object(ctx, string(c.Tree))
	}
	return o, err
}

// Commit reads a commit from this store or from the repository.
func (s *Scratch) Commit(ctx context.Context, name string) (object.Commit, error) {
	o, err := s.readTemp(object.ID(name))
	if errors.Is(err, os.ErrNotExist) {
		return s.underlying.Objects.Commit(ctx, name)
	}
	if err != nil {
		return object.Commit{}, err
	}
	return object.ParseCommit(o)
}

// BlobUpTo reads a blob from this store or from the repository. A blob of more than limit bytes is an error.
func (s *Scratch) BlobUpTo(ctx context.Context, id object.ID, limit int64) ([]byte, error) {
	o, err := s.readTemp(id)
	switch {
	case errors.Is(err, os.ErrNotExist):
		o, err = s.readBlob(ctx, string(id), store.Wanted{Limit: limit})
		if err != nil {
			return nil, fmt.Errorf("read blob %s: %w", id, err)
		}
		return o.Data, nil
	case err != nil:
		return nil, err
	case o.Type != "blob":
		return nil, fmt.Errorf("read blob %s: it is a %s", id, o.Type)
	case int64(len(o.Data)) > limit:
		return nil, &object.TooLargeError{Size: int64(len(o.Data))}
	}
	return o.Data, nil
}

// readBlob reads a blob of the repository by any name. The helper process refuses a small blob that is stored as a delta of a very large
// one. Then readBlob starts a separate git process to read it.
func (s *Scratch) readBlob(ctx context.Context, name string, w store.Wanted) (object.Object, error) {
	w.Kinds = []string{"blob"}
	o, err := s.underlying.Objects.Ask(ctx, name, w)
	var git *process.Error
	if !errors.As(err, &git) || !strings.Contains(git.Text, "over limit") {
		return o, err
	}
	data, err := s.underlying.Git(ctx, process.Call{Args: []string{"cat-file", "blob", name}})
	if err != nil {
		return object.Object{}, err
	}
	h, err := s.Hasher(ctx)
	return object.Object{ID: h.ID("blob", data), Type: "blob", Data: data}, err
}

// readTemp reads a loose object of the temporary store. If there is none, the error wraps os.ErrNotExist.
func (s *Scratch) readTemp(id object.ID) (object.Object, error) {
	if !object.IsID(string(id)) {
		return object.Object{}, os.ErrNotExist
	}
	f, err := os.Open(filepath.Join(s.dir, string(id[:2]), string(id[2:])))
	if err != nil {
		return object.Object{}, err
	}
	defer f.Close()
	kind, data, err := readLoose(f)
	if err != nil {
		return object.Object{}, fmt.Errorf("read temporary object %s: %w", id, err)
	}
	return object.Object{ID: id, Type: kind, Data: data}, nil
}

// readLoose reads an object in git's format for loose object files.
func readLoose(r io.Reader) (kind string, data []byte, err error) {
	z, err := objfile.NewReader(r)
	if err != nil {
		return "", nil, err
	}
	defer z.Close()
	t, size, err := z.Header()
	if err != nil {
		return "", nil, err
	}
	if size > store.MaxObject {
		return "", nil, &object.TooLargeError{Size: size}
	}
	data, err = io.ReadAll(io.LimitReader(z, size+1))
	if err == nil && int64(len(data)) != size {
		err = fmt.Errorf("the header of the object says %d bytes, but %d were read", size, len(data))
	}
	return t.String(), data, err
}

// quoteAlternate quotes a path for a list of directories, if it contains a separator, a quote or a newline.
func quoteAlternate(path string) string {
	if !strings.ContainsAny(path, string(os.PathListSeparator)+"\"\n") {
		return path
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(path) + `"`
}

// MergeBases returns the best common ancestors of two commits of the repository. It calls the function "slow" before a step that may take
// long. If there is no commit-graph, it calls slow(false) after it has read both commits. If a git process must search for the ancestors, it
// calls slow(true) before.
func (s *Scratch) MergeBases(ctx context.Context, a, b object.ID, slow func(far bool)) ([]object.ID, error) {
	return mergeBases(ctx, s.underlying, a, b, s.rootOf, slow)
}

// Release starts to remove the temporary store, and Close waits until it is removed. After Release, only MergeBases, Changed and
// ChangedTrees may be called, and only for commits and trees of the repository. In a partial clone, Release does nothing, because these
// functions still need the store.
func (s *Scratch) Release() {
	if s.underlying != s.Repo {
		s.remove()
	}
}

func (s *Scratch) remove() {
	s.release.Do(func() {
		go func() {
			s.removeStore()
			close(s.gone)
		}()
	})
}

// Close stops the processes and removes the store.
func (s *Scratch) Close() {
	if t := s.waiting(); t != nil {
		t.Stop()
	}
	s.Repo.Close()
	s.remove()
	<-s.gone
}

// MakeCommit makes a commit of a tree. The commit exists only in this store. It has a fixed author and date, so that the same input always
// gives the same id. The date is in the future, because git visits the newest commits first to find a common ancestor.
func (s *Scratch) MakeCommit(ctx context.Context, tree object.ID, parents ...object.ID) (object.ID, error) {
	var text strings.Builder
	fmt.Fprintf(&text, "tree %s\n", tree)
	for _, p := range parents {
		fmt.Fprintf(&text, "parent %s\n", p)
	}
	text.WriteString("author git-resume <> 2147483647 +0000\ncommitter git-resume <> 2147483647 +0000\n\n")
	id, err := s.put(ctx, "commit", []byte(text.String()))
	if err == nil {
		s.made[id] = tree
	}
	return id, err
}

// MakeTrees makes two trees from maps of path to file, so that git can compare them. The trees exist only in this store. The files'
// contents need not exist.
func (s *Scratch) MakeTrees(ctx context.Context, a, b map[string]object.Version) (object.ID, object.ID, error) {
	h, err := s.Hasher(ctx)
	if err != nil {
		return "", "", err
	}
	p := object.NewPending(h)
	x, y := p.AddTree(a), p.AddTree(b)
	return x, y, s.putAll(ctx, p)
}

// fewLoose is the largest number of objects that are faster to write one by one than through a git process.
const fewLoose = 12

// putAll writes a few objects one by one. It writes many objects through git, because a file for each object can take a millisecond on a
// busy disk.
func (s *Scratch) putAll(ctx context.Context, p *object.Pending) error {
	if len(p.Objects) <= fewLoose {
		for _, o := range p.Objects {
			if _, err := s.put(ctx, o.Type, o.Data); err != nil {
				return err
			}
		}
		return nil
	}
	pack, err := p.Pack(object.Compressor())
	if err != nil {
		return err
	}
	args := []string{"-c", "core.fsync=none", "index-pack", "--stdin"}
	if _, err := s.Repo.Git(ctx, process.Call{Args: args, Stdin: bytes.NewReader(pack)}); err != nil {
		return fmt.Errorf("write temporary objects: %w", err)
	}
	return nil
}

// put writes one loose object directly, without git. It needs no lock, because nobody else uses the store.
func (s *Scratch) put(ctx context.Context, kind string, data []byte) (object.ID, error) {
	h, err := s.Hasher(ctx)
	if err != nil {
		return "", err
	}
	id := h.ID(kind, data)
	var packed bytes.Buffer
	object.Wrap(&packed, append(fmt.Appendf(nil, "%s %d\x00", kind, len(data)), data...))
	path := filepath.Join(s.dir, string(id[:2]), string(id[2:]))
	if _, err := os.Lstat(path); err == nil {
		return id, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", fmt.Errorf("write a temporary object: %w", err)
	}
	if err := os.WriteFile(path, packed.Bytes(), 0o400); err != nil {
		return "", fmt.Errorf("write a temporary object: %w", err)
	}
	return id, nil
}
