package series

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
)

// Series is a numbered list of git trees under one ref, such as refs/resume/snapshots/<run>. The ref points to a tree with the entries
// 0001, 0002 and so on. A series adds no commits, so "git log --all" does not show it.
type Series struct {
	repo *gitstate.Repo
	Ref  refs.Name
	// base is a prefix of refs. These refs protect commits that the entries need, but do not contain.
	base string
}

// Root is the prefix of the refs of all series.
const Root = "refs/resume/"

// Of returns one series of a run. The argument "what" is the kind of the series, such as Snapshots.
func Of(repo *gitstate.Repo, what, run string) Series {
	return Series{repo: repo, Ref: refs.Name(Root + what + "/" + run), base: Root + "on/" + what + "/" + run + "/"}
}

// The kinds of series that a run can have.
const (
	Snapshots = "snapshots"
	Discarded = "discarded"
	Acted     = "acted"
)

// Entry is one numbered git tree of a series.
type Entry struct {
	Number int
	ID     object.ID
}

// Snapshot is the content of a series at the moment when it was read.
type Snapshot struct {
	// Root is the git tree that the ref pointed to. It is empty if there was no ref.
	Root object.ID
	// all holds all entries of the tree Root, including those whose name is not a number.
	all     []object.Entry
	Entries []Entry // sorted by number
}

// NotSeriesError reports that one of our refs points to an object that is not a git tree.
type NotSeriesError struct {
	Ref  refs.Name
	Kind string
}

func (e *NotSeriesError) Error() string {
	return fmt.Sprintf("ref '%s' is a %s, not a tree of numbered entries; look at it with 'git show %s', then remove it with 'git update-ref -d %s'",
		e.Ref, e.Kind, e.Ref, e.Ref)
}

// Read reads the entries of the series. It returns none if the ref points to a missing object, for example after a power failure.
func (s Series) Read(ctx context.Context) (Snapshot, error) {
	at, err := s.repo.Refs.Ref(ctx, s.Ref)
	if err != nil {
		return Snapshot{}, err
	}
	return s.ReadAt(ctx, at)
}

// ReadAt is like Read, but reads the given git tree instead of the tree to which the ref points.
func (s Series) ReadAt(ctx context.Context, at object.ID) (Snapshot, error) {
	if at == "" {
		return Snapshot{}, nil
	}
	o, err := s.repo.Objects.Object(ctx, string(at))
	if errors.Is(err, object.ErrMissing) {
		return Snapshot{Root: at}, nil
	}
	if err != nil {
		return Snapshot{}, err
	}
	if o.Type != "tree" {
		return Snapshot{}, &NotSeriesError{s.Ref, o.Type}
	}
	r := Snapshot{Root: at}
	if r.all, err = o.Entries(); err != nil {
		return Snapshot{}, err
	}
	for _, e := range r.all {
		if n, ok := parseNumber(e.Name); ok && e.Mode == object.ModeDir {
			r.Entries = append(r.Entries, Entry{n, e.ID})
		}
	}
	slices.SortFunc(r.Entries, func(a, b Entry) int { return cmp.Compare(a.Number, b.Number) })
	return r, nil
}

// NumberName formats the number of an entry with at least four digits.
func NumberName(n int) string { return fmt.Sprintf("%04d", n) }

func parseNumber(name string) (int, bool) {
	n, err := strconv.Atoi(name)
	return n, err == nil && n > 0 && NumberName(n) == name
}

// Last returns the newest entry. Its number is zero if there is none.
func (r Snapshot) Last() Entry {
	if len(r.Entries) == 0 {
		return Entry{}
	}
	return r.Entries[len(r.Entries)-1]
}

// With adds a new top tree to the pending objects. The tree contains the old entries and the given ones. The results are the id of the tree
// and the number of its last entry.
func (r Snapshot) With(p *object.Pending, ids ...object.ID) (root object.ID, number int) {
	number = r.Last().Number
	all := slices.Clone(r.all)
	for _, id := range ids {
		number++
		all = append(all, object.Entry{Name: NumberName(number), Mode: object.ModeDir, ID: id})
	}
	return p.Add("tree", object.TreeData(all)), number
}

