package conflicts

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/git-resume/git-resume/conflicts/clash"
	"github.com/git-resume/git-resume/conflicts/lines"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/store"
)

// finder finds the commits that made the conflicting lines.
//
// It follows the first parents: it checks whether the lines existed 1, 2, 4, 8… commits ago, and then bisects. Checking every commit would
// take longer than the merge itself. If a merge brought the lines in, finder continues on the merged branch. If lines were removed and
// later restored, it may report the commit that first wrote them.
type finder struct {
	repo *past.Scratch
	left int // how many more file versions may be read before the search gives up
}

// search looks for the commits of one side of one conflict.
type search struct {
	*finder
	// names holds all names of the file, because an older commit may have the file under a different name.
	names []string
	in    lines.Numbers
	texts map[object.ID][]lines.Line
	found []object.Commit
}

// find returns the commits that made a side's part of a conflict, newest first. If it also returns an error, the list may be incomplete.
func (f *finder) find(ctx context.Context, tip object.ID, names []string, base, side Side) ([]object.Commit, error) {
	s := &search{finder: f, names: names, in: lines.Numbers{}, texts: map[object.ID][]lines.Line{}}
	if i := slices.Index(names, side.Path); i > 0 {
		s.names = slices.Concat([]string{side.Path}, names[:i], names[i+1:])
	}
	var err error
	switch {
	case side.Version.Mode == 0:
		err = s.removal(ctx, string(tip))
	case len(side.Ranges) == 0:
		if err = s.versions(ctx, string(tip), base.Version); err == nil && len(s.found) == 0 && base.Path != side.Path {
			err = s.renaming(ctx, string(tip), side.Path)
		}
	default:
		err = s.linesOf(ctx, string(tip), base, side)
	}
	slices.SortStableFunc(s.found, func(a, b object.Commit) int { return b.Committer.When.Compare(a.Committer.When) })
	return s.found, err
}

// linesOf looks for the commits that made a side's conflicting lines. It leaves out lines that were already in the base,
// and lines that are not committed. If all the lines were already in the base, it uses the nearest changed lines instead.
func (s *search) linesOf(ctx context.Context, tip string, base, side Side) error {
	var want []lines.Span
	for _, r := range side.Ranges {
		want = append(want, lines.Span{At: r.From - 1, N: r.To - r.From + 1})
	}
	text, err := s.text(ctx, side.Version.ID)
	if err != nil {
		return err
	}
	if clash.TypeOf(base.Version) == clash.FileType {
		old, err := s.text(ctx, base.Version.ID)
		if err != nil {
			return err
		}
		if want, err = lines.OwnLines(old, text, want); err != nil {
			return err
		}
	}
	committed, err := s.textAt(ctx, tip)
	if err != nil {
		return err
	}
	_, want, err = lines.Part(committed, text, want)
	if err != nil {
		return err
	}
	return s.makers(ctx, tip, committed, want)
}

// makers looks for the commits that made the wanted lines. The third argument is the file's content at the tip.
func (s *search) makers(ctx context.Context, tip string, text []lines.Line, want []lines.Span) error {
	for len(want) > 0 {
		var made, kept []lines.Span
		var before []lines.Line
		compare := func(k int) (bool, error) {
			old, err := s.textAt(ctx, ancestor(tip, k))
			if err != nil {
				return false, err
			}
			m, still, err := lines.Part(old, text, want)
			if len(m) > 0 {
				// lastTrue calls this function for several ancestors of the tip. The last call that finds added lines is for the ancestor
				// nearest to the tip, so its result stays.
				made, kept, before = m, still, old
			}
			return len(m) == 0, err
		}
		n, err := lastTrue(compare)
		if err != nil {
			return err
		}
		c, err := s.repo.Commit(ctx, ancestor(tip, n))
		if err != nil {
			return err
		}
		if err := s.blame(ctx, c, text, made); err != nil || len(kept) == 0 {
			return err
		}
		tip, text, want = string(c.Parents[0]), before, kept
	}
	return nil
}

// blame finds the commits that made the given lines, which are in commit c but not in its first parent. If another parent has some of
// these lines, blame searches the history of that parent for them. For the remaining lines, it records c.
func (s *search) blame(ctx context.Context, c object.Commit, text []lines.Line, made []lines.Span) error {
	if err := s.checkParents(ctx, c); err != nil {
		return err
	}
	for _, p := range c.Parents[min(1, len(c.Parents)):] {
		old, err := s.textAt(ctx, string(p))
		if err != nil {
			return err
		}
		m, kept, err := lines.Part(old, text, made)
		if err != nil {
			return err
		}
		if err := s.makers(ctx, string(p), old, kept); err != nil {
			return err
		}
		made = m
	}
	if len(made) > 0 {
		s.name(c)
	}
	return nil
}

// checkParents checks that a commit's parents exist. They can be missing in a shallow clone. The oldest commit would then seem to have
// made all lines.
func (s *search) checkParents(ctx context.Context, c object.Commit) error {
	for _, p := range c.Parents {
		if _, err := s.repo.Root(ctx, string(p)); errors.Is(err, object.ErrMissing) {
			return fmt.Errorf("%w: the parents of %s are missing", errEnough, c.ID)
		}
	}
	return nil
}

