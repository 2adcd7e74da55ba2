package builtin

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/conflicts/clash"
	"github.com/git-resume/git-resume/gitstate/object"
)

// removedDirs returns the directories that the given side removed and to which the other side added a file. If the given
// side really renamed such a directory, the added file may have to move too.
func (m *merger) removedDirs(ctx context.Context, side int) (map[string]bool, error) {
	emptied := map[string]bool{}
	for p, e := range m.paths {
		if e.has(clash.InBase) && !e.has(side) {
			emptied[dirOf(p)] = true
			for dir := dirOf(p); dir != ""; dir = dirOf(dir) {
				emptied[dir] = true
			}
		}
	}
	out := map[string]bool{}
	for p, e := range m.paths {
		dir := dirOf(p)
		if e.has(clash.InBase) || e.has(side) || !emptied[dir] || dir == "" || out[dir] {
			continue
		}
		stays, err := m.isDir(ctx, m.Tips[side], dir)
		if err != nil {
			return nil, err
		}
		if !stays {
			out[dir] = true
		}
	}
	return out, nil
}

// isDir reports whether the path is a directory in the commit.
func (m *merger) isDir(ctx context.Context, commit object.ID, path string) (bool, error) {
	kind, err := m.lookAt(ctx, commit, path)
	return kind == "tree", err
}

// lookAt returns "tree" if a path is a directory in a commit, "blob" if it is anything else, and "" if it does not exist.
func (m *merger) lookAt(ctx context.Context, commit object.ID, path string) (string, error) {
	e, err := m.Repo.Lookup(ctx, commit, path)
	if errors.Is(err, object.ErrMissing) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if e.Mode == object.ModeDir {
		return "tree", nil
	}
	return "blob", nil
}

// followDirectories handles files that one side added to a directory, if the other side renamed that directory. A file moves to the new
// directory if its new path is unique and free.
func (m *merger) followDirectories(ctx context.Context, found *[3][]rename, removed [3]map[string]bool) error {
	var to [3]map[string]string
	for side := clash.InOurs; side <= clash.InTheirs; side++ {
		to[side] = m.directoryTargets(found[side], removed[side])
	}
	for dir := range to[clash.InOurs] {
		if _, both := to[clash.InTheirs][dir]; both {
			delete(to[clash.InOurs], dir)
			delete(to[clash.InTheirs], dir)
		}
	}
	var arrive [3]map[string]int // for each side: how many of its files would move to each path
	for side := clash.InOurs; side <= clash.InTheirs; side++ {
		arrive[side] = map[string]int{}
		for _, f := range m.freshFiles(side, found[side]) {
			if moved, _, ok := follow(f.to, to[clash.Other(side)]); ok {
				arrive[side][moved]++
			}
		}
	}
	for side := clash.InOurs; side <= clash.InTheirs; side++ {
		if len(to[clash.Other(side)]) == 0 {
			continue
		}
		if err := m.followInto(ctx, side, found, to, arrive); err != nil {
			return err
		}
	}
	return nil
}

// directoryTargets finds the new path of each moved directory: the directory to which most of its files were moved. If there is a tie, the
// directory is left out and reported as unclear.
func (m *merger) directoryTargets(renames []rename, dirs map[string]bool) map[string]string {
	counts := map[string]map[string]int{}
	for _, r := range renames {
		countDirs(counts, r, dirs)
	}
	out := map[string]string{}
	for dir, targets := range counts {
		best, most, tied := "", 0, false
		for target, n := range targets {
			if n == most {
				tied = true
			}
			if n > most {
				best, most, tied = target, n, false
			}
		}
		if tied {
			m.unclear(dir, "the files of this directory were moved to several directories, so its new name is unclear")
			continue
		}
		out[dir] = best
	}
	return out
}

// countDirs counts a renamed file as evidence that its directory was renamed. After the rename of a/x/f to b/x/f, it counts a/x as moved to
// b/x. If the last names of the two directories are equal, as here, it continues with their parents: it also counts a as moved to b, if a
// is in dirs. It stops outside of dirs.
func countDirs(counts map[string]map[string]int, r rename, dirs map[string]bool) {
	from, to := dirOf(r.from), dirOf(r.to)
	for first := true; dirs[from] || below(from, dirs); first = false {
		if first || dirs[from] {
			if counts[from] == nil {
				counts[from] = map[string]int{}
			}
			counts[from][to]++
		}
		if from == "" || to == "" || baseOf(from) != baseOf(to) {
			return
		}
		from, to = dirOf(from), dirOf(to)
	}
}