// Move updates the ref to a new git tree, whose objects are already written. It also makes a ref to each commit in the list "on".
func (s Series) Move(ctx context.Context, from, to object.ID, on []object.ID) error {
	var updates []refs.Update
	for _, id := range on {
		have, err := s.repo.Refs.Ref(ctx, refs.Name(s.base+string(id)))
		if err != nil {
			return err
		}
		if have == "" {
			updates = append(updates, refs.Update{Ref: refs.Name(s.base + string(id)), New: id, NoLog: true})
		}
	}
	updates = append(updates, refs.Update{Ref: s.Ref, New: to, Old: from, NoLog: true})
	for _, err := range s.repo.Refs.UpdateAll(ctx, updates...) {
		if err != nil {
			return err
		}
	}
	return nil
}

// Lost reports whether another process moved or locked the ref first. The caller should read the ref and try again.
func Lost(err error) bool {
	var stale *refs.StaleError
	var busy *refs.BusyError
	return errors.As(err, &stale) || errors.As(err, &busy)
}

// Vanished reports whether git refused to update a ref. The reason may be that a gc has deleted the objects.
func Vanished(err error) bool {
	var git *process.Error
	return errors.As(err, &git) && slices.Contains(git.Args, "update-ref")
}

// Add appends one entry to the series. The function build() must add the entry to the pending objects, and return the id of the entry and
// the commits that refs must protect. Add may call build() several times, because another process may change the series meanwhile.
func (s Series) Add(ctx context.Context, build func(*object.Pending) (object.ID, []object.ID, error)) (Entry, error) {
	h, err := s.repo.Settings.Hasher(ctx)
	if err != nil {
		return Entry{}, err
	}
	for i := 1; ; i++ {
		r, err := s.Read(ctx)
		if err != nil {
			return Entry{}, err
		}
		p := object.NewPending(h)
		id, on, err := build(p)
		if err != nil {
			return Entry{}, err
		}
		root, number := r.With(p, id)
		if err := s.repo.Objects.Write(ctx, p); err != nil {
			return Entry{}, err
		}
		err = s.Move(ctx, r.Root, root, on)
		if err == nil || i == Tries || !Lost(err) && !Vanished(err) {
			return Entry{number, id}, err
		}
	}
}

// Drop deletes the series and the refs below s.base.
func (s Series) Drop(ctx context.Context) error {
	if err := DropRef(ctx, s.repo, s.Ref); err != nil {
		return err
	}
	names, err := s.repo.Refs.Names(ctx, s.base)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := DropRef(ctx, s.repo, refs.Name(s.base+name)); err != nil {
			return err
		}
	}
	return nil
}

// Shorten removes the newest entries if a gc has deleted some of their objects. If the top tree is missing too, Shorten resets the series
// to the tree "before", which was the top tree when the caller started. If that tree is incomplete too, Shorten deletes the ref.
func (s Series) Shorten(ctx context.Context, before object.ID) error {
	r, err := s.Read(ctx)
	if err != nil || r.Root == "" || Whole(ctx, s.repo, r.Root, s.Apart(ctx)...) {
		return err
	}
	if len(r.all) == 0 { // the top tree is gone, and without it the older entries cannot be found
		if !Whole(ctx, s.repo, before) {
			before = ""
		}
		return s.repo.Refs.Update(ctx, refs.Update{Ref: s.Ref, New: before, Old: r.Root, NoLog: true})
	}
	for len(r.Entries) > 0 && !Whole(ctx, s.repo, r.Last().ID, s.Apart(ctx)...) {
		gone := NumberName(r.Last().Number)
		r.Entries = r.Entries[:len(r.Entries)-1]
		r.all = slices.DeleteFunc(r.all, func(e object.Entry) bool { return e.Name == gone })
	}
	h, err := s.repo.Settings.Hasher(ctx)
	if err != nil {
		return err
	}
	to := object.ID("")
	if len(r.all) > 0 {
		p := object.NewPending(h)
		to, _ = r.With(p)
		if err := s.repo.Objects.Write(ctx, p); err != nil {
			return err
		}
	}
	return s.repo.Refs.Update(ctx, refs.Update{Ref: s.Ref, New: to, Old: r.Root, NoLog: true})
}

