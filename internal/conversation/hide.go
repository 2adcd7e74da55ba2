package conversation

import (
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/internal/adopt"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/screen/others"
	"github.com/git-resume/git-resume/internal/sources"
)

// HideRequest says which work to hide, or to show again.
type HideRequest struct {
	Names []string
	// Old is true if the user wants to hide all work that is so old that it is not listed.
	Old bool
	// List asks for a list of hidden work. Undo shows work again: the named work, or all work that was not hidden by a pattern.
	List, Undo bool
}

// Fit refuses a request that does not say what to hide, or that combines flags and names that cannot be used together.
func (q HideRequest) Fit() error {
	switch {
	case slices.Contains(q.Names, ""):
		return exit.Usagef("the name of the work is empty")
	case q.List && (q.Old || q.Undo || len(q.Names) > 0):
		return exit.Usagef("--list shows everything that is hidden; it cannot be used with a name, --old or --undo")
	case q.Old && (q.Undo || len(q.Names) > 0):
		return exit.Usagef("--old hides all old work; it cannot be used with a name or --undo")
	case !q.List && !q.Old && !q.Undo && len(q.Names) == 0:
		return exit.Meantf("git resume hide --old", "name the work to hide, or hide all old work with --old")
	}
	return nil
}

// Hide hides other systems' work in this clone, shows it again, or lists what is hidden.
func Hide(t *Talk, q HideRequest) error {
	h := hiding{t}
	switch {
	case q.List:
		return h.list()
	case q.Undo:
		return h.showAgain(q.Names)
	case q.Old:
		return h.hideOld()
	}
	return h.hideNamed(q.Names)
}

type hiding struct{ *Talk }

// hideNamed looks up all names before it hides anything, so that a mistyped name changes nothing.
func (t hiding) hideNamed(names []string) error {
	var found []*sources.Found
	var already []string
	for _, name := range names {
		f, err := t.find(name)
		if err != nil {
			if w, ok := t.hiddenAs(name); ok {
				already = append(already, w.Called())
				continue
			}
			return err
		}
		found = append(found, f)
	}
	others.AlreadyHidden(t.Person.Screen(), already)
	return t.hide(found)
}

// find returns the work that a name means. Only other systems' work can be hidden.
func (t hiding) find(name string) (*sources.Found, error) {
	key, err := t.Engine.Find.Which(t.Context, name)
	if err != nil {
		return nil, err
	}
	s, err := t.Engine.Find.Lookup(t.Context, key)
	switch {
	case err != nil:
		return nil, err
	case key.Kind() == candidate.GitOperation || s.Found == nil && s.Run.Source == "":
		return nil, &adopt.HideOwnError{Key: key, Finished: s.Run.Finished, Unmerged: s.Run.MayLackMerge() && s.Run.Base.Name != ""}
	case s.Found == nil:
		return nil, &candidate.NoneError{Given: name}
	}
	return s.Found, nil
}

// hideOld hides other systems' work whose last activity is older than resume.stale, except work that the status still lists.
func (t hiding) hideOld() error {
	stale, err := t.Engine.Find.StaleAfter(t.Context)
	if err != nil {
		return err
	}
	all, err := candidate.Judging{Find: t.Engine.Find}.Status(t.Context, journal.OpenRuns)
	if err != nil {
		return err
	}
	var old []*sources.Found
	for _, s := range all {
		if f := s.Found; !s.Listed && f != nil && f.Source != candidate.GitSource && t.Clock().Sub(s.Run.LastAt) > stale {
			old = append(old, f)
		}
	}
	if len(old) == 0 {
		others.NothingOld(t.Person.Screen(), stale)
		return nil
	}
	return t.hide(old)
}

func (t hiding) hide(found []*sources.Found) error {
	if !t.Options.DryRun {
		for _, f := range found {
			if err := t.Engine.Adopt.Hide(t.Context, f); err != nil {
				return err
			}
		}
	}
	others.HidWork(t.Person.Screen(), found, t.Options.DryRun)
	return nil
}

func (t hiding) list() error {
	works, unused, err := candidate.Hiding{Find: t.Engine.Find}.List(t.Context)
	if err == nil {
		others.HiddenList(t.Person.Screen(), works, unused)
	}
	return err
}

// hiddenAs finds hidden work by its key, id or name, or the beginning of its key or id. It returns false if none or several fit.
func (t hiding) hiddenAs(name string) (candidate.HiddenWork, bool) {
	works, _, err := candidate.Hiding{Find: t.Engine.Find}.List(t.Context)
	if err != nil {
		return candidate.HiddenWork{}, false // the caller returns its own error
	}
	for _, test := range []func(f *sources.Found) bool{
		func(f *sources.Found) bool { return slices.Contains(sources.KeysOf(f), name) },
		func(f *sources.Found) bool { return f.ID == name || f.Name == name },
		func(f *sources.Found) bool { return f.Called(name) },
		func(f *sources.Found) bool { return strings.HasPrefix(f.Key(), name) || strings.HasPrefix(f.ID, name) },
	} {
		hits := slices.DeleteFunc(slices.Clone(works), func(w candidate.HiddenWork) bool { return !test(w.Aside) })
		if len(hits) > 0 {
			return hits[0], len(hits) == 1
		}
	}
	return candidate.HiddenWork{}, false
}

// showAgain shows the named work again. Without names it shows all work that was hidden by its name and not by a pattern.
func (t hiding) showAgain(names []string) error {
	all, _, err := candidate.Hiding{Find: t.Engine.Find}.List(t.Context)
	if err != nil {
		return err
	}
	works := slices.DeleteFunc(all, func(w candidate.HiddenWork) bool { return !candidate.HidesWork(w.Value, w.Aside.Source, w.Aside.ID) })
	if len(names) > 0 {
		works = nil
	}
	for _, name := range names {
		w, ok := t.hiddenAs(name)
		if !ok {
			return &candidate.NotHiddenError{Given: name}
		}
		works = append(works, w)
	}
	if t.Options.DryRun {
		others.ShownAgain(t.Person.Screen(), works, true)
		return nil
	}
	for _, w := range works {
		if err := t.Engine.Adopt.Show(t.Context, w.Aside.Source, w.Aside.ID); err != nil {
			return err
		}
	}
	if err := t.stillHidden(works); err != nil {
		return err
	}
	others.ShownAgain(t.Person.Screen(), works, false)
	return nil
}

// stillHidden returns an error if work stays hidden because of a pattern, or because of a setting outside this clone.
func (t hiding) stillHidden(works []candidate.HiddenWork) error {
	c, err := t.Engine.Repo.Again().Settings.Config(t.Context)
	if err != nil {
		return err
	}
	for _, w := range works {
		for _, v := range c.All(candidate.IgnoreSetting) {
			if candidate.Excludes(v, w.Aside) {
				return &adopt.PatternError{Key: w.Aside.Key(), Value: v}
			}
		}
	}
	return nil
}
