package conflicts

import (
	"context"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/conflicts/lines"
	"github.com/git-resume/git-resume/gitstate"
)

// entry is one path of a merge: its version in the base and on both sides, none where the mode is 0.
type entry struct {
	at    [3]gitstate.Version
	names [3]string
	// same: two of the three were equal before renames were followed: which ones.
	same match
	// stuck: where the path belongs is in question, whatever its content.
	stuck bool
	kind  Kind
	// merged: that side's version stands for a merge of it that is no object of the repository; 0 if none.
	merged int
	// done: a rename took the path away; nothing is left to decide.
	done bool
}

type match int

const (
	noMatch match = iota
	oursUnchanged
	theirsUnchanged
	bothAlike
)

// has reports on which sides the path is.
func (e *entry) has(side int) bool { return e.at[side].Mode != 0 }

// merger is the builtin engine at work on one merge.
type merger struct {
	merge
	paths   map[string]*entry
	verdict verdict
	// dirs are the directories that any of the three trees has, as far as something changed in them.
	dirs map[string]bool
	// names of files moved aside must be new.
	aside map[string]bool
	// content settings
	attributes map[string]string
	settings   settings
}

// askBuiltin models git's merge with one base.
func askBuiltin(ctx context.Context, asked merge) (verdict, error) {
	m := &merger{merge: asked, paths: map[string]*entry{}, dirs: map[string]bool{}, aside: map[string]bool{}}
	m.verdict.clean = true
	if err := m.readSettings(ctx); err != nil {
		return verdict{}, err
	}
	if m.several {
		m.cannotTell("", "the sides have several common ancestors")
	}
	m.collect()
	if err := m.followRenames(ctx); err != nil {
		return verdict{}, err
	}
	if err := m.readAttributes(ctx); err != nil {
		return verdict{}, err
	}
	if err := m.decideAll(ctx); err != nil {
		return verdict{}, err
	}
	slices.Sort(m.verdict.merged)
	return m.verdict, nil
}

// cannotTell records a doubt. Without a path, it concerns the whole merge.
func (m *merger) cannotTell(path, why string) {
	m.verdict.clean = false
	m.verdict.doubts = append(m.verdict.doubts, doubt{path: path, text: why})
}

// collect lays both sides' changes over each other.
func (m *merger) collect() {
	for side, deltas := range m.changed {
		for _, d := range deltas {
			e := m.paths[d.Path]
			if e == nil {
				e = &entry{at: [3]gitstate.Version{d.Old, d.Old, d.Old}, names: [3]string{d.Path, d.Path, d.Path}}
				m.paths[d.Path] = e
			}
			e.at[side] = d.New
			for dir := dirOf(d.Path); dir != "" && !m.dirs[dir]; dir = dirOf(dir) {
				m.dirs[dir] = true
			}
		}
	}
	for _, e := range m.paths {
		switch {
		case e.has(inBase) && e.at[inOurs] == e.at[inBase]:
			e.same = oursUnchanged
		case e.has(inBase) && e.at[inTheirs] == e.at[inBase]:
			e.same = theirsUnchanged
		case e.has(inOurs) && e.at[inOurs] == e.at[inTheirs]:
			e.same = bothAlike
		}
	}
}

