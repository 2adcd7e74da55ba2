package candidate

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/sources"
)

// naming finds what a name means.
type naming struct{ find *Finder }

// byName finds the work that a name means. An exact name always wins against the beginning of a longer one, even if the work with the exact
// name is closed: otherwise "discard api" could discard the open run "api2". Of names that fit equally well, those of open work win.
func (e naming) byName(ctx context.Context, given string) (Key, error) {
	for _, search := range []func(context.Context, string) (Key, error){e.ownExactly, e.adoptedExactly, e.foreignExactly, e.adoptedCalled, e.asRecorded, e.byFolder, e.byBeginning} {
		if key, err := search(ctx, given); key != "" || err != nil {
			return key, err
		}
	}
	// In a clone that never fetched the run's journal, Store.Find finds the run by its commits.
	if id := checkpoint.RunID(given); id.Valid() {
		if _, err := e.find.Store.Find(ctx, id); err == nil {
			return RunKey(id), nil
		}
	}
	if left := e.leftOnBranch(ctx, given); left != nil {
		return "", left
	}
	return "", &NoneError{Given: given, Near: e.mentioning(ctx, given)}
}

// leftOnBranch finds work with exactly this name on a branch that is not checked out, as the list of open work names it. It returns nil if
// there is none.
func (e naming) leftOnBranch(ctx context.Context, given string) error {
	left, err := e.find.LeftOnBranches(ctx, nil)
	if err != nil {
		return nil // that there is no such name here is certain, and is reported instead
	}
	for _, fits := range foreignNames {
		for _, l := range left {
			if fits(l.Found, given) {
				return &LeftError{Given: given, Key: l.Found.Key(), On: l.On}
			}
		}
	}
	return nil
}

// mentioning returns the keys of other systems' open work of which some name has all words of the given text. It is only a suggestion: what
// is named loosely is not changed without being asked for.
func (e naming) mentioning(ctx context.Context, given string) []string {
	const most = 5
	found, _ := e.foreignMatches(ctx) // that there is no such name was reported without an error before
	var near []string
	for _, m := range found {
		if m.open && len(near) < most && m.found.Mentions(given) {
			near = append(near, m.found.Key())
		}
	}
	return near
}

// match is a piece of work that a name fits: one of our runs, or other work if the field "found" is set.
type match struct {
	run   checkpoint.RunID
	found *sources.Found
	open  bool
}

// ownExactly finds one of our runs by its full id, its id without suffix, its four-character suffix, or its title.
func (e naming) ownExactly(ctx context.Context, given string) (Key, error) {
	runs, err := e.ownMatches(ctx)
	if err != nil {
		return "", err
	}
	for _, fits := range exactly {
		hits := keep(runs, func(m match) bool { return fits(m.run, given) })
		if key, err := e.oneOf(ctx, given, hits); key != "" || err != nil {
			return key, err
		}
	}
	return "", nil
}

// exactly lists the exact names of a run, the strongest first.
var exactly = []func(id checkpoint.RunID, given string) bool{
	func(id checkpoint.RunID, given string) bool { return string(id) == given },
	func(id checkpoint.RunID, given string) bool { return bareName(id) == given },
	func(id checkpoint.RunID, given string) bool { return id.Suffix() == given },
	func(id checkpoint.RunID, given string) bool {
		name, mark := title(given)
		return mark == id.Suffix() && bareName(id) == plan.Slug(name)
	},
}

// title takes a title apart, as screens print it: "Fix Login (ab2c)" for a run, and "login (auto-claude)" for work of another system. The
// mark is the text in parentheses. It is empty if the text is no title.
func title(given string) (name, mark string) {
	at := strings.LastIndex(given, " (")
	if at < 0 || !strings.HasSuffix(given, ")") {
		return given, ""
	}
	return given[:at], given[at+len(" (") : len(given)-1]
}

// asRecorded finds work by what only its record says: one of our runs by its name, such as "Fix Login", of which the id has only a slug,
// and work of another system by its title.
func (e naming) asRecorded(ctx context.Context, given string) (Key, error) {
	all, err := e.matches(ctx)
	if err != nil {
		return "", err
	}
	name, mark := title(given)
	fits := func(m match) bool {
		if m.found != nil {
			return m.found.Source == mark && quote.Clean(m.found.Name) == name
		}
		if mark == "" && bareName(m.run) != plan.Slug(given) { // do not read its record
			return false
		}
		j, err := e.find.Store.Load(ctx, m.run)
		if err != nil {
			return false
		}
		recorded := quote.Clean(j.Run.Name)
		return recorded == given || mark != "" && j.Run.Source == mark && recorded == name
	}
	return e.oneOf(ctx, given, keep(all, fits))
}

