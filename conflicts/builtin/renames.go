package builtin

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/conflicts/clash"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
)

// settings holds the git settings that change how git merges.
type settings struct {
	renames     bool
	directories string // the setting merge.directoryRenames: "conflict", "true" or "false"
	limit       int
	defaultWay  string // the value of merge.default
	drivers     func(name string) bool
}

func (m *merger) readSettings(ctx context.Context) error {
	c, err := m.Repo.Config(ctx)
	if err != nil {
		return err
	}
	s := settings{renames: c.Bool("merge.renames", c.Bool("diff.renames", true)), directories: "conflict", limit: 7000}
	for _, key := range []string{"diff.renamelimit", "merge.renamelimit"} {
		if v, ok := c.Get(key); ok {
			if n, err := strconv.Atoi(v); err == nil && n > 0 {
				s.limit = n
			}
		}
	}
	if v, ok := c.Get("merge.directoryrenames"); ok && v != "conflict" {
		s.directories = strconv.FormatBool(c.Bool("merge.directoryrenames", true))
	}
	s.defaultWay, _ = c.Get("merge.default")
	s.drivers = func(name string) bool {
		_, ok := c.Get("merge." + name + ".driver")
		return ok
	}
	m.settings = s
	return nil
}

// rename is a file that one side renamed. It can also be a file that one side added, because git may put such a file into a renamed
// directory.
type rename struct {
	side     int
	from, to string
	// added is true if the side did not rename the file, but added it.
	added bool
}

// followRenames finds the renames that affect the merge, and moves the versions of the renamed files to their new paths.
func (m *merger) followRenames(ctx context.Context) error {
	if !m.settings.renames {
		return nil
	}
	var found [3][]rename
	var moved [3]map[string]bool // for each side: the removed directories to which the other side added files
	for side := clash.InOurs; side <= clash.InTheirs; side++ {
		var err error
		if moved[side], err = m.removedDirs(ctx, side); err != nil {
			return err
		}
	}
	for side := clash.InOurs; side <= clash.InTheirs; side++ {
		var err error
		if found[side], err = m.findRenames(ctx, side, moved); err != nil {
			return err
		}
	}
	if len(found[clash.InOurs])+len(found[clash.InTheirs]) == 0 {
		return nil
	}
	if m.settings.directories != "false" {
		if err := m.followDirectories(ctx, &found, moved); err != nil {
			return err
		}
	}
	all := append(found[clash.InOurs], found[clash.InTheirs]...)
	all = slices.DeleteFunc(all, func(r rename) bool { return r.added })
	slices.SortStableFunc(all, func(a, b rename) int { return strings.Compare(a.from, b.from) })
	for i := 0; i < len(all); i++ {
		if i+1 < len(all) && all[i].from == all[i+1].from {
			m.renamedTwice(all[i], all[i+1])
			i++
			continue
		}
		m.renamedOnce(all[i])
	}
	return nil
}

// findRenames finds the new paths of files that a side moved. A rename matters if the other side changed or deleted the file, or if the
// rename shows where a whole directory was moved. If no rename can matter, findRenames finds none.
func (m *merger) findRenames(ctx context.Context, side int, moved [3]map[string]bool) ([]rename, error) {
	dirs := moved[side]
	var gone, fresh []string
	needed := false
	for p, e := range m.paths {
		switch {
		case !e.has(clash.InBase) && e.has(side):
			fresh = append(fresh, p)
		case e.has(clash.InBase) && !e.has(side):
			gone = append(gone, p)
			needed = needed || m.relevant(p, dirs)
		}
	}
	if !needed || len(fresh) == 0 {
		return nil, nil
	}
	order := m.walkOf(side, moved)
	order.sort(gone)
	order.sort(fresh)
	added := map[object.ID]bool{}
	for _, p := range fresh {
		added[m.paths[p].at[side].ID] = true
	}
	// Exact renames are always used, even if they are not relevant. Otherwise another rename could get the same new path.
	gone = slices.DeleteFunc(gone, func(p string) bool {
		return !m.relevant(p, dirs) && !added[m.paths[p].at[clash.InBase].ID]
	})
	return m.askRenames(ctx, side, gone, fresh)
}

// relevant reports whether the result of the merge can depend on the path to which this missing file was renamed. findRenames describes
// when a rename matters.
func (m *merger) relevant(path string, dirs map[string]bool) bool {
	return m.paths[path].same == noMatch || below(path, dirs)
}