// decideAll goes from the last path to the first, so that what is in a directory is known
// before the file that would stand in its place.
func (m *merger) decideAll(ctx context.Context) error {
	paths := make([]string, 0, len(m.paths))
	for p := range m.paths {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	slices.Reverse(paths)
	kept := map[string]bool{} // directories in which something is left
	for _, p := range paths {
		e := m.paths[p]
		if e.done {
			continue
		}
		// A directory that only a directory rename brings here is in nobody's way, as in git.
		left, err := m.decide(ctx, p, e, kept[p] && m.dirs[p])
		if err != nil {
			return err
		}
		for dir := dirOf(p); left && dir != "" && !kept[dir]; dir = dirOf(dir) {
			kept[dir] = true
		}
	}
	slices.SortFunc(m.verdict.clashes, func(a, b clash) int { return strings.Compare(a.path, b.path) })
	return nil
}

func dirOf(path string) string {
	return path[:max(strings.LastIndexByte(path, '/'), 0)]
}

// outcome is what becomes of one path.
type outcome struct {
	clean bool
	gone  bool // nothing is left at the path
	kind  Kind
	why   string
	// regions of the file, where its content was merged.
	regions []lines.Region
	placed  bool
}

// decide settles one path; blocked says that a directory stays at its place.
func (m *merger) decide(ctx context.Context, path string, e *entry, blocked bool) (left bool, err error) {
	if blocked && !e.has(inOurs) && !e.has(inTheirs) {
		return false, nil
	}
	at, label := path, ""
	if blocked {
		label = m.labels[m.fileSide(path, e)]
		at = m.moveAside(path, label)
	}
	if e.has(inOurs) && e.has(inTheirs) && e.same == noMatch && typeOf(e.at[inOurs]) != typeOf(e.at[inTheirs]) {
		m.twoTypes(at, e)
		return true, nil
	}
	o, err := m.settlePath(ctx, at, e, blocked)
	if err != nil || o.clean {
		return !o.gone, err
	}
	kind := o.kind
	if blocked && kind != Unknown {
		kind = FileDirectory
	}
	m.clash(clash{path: at, kind: kind, at: e.at, names: e.names, why: o.why, regions: o.regions, placed: o.placed})
	return !o.gone, nil
}

func (m *merger) clash(c clash) {
	m.verdict.clean = false
	for i := range c.at {
		c.at[i].Mode &^= forgotten
		if c.at[i].Mode == 0 {
			c.names[i] = ""
		}
	}
	m.verdict.clashes = append(m.verdict.clashes, c)
}

// fileSide is the side whose file meets a directory.
func (m *merger) fileSide(path string, e *entry) int {
	dirInOurs := slices.ContainsFunc(m.changed[inOurs], func(d gitstate.Delta) bool {
		return d.New.Mode != 0 && strings.HasPrefix(d.Path, path+"/")
	})
	if dirInOurs || !e.has(inOurs) {
		return inTheirs
	}
	return inOurs
}

// moveAside invents the name that git would give a file that cannot stay.
func (m *merger) moveAside(path, label string) string {
	name := path + "~" + label
	for i := 0; m.paths[name] != nil || m.aside[name]; i++ {
		name = path + "~" + label + "_" + string(rune('0'+i%10))
	}
	m.aside[name] = true
	return name
}

// settlePath decides a path by what its three versions are.
func (m *merger) settlePath(ctx context.Context, path string, e *entry, blocked bool) (outcome, error) {
	base, ours, theirs := e.has(inBase), e.has(inOurs), e.has(inTheirs)
	free := !blocked && !e.stuck
	switch {
	case e.same == bothAlike:
		return outcome{clean: free, kind: e.kind}, nil
	case e.same == oursUnchanged:
		return outcome{clean: free || !theirs, gone: !theirs, kind: e.kind}, nil
	case e.same == theirsUnchanged:
		return outcome{clean: free || !ours, gone: !ours, kind: e.kind}, nil
	case ours && theirs:
		o, err := m.mergeContent(ctx, path, e)
		if o.clean && !free {
			o.clean, o.kind = false, e.kind
		} else if !o.clean && e.kind != "" && o.kind != Unknown {
			o.kind = e.kind
		}
		return o, err
	case base && (ours || theirs):
		kind := e.kind
		if kind == "" {
			kind = ModifyDelete
		}
		return outcome{kind: kind}, nil
	case ours || theirs:
		return outcome{clean: free, kind: e.kind}, nil
	}
	return outcome{clean: !e.stuck, gone: true, kind: e.kind}, nil
}

// twoTypes handles a path that is, say, a file on one side and a link on the other:
// git keeps both, and moves the file aside, or both if neither is one.
func (m *merger) twoTypes(path string, e *entry) {
	at := e.at
	for i := range at {
		at[i].Mode &^= forgotten
	}
	kind := typeKind([3]gitstate.Version{{}, at[inOurs], at[inTheirs]})
	names := [3]string{"", path, path}
	switch {
	case typeOf(e.at[inOurs]) == fileType:
		names[inOurs] = m.moveAside(path, m.labels[inOurs])
	case typeOf(e.at[inTheirs]) == fileType:
		names[inTheirs] = m.moveAside(path, m.labels[inTheirs])
	default:
		names[inOurs] = m.moveAside(path, m.labels[inOurs])
		names[inTheirs] = m.moveAside(path, m.labels[inTheirs])
	}
	for _, side := range []int{inOurs, inTheirs} {
		c := clash{path: names[side], kind: kind, names: e.names}
		c.at[side] = e.at[side]
		if typeOf(e.at[inBase]) == typeOf(e.at[side]) {
			c.at[inBase] = e.at[inBase]
		}
		m.clash(c)
	}
}