func bareName(id checkpoint.RunID) string { return strings.TrimSuffix(string(id), "-"+id.Suffix()) }

// NamedBy returns the ids that a name fits best. If the name is exactly the id, the name, the suffix or the title of some runs, these are
// returned. Otherwise NamedBy returns the ids that begin with the name.
func NamedBy(ids []checkpoint.RunID, given string) []checkpoint.RunID {
	for _, fits := range append(slices.Clone(exactly), func(id checkpoint.RunID, given string) bool { return strings.HasPrefix(string(id), given) }) {
		if hits := keep(ids, func(id checkpoint.RunID) bool { return fits(id, given) }); len(hits) > 0 {
			return hits
		}
	}
	return nil
}

// OnlyBegins reports whether the text "given" is only the beginning of a run's id: neither the whole id, nor the run's name, nor the
// suffix.
func OnlyBegins(id checkpoint.RunID, given string) bool {
	isExact := slices.ContainsFunc(exactly, func(fits func(checkpoint.RunID, string) bool) bool { return fits(id, given) })
	return !isExact && strings.HasPrefix(string(id), given)
}

func (e naming) ownMatches(ctx context.Context) ([]match, error) {
	open, err := e.find.Store.List(ctx, journal.OpenRuns)
	if err != nil {
		return nil, err
	}
	all, err := e.find.Store.List(ctx, journal.AllRuns)
	if err != nil {
		return nil, err
	}
	out := make([]match, len(all))
	for i, id := range all {
		_, isOpen := slices.BinarySearch(open, id)
		out[i] = match{run: id, open: isOpen}
	}
	return out, nil
}

// adoptedExactly finds the run that adopted another system's work with exactly this name, even if that system's state no longer exists. It
// returns "" if there is none.
func (e naming) adoptedExactly(ctx context.Context, given string) (Key, error) {
	name, meant := given, func(r *checkpoint.Run) bool { return path.Base(r.SourceID) == given }
	if Key(given).Kind() != OwnRun {
		_, id, _ := strings.Cut(given, ":")
		name, meant = (&sources.Found{ID: id}).Slug(), func(r *checkpoint.Run) bool { return namesWork(given, r.Source, r.SourceID) }
	}
	for _, mode := range []journal.ListMode{journal.OpenRuns, journal.AllRuns} {
		ids, err := e.find.Store.List(ctx, mode)
		if err != nil {
			return "", err
		}
		if id, ok := adoptedBy(ctx, e.find.Store, adoptersOf(name, ids), meant); ok {
			return RunKey(id), nil
		}
	}
	return "", nil
}

// adoptedCalled finds the run that adopted another system's work which people call by this name, such as "wishlist" for 003-wishlist, although
// the work is not shown any more. It returns "" if there is none.
func (e naming) adoptedCalled(ctx context.Context, given string) (Key, error) {
	called := func(id string) bool { return (&sources.Found{ID: id}).Called(given) }
	ids, err := e.find.Store.List(ctx, journal.AllRuns)
	if err != nil {
		return "", err
	}
	ids = keep(ids, func(id checkpoint.RunID) bool { return called(bareName(id)) })
	if id, ok := adoptedBy(ctx, e.find.Store, ids, func(r *checkpoint.Run) bool { return called(r.SourceID) }); ok {
		return RunKey(id), nil
	}
	return "", nil
}

// adoptersOf returns those of the runs that may have adopted work with this name: the id of such a run is made from the name.
func adoptersOf(name string, ids []checkpoint.RunID) []checkpoint.RunID {
	adopter := bareName(checkpoint.RunIDFor(name, ""))
	return keep(ids, func(id checkpoint.RunID) bool { return bareName(id) == adopter })
}

// namesWork reports whether a key means the work with this source and this id. It also accepts names that an earlier version gave to the
// work.
func namesWork(key, source, id string) bool {
	given, rest, _ := strings.Cut(key, ":")
	return rest == id && sources.SameSource(given, source)
}

// adoptedBy finds the run that adopted a piece of another system's work, even if that system's state no longer exists. Of several, which
// were discarded one after another, it takes the last one. It returns false if there is none.
func adoptedBy(ctx context.Context, store *journal.Store, ids []checkpoint.RunID, meant func(*checkpoint.Run) bool) (last checkpoint.RunID, ok bool) {
	var at time.Time
	for _, id := range ids {
		j, err := store.Load(ctx, id)
		if err == nil && j.Run.Ours() && j.Run.Source != "" && meant(&j.Run) && (!ok || j.Run.LastAt.After(at)) {
			last, ok, at = id, true, j.Run.LastAt
		}
	}
	return last, ok
}

