package adopt

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/sources"
)

// Hide stops showing a piece of another system's work in this clone. It adds the work's key to the setting resume.ignore in the clone's own
// settings file, and changes nothing else. It adds one more value if there is one: work that is shown although a value hides it was
// started again after a discard, and the value of the discard hides only what was discarded.
func (e *Adopter) Hide(ctx context.Context, f *sources.Found) error {
	return e.addIgnored(ctx, f.Source, f.ID)
}

func (e *Adopter) ignore(ctx context.Context, source, id string) error {
	values, err := e.ignored(ctx)
	if err != nil || slices.ContainsFunc(values, func(v string) bool { return candidate.HidesWork(v, source, id) }) {
		return err
	}
	return e.addIgnored(ctx, source, id)
}

func (e *Adopter) addIgnored(ctx context.Context, source, id string) error {
	return e.Repo.Settings.Configure(ctx, "--local", "--add", candidate.IgnoreSetting, candidate.HidingValue(source, id))
}

// ignored returns the values of the setting resume.ignore as they are now.
func (e *Adopter) ignored(ctx context.Context) ([]string, error) {
	c, err := e.Repo.Again().Settings.Config(ctx)
	if err != nil {
		return nil, err
	}
	return c.All(candidate.IgnoreSetting), nil
}

// Show removes the entries of the setting resume.ignore that hide exactly this work. It keeps all other entries, for example patterns that
// a person wrote, and entries in settings files outside this clone.
func (e *Adopter) Show(ctx context.Context, source, id string) error {
	text, err := e.Repo.Line(ctx, "config", "--local", "--get-all", candidate.IgnoreSetting)
	if err != nil || text == "" {
		return nil // git exits with an error if there is no such setting
	}
	for _, v := range slices.Compact(slices.Sorted(strings.SplitSeq(text, "\n"))) {
		if !candidate.HidesWork(v, source, id) {
			continue
		}
		if err := e.Repo.Settings.Configure(ctx, "--local", "--unset-all", candidate.IgnoreSetting, "^"+regexp.QuoteMeta(v)+"$"); err != nil {
			return err
		}
	}
	return nil
}

// Hidden reports whether the setting resume.ignore hides the other system's work that this run adopted. Only values that hide exactly this
// work count. Patterns that hide more do not count.
func (e *Adopter) Hidden(ctx context.Context, r *checkpoint.Run) (bool, error) {
	if r.Source == "" {
		return false, nil
	}
	values, err := e.ignored(ctx)
	return slices.ContainsFunc(values, func(v string) bool { return candidate.HidesWork(v, r.Source, r.SourceID) }), err
}

// flipHide shows hidden work if the argument "back" is true. Otherwise it hides the work.
func (e *Adopter) flipHide(ctx context.Context, id checkpoint.RunID, back bool) error {
	j, err := e.Store.Load(ctx, id)
	if err != nil {
		return err
	}
	if back {
		return e.Show(ctx, j.Run.Source, j.Run.SourceID)
	}
	return e.ignore(ctx, j.Run.Source, j.Run.SourceID)
}

// HideOwnError says that only other systems' work can be hidden.
type HideOwnError struct {
	Key candidate.Key
	// Finished is true if the key means a run that is finished. Unmerged is true if its branch can still be merged.
	Finished, Unmerged bool
}

func (e *HideOwnError) Error() string {
	if e.Key.Kind() == candidate.GitOperation {
		return fmt.Sprintf("'%s' is an operation of git, which cannot be hidden; only other systems' work can", e.Key)
	}
	return fmt.Sprintf("'%s' is a run of git-resume, which cannot be hidden; only other systems' work can", e.Key)
}

// PatternError says that work is still hidden by a value of the setting resume.ignore. We do not remove this value, because it also hides
// other work or is set outside this clone.
type PatternError struct{ Key, Value string }

func (e *PatternError) Error() string {
	return fmt.Sprintf("'%s' is still hidden by the value '%s' of the setting resume.ignore", e.Key, e.Value)
}
