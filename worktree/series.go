package worktree

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

// series is a ref to a tree whose entries are numbered from 0001 on, each a tree of its own.
// It keeps what would be a chain of commits elsewhere, and adds no commit to "git log --all".
// An append writes the one tree of numbers again and reads none of the entries.
type series struct {
	repo *gitstate.Repo
	ref  string
	// base is the part of the name under which refs keep the commits that kept ones stand on.
	base string
}

// seriesRoot is where the series of all runs are.
const seriesRoot = "refs/resume/"

func seriesOf(repo *gitstate.Repo, what, run string) series {
	return series{repo: repo, ref: seriesRoot + what + "/" + run, base: seriesRoot + "on/" + what + "/" + run + "/"}
}

// The series that a run can have.
const (
	snapshotSeries  = "snapshots"
	discardedSeries = "discarded"
	actedSeries     = "acted"
)

// entry is one tree of a series.
type entry struct {
	number int
	id     object.ID
}

// roll is a series as it was read.
type roll struct {
	// root is where the ref was; empty if there was none.
	root object.ID
	// all are the lines of that tree, also those that are no entry: they are kept as they are.
	all     []object.Entry
	entries []entry // by number
}

// NotSeriesError says that a ref of ours leads to something that we did not put there.
type NotSeriesError struct{ Ref, Kind string }

func (e *NotSeriesError) Error() string {
	return fmt.Sprintf("ref '%s' names a %s and not a tree of numbered entries; look at it with 'git show %s', then remove it with 'git update-ref -d %s'",
		e.Ref, e.Kind, e.Ref, e.Ref)
}

// read lists the entries. A ref to nothing, as a gc or a power cut may leave it, has none.
func (s series) read(ctx context.Context) (roll, error) {
	at, err := s.repo.Refs.Ref(ctx, s.ref)
	if err != nil {
		return roll{}, err
	}
	return s.readAt(ctx, at)
}

func (s series) readAt(ctx context.Context, at object.ID) (roll, error) {
	if at == "" {
		return roll{}, nil
	}
	o, err := s.repo.Objects.Object(ctx, string(at))
	if errors.Is(err, object.ErrMissing) {
		return roll{root: at}, nil
	}
	if err != nil {
		return roll{}, err
	}
	if o.Type != "tree" {
		return roll{}, &NotSeriesError{s.ref, o.Type}
	}
	r := roll{root: at}
	if r.all, err = o.Entries(); err != nil {
		return roll{}, err
	}
	for _, e := range r.all {
		if n, ok := parseNumber(e.Name); ok && e.Mode == object.ModeDir {
			r.entries = append(r.entries, entry{n, e.ID})
		}
	}
	slices.SortFunc(r.entries, func(a, b entry) int { return cmp.Compare(a.number, b.number) })
	return r, nil
}

// numberName is an entry's name: at least four digits.
func numberName(n int) string { return fmt.Sprintf("%04d", n) }

func parseNumber(name string) (int, bool) {
	n, err := strconv.Atoi(name)
	return n, err == nil && n > 0 && numberName(n) == name
}

// last is the newest entry; its number is zero if there is none.
func (r roll) last() entry {
	if len(r.entries) == 0 {
		return entry{}
	}
	return r.entries[len(r.entries)-1]
}

// with adds the tree of a series with some entries more, and gives its id and the number of the last one.
func (r roll) with(p *object.Pending, ids ...object.ID) (root object.ID, number int) {
	number = r.last().number
	all := slices.Clone(r.all)
	for _, id := range ids {
		number++
		all = append(all, object.Entry{Name: numberName(number), Mode: object.ModeDir, ID: id})
	}
	return p.Add("tree", object.TreeData(all)), number
}

// move lets the ref name a new tree whose objects are written already, and keeps alive what kept commits stand on.
func (s series) move(ctx context.Context, from, to object.ID, on []object.ID) error {
	var updates []refs.Update
	for _, id := range on {
		have, err := s.repo.Refs.Ref(ctx, s.base+string(id))
		if err != nil {
			return err
		}
		if have == "" {
			updates = append(updates, refs.Update{Ref: s.base + string(id), New: id, NoLog: true})
		}
	}
	updates = append(updates, refs.Update{Ref: s.ref, New: to, Old: from, NoLog: true})
	for _, err := range s.repo.Refs.UpdateAll(ctx, updates...) {
		if err != nil {
			return err
		}
	}
	return nil
}

// lost reports whether a ref was moved or held by somebody else, so that the same is tried again from a fresh look.
func lost(err error) bool {
	var stale *refs.StaleError
	var busy *refs.BusyError
	return errors.As(err, &stale) || errors.As(err, &busy)
}

// vanished reports whether git did not take a ref: what it should name may be gone before the ref names it.
func vanished(err error) bool {
	var git *process.Error
	return errors.As(err, &git) && slices.Contains(git.Args, "update-ref")
}

// add appends what build makes, with all objects that it needs.
func (s series) add(ctx context.Context, build func(*object.Pending) (object.ID, []object.ID, error)) (entry, error) {
	h, err := s.repo.Settings.Hasher(ctx)
	if err != nil {
		return entry{}, err
	}
	for i := 1; ; i++ {
		r, err := s.read(ctx)
		if err != nil {
			return entry{}, err
		}
		p := object.NewPending(h)
		id, on, err := build(p)
		if err != nil {
			return entry{}, err
		}
		root, number := r.with(p, id)
		if err := s.repo.Objects.Write(ctx, p); err != nil {
			return entry{}, err
		}
		err = s.move(ctx, r.root, root, on)
		if err == nil || i == tries || !lost(err) && !vanished(err) {
			return entry{number, id}, err
		}
	}
}