func (s *search) name(c object.Commit) {
	if !slices.ContainsFunc(s.found, func(f object.Commit) bool { return f.ID == c.ID }) {
		s.found = append(s.found, c)
	}
}

// removal looks for the commit that removed the file.
func (s *search) removal(ctx context.Context, tip string) error {
	if v, _, err := s.version(ctx, tip); err != nil || v.Mode != 0 {
		return err // if there is no error, the file still exists at the tip, so nothing removed it
	}
	c, err := s.origin(ctx, tip, object.Version{})
	if err == nil && len(c.Parents) > 0 {
		s.name(c)
	}
	return err
}

// The method "versions" looks for the commits that changed the file since the base.
func (s *search) versions(ctx context.Context, tip string, base object.Version) error {
	for {
		v, _, err := s.version(ctx, tip)
		if err != nil || v.Mode == 0 || v == base {
			return err
		}
		c, err := s.origin(ctx, tip, v)
		if err != nil {
			return err
		}
		s.name(c)
		if len(c.Parents) == 0 {
			return nil
		}
		tip = string(c.Parents[0])
	}
}

// renaming looks for the commit that gave the file its current name. It is called if only the name of the file changed.
func (s *search) renaming(ctx context.Context, tip, path string) error {
	s.names = []string{path}
	v, _, err := s.version(ctx, tip)
	if err != nil || v.Mode == 0 {
		return err // the rename is not committed yet
	}
	c, err := s.origin(ctx, tip, v)
	if err == nil {
		s.name(c)
	}
	return err
}

// origin returns the commit that changed the file to version v. At the tip, the file must still have this version.
func (s *search) origin(ctx context.Context, tip string, v object.Version) (object.Commit, error) {
	same := func(commit string) (bool, error) {
		was, there, err := s.version(ctx, commit)
		return there && was == v, err
	}
	for {
		n, err := lastTrue(func(k int) (bool, error) { return same(ancestor(tip, k)) })
		if err != nil {
			return object.Commit{}, err
		}
		c, err := s.repo.Commit(ctx, ancestor(tip, n))
		if err == nil {
			err = s.checkParents(ctx, c)
		}
		if err != nil {
			return c, err
		}
		tip = ""
		for _, p := range c.Parents[min(1, len(c.Parents)):] {
			if ok, err := same(string(p)); err != nil {
				return c, err
			} else if ok {
				tip = string(p)
			}
		}
		if tip == "" {
			return c, nil
		}
	}
}

// version returns the file's version at a commit, looking for the file under all its names. The second result is false if the commit
// does not exist.
func (s *search) version(ctx context.Context, commit string) (v object.Version, there bool, err error) {
	if err := s.spend(ctx); err != nil {
		return v, false, err
	}
	root, err := s.repo.Root(ctx, commit)
	if errors.Is(err, object.ErrMissing) {
		return v, false, nil
	}
	for _, name := range s.names {
		if err != nil {
			break
		}
		var e object.Entry
		if e, err = s.repo.Lookup(ctx, root, name); err == nil {
			return object.Version{Mode: e.Mode, ID: e.ID}, true, nil
		}
		if errors.Is(err, object.ErrMissing) {
			err = nil
		}
	}
	return v, true, err
}

// textAt returns the file's text at a commit, under any of its names. The text is empty if the commit does not have the file.
func (s *search) textAt(ctx context.Context, commit string) ([]lines.Line, error) {
	if err := s.spend(ctx); err != nil {
		return nil, err
	}
	for _, name := range s.names {
		o, err := s.repo.FileAt(ctx, commit, name, store.Wanted{Limit: maxTracedText, Known: s.hasText})
		if errors.Is(err, object.ErrMissing) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if !s.hasText(o.ID) {
			s.texts[o.ID] = s.in.Cut(o.Data)
		}
		return s.texts[o.ID], nil
	}
	return nil, nil
}

func (s *search) hasText(id object.ID) bool {
	_, known := s.texts[id]
	return known
}

func (s *search) spend(ctx context.Context) error {
	if s.left--; s.left < 0 {
		return errEnough
	}
	return ctx.Err()
}

func (s *search) text(ctx context.Context, id object.ID) ([]lines.Line, error) {
	if !s.hasText(id) {
		data, err := s.repo.BlobUpTo(ctx, id, maxTracedText)
		if err != nil {
			return nil, err
		}
		s.texts[id] = s.in.Cut(data)
	}
	return s.texts[id], nil
}

// ancestor returns git's name for the k-th ancestor of a commit along first parents.
func ancestor(tip string, k int) string {
	if k == 0 {
		return tip
	}
	return fmt.Sprintf("%s~%d", tip, k)
}

// lastTrue returns the largest number for which the given function returns true. The function must return true for 0. After the first
// false result, it must return false for all larger numbers.
func lastTrue(holds func(int) (bool, error)) (int, error) {
	yes, no := 0, 1
	for {
		ok, err := holds(no)
		if err != nil {
			return 0, err
		}
		if !ok {
			break
		}
		yes, no = no, 2*no
	}
	for no-yes > 1 {
		mid := (yes + no) / 2
		ok, err := holds(mid)
		if err != nil {
			return 0, err
		}
		if ok {
			yes = mid
		} else {
			no = mid
		}
	}
	return yes, nil
}
