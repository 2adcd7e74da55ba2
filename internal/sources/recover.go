package sources

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// DoubtOf returns a warning that says why a state file could not be used.
func DoubtOf(err error, path string) Doubt {
	d := Doubt{Code: DoubtDamaged, Severity: conflicts.Warning, Path: path, Text: path + " cannot be read: " + err.Error()}
	var refused *RefusedError
	var damage *textdoc.DamageError
	switch {
	case errors.As(err, &refused):
		d.Code, d.Text = DoubtRefused, err.Error()
	case errors.As(err, &damage):
		d.Text = path + " " + damage.Why
	case errors.Is(err, fs.ErrNotExist):
		d.Code, d.Text = DoubtMissing, path+" is not there"
	}
	return d
}

// oldVersions is the largest number of commits whose version of a damaged file is tried.
const oldVersions = 20

// Recover reads a state file with the function parse. If that fails, Recover tries temporary copies that a killed writer left next to the
// file. If the file exists but is damaged, Recover then tries its committed versions. The warnings say what was wrong and which copy was
// used.
func (v *View) Recover(ctx context.Context, t Tree, file string, parse func([]byte) error) (ok bool, doubts []Doubt) {
	data, err := t.Read(file)
	if err == nil {
		err = parse(data)
	}
	if err == nil {
		return true, nil
	}
	gone := errors.Is(err, fs.ErrNotExist)
	if !gone {
		doubts = append(doubts, DoubtOf(err, file))
	}
	for _, copy := range t.Leftovers(file) {
		if data, err := t.Read(copy); err == nil && len(strings.TrimSpace(textdoc.Text(data))) > 0 && parse(data) == nil {
			return true, append(doubts, elsewhere(file, "the temporary file "+copy+", which an interrupted write left behind, was read instead"))
		}
	}
	if gone {
		return false, nil
	}
	versions, err := v.History(ctx, t, file, oldVersions)
	if err != nil {
		return false, doubts // git cannot show earlier versions, for example because the branch has no commit
	}
	for _, old := range versions {
		if parse(old.Data) == nil {
			return true, append(doubts, elsewhere(file, fmt.Sprintf("its version in commit %s was read instead", old.Commit.Short())))
		}
	}
	return false, doubts
}

func elsewhere(file, text string) Doubt {
	return Doubt{Code: DoubtFallback, Severity: conflicts.Warning, Path: file, Text: file + ": " + text}
}

// Leftovers returns the temporary files that interrupted atomic writes left next to a file, the newest first.
func (f Files) Leftovers(file string) []string {
	entries, err := f.List(path.Dir(file))
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), path.Base(file)+".tmp") {
			out = append(out, path.Join(path.Dir(file), e.Name()))
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return f.Changed(b).Compare(f.Changed(a)) })
	return out
}
