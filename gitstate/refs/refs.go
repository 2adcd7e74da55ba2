package refs

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/settings"
)

// Refs reads and moves the refs of a repository, as one worktree sees them.
type Refs struct {
	git      *process.Program
	settings *settings.Settings
	mu       sync.Mutex
	// answersAtOnce is true if this version of git reports each moved ref before it reads its next input. It is nil until we have checked
	// the version.
	answersAtOnce *bool
	// replaced is the last answer of the method Replaced. replacedAt describes the folder refs/replace and the file packed-refs at that
	// time.
	replaced   bool
	replacedAt *[2]stamp
}

// stamp has the time and the size of a file or folder. If one of them differs, the file or folder has changed.
type stamp struct {
	changed time.Time
	size    int64
}

// New returns Refs that have not read anything yet.
func New(git *process.Program, settings *settings.Settings) *Refs {
	return &Refs{git: git, settings: settings}
}

// InTables reports whether refs are stored in reftables, which only git can read.
func (r *Refs) InTables() bool {
	_, err := os.Lstat(filepath.Join(r.git.CommonDir, "reftable"))
	return err == nil
}

// Ref returns the object that a ref points to, or an empty id without an error if there is no such ref. It reads refs directly from their
// files if it can, because HEAD and the journal are read all the time.
func (r *Refs) Ref(ctx context.Context, name Name) (object.ID, error) {
	id, _, err := r.resolve(ctx, name, 0)
	return id, err
}

// All returns the objects that refs point to. A missing ref gives an empty id. With reftables, All asks git once for all refs.
func (r *Refs) All(ctx context.Context, names ...Name) ([]object.ID, error) {
	out := make([]object.ID, len(names))
	if r.InTables() {
		asked := make([]string, len(names))
		for i, name := range names {
			asked[i] = string(name)
		}
		all, err := r.List(ctx, asked...)
		for i, name := range names {
			out[i] = all[name]
		}
		return out, err
	}
	for i, name := range names {
		id, err := r.Ref(ctx, name)
		if err != nil {
			return nil, err
		}
		out[i] = id
	}
	return out, nil
}

// Head returns the current branch (full name, empty if HEAD is detached) and the current commit (empty if the branch has none yet).
func (r *Refs) Head(ctx context.Context) (branch Name, at object.ID, err error) {
	at, branch, err = r.resolve(ctx, "HEAD", 0)
	if branch == "HEAD" {
		branch = ""
	}
	return branch, at, err
}

// resolve follows symbolic refs. It returns the id and the name of the final ref. The name is returned even if that ref does not exist.
func (r *Refs) resolve(ctx context.Context, name Name, depth int) (id object.ID, last Name, err error) {
	if depth > 5 {
		return "", name, fmt.Errorf("read ref %s: it leads through more than 5 symbolic refs", name)
	}
	if r.InTables() {
		return r.ask(ctx, name)
	}
	path := r.path(name)
	if to, err := os.Readlink(path); err == nil && strings.HasPrefix(to, "refs/") {
		// The ref is a symbolic link. Old versions of git write such refs, and so does git with the setting core.preferSymlinkRefs.
		return r.resolve(ctx, Name(to), depth+1)
	}
	text, err := locate.ReadFile(path)
	switch {
	case err == nil:
		if to, ok := strings.CutPrefix(string(text), "ref:"); ok {
			return r.resolve(ctx, Name(strings.TrimSpace(to)), depth+1)
		}
		if id := strings.TrimSpace(string(text)); object.IsID(id) {
			return object.ID(id), name, nil
		}
		return "", name, &BadError{Ref: name}
	case isAbsent(err):
		id, err := packedRef(filepath.Join(r.git.CommonDir, "packed-refs"), string(name))
		return id, name, err
	default:
		return "", name, fmt.Errorf("read ref %s: %w", name, err)
	}
}

// isAbsent reports whether an error means that there is no such file. This includes a directory in place of the file, and a file in place
// of the directory that should contain it.
func isAbsent(err error) bool {
	return errors.Is(err, os.ErrNotExist) || errors.Is(err, errIsDir) || errors.Is(err, errNotDir)
}