// askRenames lets git find which deleted file became which new file. For this it makes two git trees, one with only the deleted files and
// one with only the new files. Of several equally similar files, git takes the one that comes first in its tree. So that they are there in
// the order of git's merge, each file is put into a directory of its own, whose name is a number. If git fails, the merge counts as
// undecided.
func (m *merger) askRenames(ctx context.Context, side int, sources, targets []string) ([]rename, error) {
	old, oldFiles := m.numbered("s", sources, clash.InBase)
	now, newFiles := m.numbered("t", targets, side)
	oldTree, newTree, err := m.Repo.MakeTrees(ctx, oldFiles, newFiles)
	if err != nil {
		return nil, err
	}
	deltas, err := past.Diff(ctx, m.Repo.Repo, oldTree, newTree, past.DiffOptions{Renames: true, Limit: m.settings.limit})
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		m.cannotTell("", "renames could not be followed: "+err.Error())
		return nil, nil
	}
	var out []rename
	for _, d := range deltas {
		if d.Letter == 'R' {
			out = append(out, rename{side: side, from: old[d.OldPath], to: now[d.Path]})
		}
	}
	return out, nil
}

// numbered gives files new paths that sort in the given order. It replaces each directory by a number, and keeps the name of the file. The
// result "real" maps each new path to the original path.
func (m *merger) numbered(prefix string, paths []string, in int) (real map[string]string, files map[string]object.Version) {
	real, files = map[string]string{}, map[string]object.Version{}
	number, last := 0, ""
	for i, p := range paths {
		if i == 0 || dirOf(p) != last {
			number, last = number+1, dirOf(p)
		}
		name := fmt.Sprintf("%s%08d/%s", prefix, number, baseOf(p))
		real[name], files[name] = p, m.paths[p].at[in]
	}
	return real, files
}

// The function "below" reports whether a path is in one of the directories, at any depth.
func below(path string, dirs map[string]bool) bool {
	for dir := dirOf(path); dir != "" && len(dirs) > 0; dir = dirOf(dir) {
		if dirs[dir] {
			return true
		}
	}
	return false
}

// renamedTwice handles a file that both sides moved.
func (m *merger) renamedTwice(a, b rename) {
	if a.side > b.side {
		a, b = b, a
	}
	old, first, second := m.paths[a.from], m.paths[a.to], m.paths[b.to]
	if a.to == b.to {
		first.at[clash.InBase], first.names[clash.InBase] = old.at[clash.InBase], a.from
		old.done = true
		return
	}
	for _, e := range []*entry{old, first, second} {
		e.stuck, e.kind = true, clash.RenameRename
	}
}

// renamedOnce handles a file that only one side moved. If nothing conflicts, the other side's version of the file moves to the new path
// too.
func (m *merger) renamedOnce(r rename) {
	old, target := m.paths[r.from], m.paths[r.to]
	if old.done {
		return
	}
	its := clash.Other(r.side)
	deleted := !old.has(its)
	collides := target.has(its)
	retyped := !deleted && (clash.TypeOf(old.at[its]) == clash.FileType) != (clash.TypeOf(target.at[r.side]) == clash.FileType)
	if retyped {
		collides = false
	}
	switch {
	case collides && !deleted:
		// Another file was added at the new path.
		target.kind = clash.RenameAdd
		moved := &target.at[r.side]
		var trivial bool
		if *moved, trivial = mergeTrivially(old.at[clash.InBase], *moved, old.at[its]); !trivial {
			target.merged = r.side
		}
	case collides:
		target.stuck, target.kind = true, clash.RenameDelete
	default:
		target.at[clash.InBase], target.names[clash.InBase] = old.at[clash.InBase], r.from
		switch {
		case retyped:
			old.at[clash.InBase] = object.Version{}
			return
		case deleted:
			target.stuck, target.kind = true, clash.RenameDelete
		default:
			target.at[its], target.names[its] = old.at[its], r.from
		}
	}
	old.done = true
}

// mergeTrivially merges a moved file with the other side's version. It returns false if that is not possible without reading the contents.
func mergeTrivially(base, moved, its object.Version) (object.Version, bool) {
	out := moved
	if moved.Mode == base.Mode {
		out.Mode = its.Mode
	}
	switch {
	case its.ID == base.ID || its.ID == moved.ID:
		return out, true
	case moved.ID == base.ID:
		out.ID = its.ID
		return out, true
	}
	return out, false
}