// drop removes the series and what it keeps alive beside.
func (s series) drop(ctx context.Context) error {
	if err := dropRef(ctx, s.repo, s.ref); err != nil {
		return err
	}
	names, err := s.repo.Refs.Names(ctx, s.base)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := dropRef(ctx, s.repo, s.base+name); err != nil {
			return err
		}
	}
	return nil
}

// shorten takes back the newest entries whose objects a gc removed under us.
// If the tree of numbers itself is gone, before is the one that was there when the caller began.
func (s series) shorten(ctx context.Context, before object.ID) error {
	r, err := s.read(ctx)
	if err != nil || r.root == "" || whole(ctx, s.repo, r.root, s.apart(ctx)...) {
		return err
	}
	if len(r.all) == 0 { // the tree of numbers is gone, and with it the way to the older entries
		if !whole(ctx, s.repo, before) {
			before = ""
		}
		return s.repo.Refs.Update(ctx, refs.Update{Ref: s.ref, New: before, Old: r.root, NoLog: true})
	}
	for len(r.entries) > 0 && !whole(ctx, s.repo, r.last().id, s.apart(ctx)...) {
		gone := numberName(r.last().number)
		r.entries = r.entries[:len(r.entries)-1]
		r.all = slices.DeleteFunc(r.all, func(e object.Entry) bool { return e.Name == gone })
	}
	h, err := s.repo.Settings.Hasher(ctx)
	if err != nil {
		return err
	}
	to := object.ID("")
	if len(r.all) > 0 {
		p := object.NewPending(h)
		to, _ = r.with(p)
		if err := s.repo.Objects.Write(ctx, p); err != nil {
			return err
		}
	}
	return s.repo.Refs.Update(ctx, refs.Update{Ref: s.ref, New: to, Old: r.root, NoLog: true})
}

// origins tells of each entry that was a commit before which one it was.
func (s series) origins(ctx context.Context, r roll) (map[object.ID]entry, error) {
	out := map[object.ID]entry{}
	for _, e := range r.entries {
		l, err := readLabel(ctx, s.repo, e.id)
		if err != nil {
			return nil, err
		}
		if l.was != "" {
			out[l.was] = e
		}
	}
	return out, nil
}

// find gives the entry that is meant by an id: its own, or that of the commit which it was.
func (s series) find(ctx context.Context, id object.ID) (entry, bool, error) {
	r, err := s.read(ctx)
	if err != nil {
		return entry{}, false, err
	}
	for _, e := range r.entries {
		if e.id == id {
			return e, true, nil
		}
	}
	known, err := s.origins(ctx, r)
	e, ok := known[id]
	return e, ok, err
}

func dropRef(ctx context.Context, repo *gitstate.Repo, ref string) error {
	at, err := repo.Refs.Ref(ctx, ref)
	if err != nil || at == "" {
		return err
	}
	return repo.Refs.Update(ctx, refs.Update{Ref: ref, Old: at})
}

// tries bounds how often a lost race is run again.
const tries = 8

// apart are the files that refs to other commits keep, and that need no second look.
func (s series) apart(ctx context.Context) []string {
	names, _ := s.repo.Refs.Names(ctx, s.base) // if they cannot be listed, all is looked at
	out := make([]string, 0, len(names))
	for _, id := range names {
		if object.IsID(id) {
			out = append(out, id+"^{tree}")
		}
	}
	return out
}

// addAll appends several entries at once. Build is told which commits are in the series already, so that nothing comes twice after a kill.
func (s series) addAll(ctx context.Context, on []object.ID, build func(*object.Pending, map[object.ID]entry) ([]object.ID, error)) error {
	h, err := s.repo.Settings.Hasher(ctx)
	if err != nil {
		return err
	}
	for i := 1; ; i++ {
		r, err := s.read(ctx)
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
		root, _ := r.with(p, ids...)
		if err := s.repo.Objects.Write(ctx, p); err != nil {
			return err
		}
		err = s.move(ctx, r.root, root, on)
		if err == nil || i == tries || !lost(err) && !vanished(err) {
			return err
		}
	}
}

// checkRun refuses names that git would not take as the last part of a ref, or that lead elsewhere as a file name.
func checkRun(run string) error {
	bad := run == "" || strings.HasPrefix(run, ".") || strings.HasPrefix(run, "-") || strings.HasSuffix(run, ".lock") || strings.HasSuffix(run, ".") ||
		strings.Contains(run, "..") || strings.Contains(run, "@{") || strings.ContainsAny(run, "/\\:?*[~^ \x7f") ||
		strings.ContainsFunc(run, func(r rune) bool { return r < ' ' })
	if bad {
		return fmt.Errorf("%q cannot name a run's refs", run)
	}
	return nil
}

func wipRef(run string) string { return seriesRoot + "wip/" + run }

// actedPart is below the trash of the version before, where no run's name can be.
const actedPart = "acted/"

func trashRef(run string) string { return seriesRoot + "trash/" + run }