// origins maps commits to the entries that were made from them.
func (s Series) origins(ctx context.Context, r Snapshot) (map[object.ID]Entry, error) {
	out := map[object.ID]Entry{}
	for _, e := range r.Entries {
		l, err := ReadLabel(ctx, s.repo, e.ID)
		if err != nil {
			return nil, err
		}
		if l.Was != "" {
			out[l.Was] = e
		}
	}
	return out, nil
}

// Find returns the entry with the given id. If the id is a commit, it returns the entry that was made from the commit.
func (s Series) Find(ctx context.Context, id object.ID) (Entry, bool, error) {
	r, err := s.Read(ctx)
	if err != nil {
		return Entry{}, false, err
	}
	for _, e := range r.Entries {
		if e.ID == id {
			return e, true, nil
		}
	}
	known, err := s.origins(ctx, r)
	e, ok := known[id]
	return e, ok, err
}

// DropRef deletes a ref, if it exists.
func DropRef(ctx context.Context, repo *gitstate.Repo, ref refs.Name) error {
	at, err := repo.Refs.Ref(ctx, ref)
	if err != nil || at == "" {
		return err
	}
	return repo.Refs.Update(ctx, refs.Update{Ref: ref, Old: at})
}

// Tries is how often an operation is tried if other processes change the same ref.
const Tries = 8

// Apart lists the trees of the commits that have a ref below s.base. The function Whole need not check these trees.
func (s Series) Apart(ctx context.Context) []string {
	names, _ := s.repo.Refs.Names(ctx, s.base) // on an error the list is empty, and the function Whole checks everything
	out := make([]string, 0, len(names))
	for _, id := range names {
		if object.IsID(id) {
			out = append(out, id+"^{tree}")
		}
	}
	return out
}

// AddAll appends the entries that build() makes. The map that build() gets has the commits that already have an entry, so that build()
// makes no second entry for them.
func (s Series) AddAll(ctx context.Context, on []object.ID, build func(*object.Pending, map[object.ID]Entry) ([]object.ID, error)) error {
	h, err := s.repo.Settings.Hasher(ctx)
	if err != nil {
		return err
	}
	for i := 1; ; i++ {
		r, err := s.Read(ctx)
		if err != nil {
			return err
		}
		known, err := s.origins(ctx, r)
		if err != nil {
			return err
		}
		p := object.NewPending(h)
		ids, err := build(p, known)
		if err != nil || len(ids) == 0 {
			return err
		}
		root, _ := r.With(p, ids...)
		if err := s.repo.Objects.Write(ctx, p); err != nil {
			return err
		}
		err = s.Move(ctx, r.Root, root, on)
		if err == nil || i == Tries || !Lost(err) && !Vanished(err) {
			return err
		}
	}
}

// CheckRun returns an error for a run name that is not valid as part of a ref or as a file name.
func CheckRun(run string) error {
	bad := run == "" || strings.HasPrefix(run, ".") || strings.HasPrefix(run, "-") || strings.HasSuffix(run, ".lock") || strings.HasSuffix(run, ".") ||
		strings.Contains(run, "..") || strings.Contains(run, "@{") || strings.ContainsAny(run, "/\\:?*[~^ \x7f") ||
		strings.ContainsFunc(run, func(r rune) bool { return r < ' ' })
	if bad {
		return fmt.Errorf("%q cannot be used in the names of a run's refs", run)
	}
	return nil
}