func (r *Refs) ask(ctx context.Context, name Name) (object.ID, Name, error) {
	to, err := r.git.Line(ctx, "symbolic-ref", "-q", string(name))
	if err != nil && !process.SaysNo(err) { // exit code 1 means that the ref is not symbolic
		return "", name, err
	}
	last := cmp.Or(Name(to), name)
	id, err := r.git.Line(ctx, "rev-parse", "-q", "--verify", string(name))
	if process.SaysNo(err) {
		return "", last, nil
	}
	return object.ID(id), last, err
}

// BadError reports that a ref's file contains neither an id nor the name of another ref.
type BadError struct{ Ref Name }

func (e *BadError) Error() string { return fmt.Sprintf("ref '%s' is damaged", e.Ref) }

// path returns the loose file of a ref. Some refs belong to one worktree, all others to the whole repository.
func (r *Refs) path(ref Name) string {
	name := string(ref)
	for _, own := range []string{"refs/bisect/", "refs/worktree/", "refs/rewritten/"} {
		if strings.HasPrefix(name, own) {
			return filepath.Join(r.git.GitDir, filepath.FromSlash(name))
		}
	}
	if strings.HasPrefix(name, "refs/") {
		return filepath.Join(r.git.CommonDir, filepath.FromSlash(name))
	}
	return filepath.Join(r.git.GitDir, filepath.FromSlash(name))
}

// packedRef finds one ref in packed-refs, by binary search if the file is sorted. The id is empty if the ref is not in the file.
func packedRef(path, name string) (object.ID, error) {
	var id object.ID
	err := packedFrom(path, name, func(at object.ID, ref string) bool {
		if ref == name {
			id = at
		}
		return false
	})
	return id, err
}

// Names lists the names of the refs below a prefix such as "refs/notes/resume/", without the prefix. It starts no process if refs are
// files.
func (r *Refs) Names(ctx context.Context, prefix string) ([]string, error) {
	if r.InTables() {
		refs, err := r.List(ctx, prefix)
		names := make([]string, 0, len(refs))
		for name := range refs {
			names = append(names, strings.TrimPrefix(string(name), prefix))
		}
		slices.Sort(names)
		return names, err
	}
	var names []string
	root := filepath.Clean(r.path(Name(prefix)))
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if isAbsent(err) {
			return nil
		}
		if err != nil || d.IsDir() || strings.HasSuffix(path, ".lock") {
			return err
		}
		names = append(names, filepath.ToSlash(strings.TrimPrefix(path[len(root):], string(filepath.Separator))))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list refs: %w", err)
	}
	err = packedFrom(filepath.Join(r.git.CommonDir, "packed-refs"), prefix, func(_ object.ID, ref string) bool {
		short, ok := strings.CutPrefix(ref, prefix)
		if ok {
			names = append(names, short)
		}
		return ok
	})
	slices.Sort(names)
	return slices.Compact(names), err
}

// Replaced reports whether the user has replaced objects ("git replace"). It looks at the refs again only if their files have changed, or
// if refs are in reftables.
func (r *Refs) Replaced(ctx context.Context) (bool, error) {
	const prefix = "refs/replace/"
	var now [2]stamp
	for i, path := range []string{r.path(prefix), filepath.Join(r.git.CommonDir, "packed-refs")} {
		if info, err := os.Stat(path); err == nil {
			now[i] = stamp{info.ModTime(), info.Size()}
		}
	}
	tables := r.InTables()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.replacedAt != nil && *r.replacedAt == now && !tables {
		return r.replaced, nil
	}
	names, err := r.Names(ctx, prefix)
	if err != nil {
		return false, err
	}
	r.replaced, r.replacedAt = len(names) > 0, &now
	return r.replaced, nil
}