func baseOf(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

func (m *merger) unclear(path, why string) {
	m.verdict.Clean = false
	m.verdict.Doubts = append(m.verdict.Doubts, clash.Doubt{Path: path, Text: why, Astray: true})
}

// followInto handles the files that a side added or renamed. If the other side renamed their directory, the files move to its new path.
func (m *merger) followInto(ctx context.Context, side int, found *[3][]rename, to [3]map[string]string, arrive [3]map[string]int) error {
	reported := map[string]bool{}
	var out []rename
	for _, f := range m.freshFiles(side, found[side]) {
		moved, into, ok := follow(f.to, to[clash.Other(side)])
		_, again := to[side][into]
		// The path "into" is the directory's new name on the other side. The file stays if its own side renamed a directory with this name.
		// It also stays if a file of the other side would move to f.to, the present path of this file.
		if ok && !again && arrive[clash.Other(side)][f.to] == 0 {
			there, err := m.lookAt(ctx, m.Tips[side], moved)
			if err != nil {
				return err
			}
			switch {
			case there == "" && arrive[side][moved] == 1:
				m.moveEntry(side, f, moved)
				f.to = moved
			case !reported[moved]:
				reported[moved] = true
				why := "because of a renamed directory, several files would move to this path"
				if there != "" {
					why = "because of a renamed directory, a file would move to this path, which already exists"
				}
				m.unclear(moved, why)
			}
		}
		out = append(out, f)
	}
	found[side] = out
	return nil
}

// freshFiles returns the files that a side renamed or added, sorted by their new path.
func (m *merger) freshFiles(side int, renames []rename) []rename {
	out := slices.Clone(renames)
	taken := map[string]bool{}
	for _, r := range renames {
		taken[r.to] = true
	}
	for p, e := range m.paths {
		if !e.has(clash.InBase) && e.has(side) && !taken[p] {
			out = append(out, rename{side: side, to: p, added: true})
		}
	}
	slices.SortFunc(out, func(a, b rename) int { return strings.Compare(a.to, b.to) })
	return out
}

// follow applies the rename of the nearest renamed parent directory to a path. It returns the new path of the file and the new path of
// that directory. If no parent directory was renamed, ok is false.
func follow(path string, to map[string]string) (moved, into string, ok bool) {
	for dir := dirOf(path); dir != ""; dir = dirOf(dir) {
		if into, ok := to[dir]; ok {
			return strings.TrimPrefix(into+path[len(dir):], "/"), into, true
		}
	}
	return "", "", false
}

// moveEntry moves a side's new file to another path.
func (m *merger) moveEntry(side int, f rename, moved string) {
	e := m.paths[f.to]
	target := m.paths[moved]
	if target == nil {
		target = &entry{names: [3]string{moved, moved, moved}}
		m.paths[moved] = target
	}
	target.at[side], target.names[side] = e.at[side], f.to
	if side == clash.InOurs && m.wasDir(f.to) {
		target.at[side].Mode |= forgotten
	}
	e.at[side] = object.Version{}
	if !e.has(clash.InBase) && !e.has(clash.Other(side)) {
		e.done = true
	}
	if m.settings.directories == "conflict" {
		target.stuck, target.kind = true, clash.DirectoryRename
	}
}

// forgotten is a bit in the mode of our version of a file. It makes this merge report the same wrong conflict as git, which has a bug.
// Suppose that we add a file to a directory that their side renamed, and that the base has a directory with the same path as our new file.
// Then git loses our version of the file, and reports that the two versions have different types, for example a file and a link. With this
// bit, our version has another type than theirs.
const forgotten = 1 << 20

// wasDir reports whether the base has a directory at the path of a file.
func (m *merger) wasDir(path string) bool {
	if !m.dirs[path] {
		return false
	}
	for p, e := range m.paths {
		if e.has(clash.InBase) && strings.HasPrefix(p, path+"/") {
			return true
		}
	}
	return false
}