// foreignNames lists the exact names of another system's work, the strongest first.
var foreignNames = []func(f *sources.Found, given string) bool{
	func(f *sources.Found, given string) bool { return slices.Contains(sources.KeysOf(f), given) },
	func(f *sources.Found, given string) bool { return f.ID == given || f.Name == given },
	func(f *sources.Found, given string) bool { return f.Called(given) },
}

// foreignExactly finds another system's work by its key, its id or its usual name.
func (e naming) foreignExactly(ctx context.Context, given string) (Key, error) {
	found, err := e.foreignMatches(ctx)
	if err != nil {
		return "", err
	}
	for _, fits := range foreignNames {
		hits := keep(found, func(m match) bool { return fits(m.found, given) })
		if key, err := e.oneOf(ctx, given, hits); key != "" || err != nil {
			return key, err
		}
	}
	return "", nil
}

func (e naming) foreignMatches(ctx context.Context) ([]match, error) {
	found, err := e.find.Foreign(ctx)
	out := make([]match, len(found))
	for i := range found {
		out[i] = match{found: &found[i], open: found[i].State.Open()}
	}
	return out, err
}

// matches lists all work, of our own and of other systems.
func (e naming) matches(ctx context.Context) ([]match, error) {
	runs, err := e.ownMatches(ctx)
	if err != nil {
		return nil, err
	}
	found, err := e.foreignMatches(ctx)
	return append(runs, found...), err
}

// byBeginning finds the only work, of our own or of another system, whose id or key begins with the given text.
func (e naming) byBeginning(ctx context.Context, given string) (Key, error) {
	all, err := e.matches(ctx)
	if err != nil {
		return "", err
	}
	return e.oneOf(ctx, given, keep(all, func(m match) bool {
		if f := m.found; f != nil {
			return strings.HasPrefix(f.Key(), given) || strings.HasPrefix(f.FormerKey(), given) || strings.HasPrefix(f.ID, given)
		}
		return strings.HasPrefix(string(m.run), given)
	}))
}

// oneOf returns the key of the only match, and "" if there is none. If there are several, only those that are open count.
func (e naming) oneOf(ctx context.Context, given string, all []match) (Key, error) {
	all = keep(all, func(m match) bool { return m.found != nil || string(m.run) == given || exists(ctx, e.find.Site, m.run) })
	if open := keep(all, func(m match) bool { return m.open }); len(open) > 0 {
		all = open
	}
	keys, err := e.keysOf(ctx, all)
	if err != nil || len(keys) == 0 {
		return "", err
	}
	if len(keys) == 1 {
		return keys[0], nil
	}
	several := &AmbiguousError{Given: given}
	for _, m := range all {
		if m.found != nil {
			several.Runs = append(several.Runs, e.find.SummaryOf(ctx, m.found))
			continue
		}
		s, err := e.find.Summary(ctx, m.run)
		if err != nil {
			return "", err
		}
		several.Runs = append(several.Runs, s)
	}
	return "", several
}

// keysOf returns the keys of the matches, each once. Another system's work has the key of the run that adopted it, if there is one.
func (e naming) keysOf(ctx context.Context, all []match) ([]Key, error) {
	var listed []Summary
	if slices.ContainsFunc(all, func(m match) bool { return m.found != nil }) {
		var err error
		if listed, err = e.find.Status(ctx, journal.AllRuns); err != nil {
			return nil, err
		}
	}
	var out []Key
	for _, m := range all {
		key := RunKey(m.run)
		if m.found != nil {
			key = FoundKey(m.found)
			if i := slices.IndexFunc(listed, func(s Summary) bool { return s.Found != nil && s.Found.Key() == m.found.Key() }); i >= 0 {
				key = listed[i].Key()
			}
		}
		if !slices.Contains(out, key) {
			out = append(out, key)
		}
	}
	return out, nil
}

// keep returns the elements for which the function "wanted" returns true.
func keep[T any](all []T, wanted func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(all), func(one T) bool { return !wanted(one) })
}

// exists reports whether a run exists. An interrupted start can leave a file for a run that was never created.
func exists(ctx context.Context, e *site.Site, id checkpoint.RunID) bool {
	if at, err := e.Repo.Refs.Ref(ctx, checkpoint.JournalRef(id)); err != nil || at != "" {
		return true // a ref that exists but cannot be read also proves that there is a run
	}
	var none *checkpoint.NoRunError
	_, err := e.Store.Find(ctx, id)
	return !errors.As(err, &none)
}