// packedFrom passes packed refs in sorted order to the given function, until the function returns false. It begins with the first ref
// that is not sorted before the given name.
func packedFrom(path, name string, each func(object.ID, string) bool) error {
	f, err := os.Open(path)
	if isAbsent(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read packed refs: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("read packed refs: %w", err)
	}
	if !isSorted(f) {
		return scanUnsorted(f, name, each)
	}
	start, err := searchOffset(f, info.Size(), name)
	if err != nil {
		return fmt.Errorf("read packed refs: %w", err)
	}
	return scanPacked(io.NewSectionReader(f, start, info.Size()-start), name, each)
}

// isSorted reports whether the header of packed-refs says that the file is sorted. Not every program that writes the file says so.
func isSorted(f io.ReaderAt) bool {
	buf := make([]byte, 256)
	n, _ := f.ReadAt(buf, 0) // ReadAt returns an error if the file is shorter than the buffer, which does not matter
	line, _, _ := strings.Cut(string(buf[:n]), "\n")
	what, ok := strings.CutPrefix(line, "# pack-refs with:")
	return ok && slices.Contains(strings.Fields(what), "sorted")
}

// scanUnsorted sorts the refs before it passes them to the given function.
func scanUnsorted(f io.Reader, name string, each func(object.ID, string) bool) error {
	refs := map[string]object.ID{}
	err := scanPacked(f, name, func(id object.ID, ref string) bool {
		refs[ref] = id
		return true
	})
	for _, ref := range slices.Sorted(maps.Keys(refs)) {
		if !each(refs[ref], ref) {
			break
		}
	}
	return err
}

// searchOffset returns an offset in packed-refs at which to start the search for the given name. All refs before this offset are sorted
// before that name.
func searchOffset(f io.ReaderAt, size int64, name string) (int64, error) {
	const window = 4096
	lo, hi := int64(0), size
	buf := make([]byte, window)
	for hi-lo > window {
		mid := (lo + hi) / 2
		n, err := f.ReadAt(buf, mid)
		if err != nil && err != io.EOF {
			return 0, err
		}
		start := bytes.IndexByte(buf[:n], '\n')
		ref, ok := firstRef(buf[start+1 : n])
		if start < 0 || !ok {
			return lo, nil
		}
		if ref < name {
			lo = mid + int64(start) + 1
		} else {
			hi = mid
		}
	}
	return lo, nil
}

// firstRef returns the ref of the first complete line that is neither a comment nor a peeled tag, or false if there is no such line.
func firstRef(text []byte) (string, bool) {
	for len(text) > 0 {
		line, rest, whole := bytes.Cut(text, []byte("\n"))
		if !whole {
			return "", false
		}
		if len(line) > 0 && line[0] != '^' && line[0] != '#' {
			_, ref, ok := strings.Cut(string(line), " ")
			return ref, ok
		}
		text = rest
	}
	return "", false
}

func scanPacked(in io.Reader, name string, each func(object.ID, string) bool) error {
	text, err := io.ReadAll(io.LimitReader(in, 16<<10))
	if err != nil {
		return fmt.Errorf("read packed refs: %w", err)
	}
	for {
		line, rest, whole := bytes.Cut(text, []byte("\n"))
		if !whole {
			more, err := io.ReadAll(io.LimitReader(in, 64<<10))
			if err != nil || len(more) == 0 {
				return err
			}
			text = append(text, more...)
			continue
		}
		text = rest
		id, ref, ok := strings.Cut(string(line), " ")
		if !ok || !object.IsID(id) || ref < name {
			continue
		}
		if !each(object.ID(id), ref) {
			return nil
		}
	}
}

// List returns the refs below the prefixes, as git sees them. The keys are full names.
func (r *Refs) List(ctx context.Context, prefixes ...string) (map[Name]object.ID, error) {
	args := append([]string{"for-each-ref", "--format=%(objectname) %(refname)", "--"}, prefixes...)
	out, err := r.git.Git(ctx, process.Call{Args: args})
	if err != nil {
		return nil, fmt.Errorf("list refs: %w", err)
	}
	refs := map[Name]object.ID{}
	for line := range strings.Lines(string(out)) {
		id, name, ok := strings.Cut(strings.TrimRight(line, "\n"), " ")
		if ok {
			refs[Name(name)] = object.ID(id)
		}
	}
	return refs, nil
}
