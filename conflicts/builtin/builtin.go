package builtin

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/conflicts/clash"
	"github.com/git-resume/git-resume/conflicts/lines"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
)

// entry is one path of a merge with its versions in the base and on both sides. A mode of 0 means that this version does not exist.
type entry struct {
	at    [3]object.Version
	names [3]string
	// The field "same" says which of the three versions were equal before any rename was applied.
	same match
	// stuck is true if it is unclear which path the file must get.
	stuck bool
	kind  clash.Kind
	// The field "merged" is a side, if that side renamed a file to this path, the other side added another file at this path, and both
	// sides changed the renamed file, so that its content must still be merged. Otherwise it is 0.
	merged int
	// done is true if a rename moved the file to another path, so that this path needs no result.
	done bool
}

type match int

const (
	noMatch match = iota
	oursUnchanged
	theirsUnchanged
	bothAlike
)

func (e *entry) has(side int) bool { return e.at[side].Mode != 0 }

// merger is the state of one merge.
type merger struct {
	clash.Merge
	paths   map[string]*entry
	verdict clash.Verdict
	// dirs contains the directories whose content is not the same in all three trees.
	dirs map[string]bool
	// aside contains the names that git would give to files that cannot keep their path. Each name can be used only once.
	aside map[string]bool
	// attributes and settings affect how the contents of files are merged.
	attributes map[string]string
	settings   settings
}

// Ask models git's merge of two sides with one base.
func Ask(ctx context.Context, asked clash.Merge) (clash.Verdict, error) {
	m := &merger{Merge: asked, paths: map[string]*entry{}, dirs: map[string]bool{}, aside: map[string]bool{}}
	m.verdict.Clean = true
	if err := m.readSettings(ctx); err != nil {
		return clash.Verdict{}, err
	}
	if m.Several {
		m.cannotTell("", "the two commits have several merge bases")
	}
	m.collect()
	if err := m.followRenames(ctx); err != nil {
		return clash.Verdict{}, err
	}
	if err := m.readAttributes(ctx); err != nil {
		return clash.Verdict{}, err
	}
	if err := m.decideAll(ctx); err != nil {
		return clash.Verdict{}, err
	}
	slices.Sort(m.verdict.Merged)
	return m.verdict, nil
}

// cannotTell records that the engine cannot decide about a path. An empty path means the whole merge.
func (m *merger) cannotTell(path, why string) {
	m.verdict.Clean = false
	m.verdict.Doubts = append(m.verdict.Doubts, clash.Doubt{Path: path, Text: why})
}

// collect groups the changes of both sides by path.
func (m *merger) collect() {
	for side, deltas := range m.Changed {
		for _, d := range deltas {
			e := m.paths[d.Path]
			if e == nil {
				e = &entry{at: [3]object.Version{d.Old, d.Old, d.Old}, names: [3]string{d.Path, d.Path, d.Path}}
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
		case e.has(clash.InBase) && e.at[clash.InOurs] == e.at[clash.InBase]:
			e.same = oursUnchanged
		case e.has(clash.InBase) && e.at[clash.InTheirs] == e.at[clash.InBase]:
			e.same = theirsUnchanged
		case e.has(clash.InOurs) && e.at[clash.InOurs] == e.at[clash.InTheirs]:
			e.same = bothAlike
		}
	}
}

// decideAll decides about all paths in reverse alphabetical order. So it decides about the files in a directory before it decides about a
// file with the directory's path.
func (m *merger) decideAll(ctx context.Context) error {
	paths := make([]string, 0, len(m.paths))
	for p := range m.paths {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	slices.Reverse(paths)
	kept := map[string]bool{} // directories that contain a file after the merge
	for _, p := range paths {
		e := m.paths[p]
		if e.done {
			continue
		}
		// As in git, a directory does not block a file if the directory exists only because of a directory rename.
		left, err := m.decide(ctx, p, e, kept[p] && m.dirs[p])
		if err != nil {
			return err
		}
		for dir := dirOf(p); left && dir != "" && !kept[dir]; dir = dirOf(dir) {
			kept[dir] = true
		}
	}
	slices.SortFunc(m.verdict.Clashes, func(a, b clash.Clash) int { return strings.Compare(a.Path, b.Path) })
	return nil
}

func dirOf(path string) string {
	return path[:max(strings.LastIndexByte(path, '/'), 0)]
}

// outcome is the result for one path.
type outcome struct {
	clean bool
	gone  bool // no file remains at the path
	kind  clash.Kind
	why   string
	// lines has the conflicting lines of our side and of the other side, if the content of the file was merged. It has none for the base.
	lines [3][]lines.Span
}

// decide determines the result for one path. The argument "blocked" is true if a directory with the same path remains. The result "left" is
// true if the merge leaves a file for this path.
func (m *merger) decide(ctx context.Context, path string, e *entry, blocked bool) (left bool, err error) {
	if blocked && !e.has(clash.InOurs) && !e.has(clash.InTheirs) {
		return false, nil
	}
	at, label := path, ""
	if blocked {
		label = m.Labels[m.fileSide(path, e)]
		at = m.moveAside(path, label)
	}
	if e.has(clash.InOurs) && e.has(clash.InTheirs) && e.same == noMatch && clash.TypeOf(e.at[clash.InOurs]) != clash.TypeOf(e.at[clash.InTheirs]) {
		m.twoTypes(at, e)
		return true, nil
	}
	o, err := m.settlePath(ctx, at, e, blocked)
	if err != nil || o.clean {
		return !o.gone, err
	}
	kind := o.kind
	if blocked && kind != clash.Unknown {
		kind = clash.FileDirectory
	}
	m.clash(clash.Clash{Path: at, Kind: kind, At: e.at, Names: e.names, Why: o.why, Lines: o.lines})
	return !o.gone, nil
}

func (m *merger) clash(c clash.Clash) {
	m.verdict.Clean = false
	for i := range c.At {
		c.At[i].Mode &^= forgotten
		if c.At[i].Mode == 0 {
			c.Names[i] = ""
		}
	}
	m.verdict.Clashes = append(m.verdict.Clashes, c)
}

// fileSide returns the side that has a file where the other side has a directory.
func (m *merger) fileSide(path string, e *entry) int {
	dirInOurs := slices.ContainsFunc(m.Changed[clash.InOurs], func(d past.Delta) bool {
		return d.New.Mode != 0 && strings.HasPrefix(d.Path, path+"/")
	})
	if dirInOurs || !e.has(clash.InOurs) {
		return clash.InTheirs
	}
	return clash.InOurs
}

// moveAside returns the name that git would give to a file that cannot keep its path.
func (m *merger) moveAside(path, label string) string {
	name := path + "~" + label
	for i := 0; m.paths[name] != nil || m.aside[name]; i++ {
		name = path + "~" + label + "_" + strconv.Itoa(i)
	}
	m.aside[name] = true
	return name
}

// settlePath decides about a path from its three versions.
func (m *merger) settlePath(ctx context.Context, path string, e *entry, blocked bool) (outcome, error) {
	base, ours, theirs := e.has(clash.InBase), e.has(clash.InOurs), e.has(clash.InTheirs)
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
		} else if !o.clean && e.kind != "" && o.kind != clash.Unknown {
			o.kind = e.kind
		}
		return o, err
	case base && (ours || theirs):
		kind := e.kind
		if kind == "" {
			kind = clash.ModifyDelete
		}
		return outcome{kind: kind}, nil
	case ours || theirs:
		return outcome{clean: free, kind: e.kind}, nil
	}
	return outcome{clean: !e.stuck, gone: true, kind: e.kind}, nil
}

// twoTypes handles a path that is for example a file on one side and a link on the other. git keeps both, and gives a new
// name to the file. If neither is a file, both get new names.
func (m *merger) twoTypes(path string, e *entry) {
	at := e.at
	for i := range at {
		at[i].Mode &^= forgotten
	}
	kind := clash.TypeKind([3]object.Version{{}, at[clash.InOurs], at[clash.InTheirs]})
	names := [3]string{"", path, path}
	switch {
	case clash.TypeOf(e.at[clash.InOurs]) == clash.FileType:
		names[clash.InOurs] = m.moveAside(path, m.Labels[clash.InOurs])
	case clash.TypeOf(e.at[clash.InTheirs]) == clash.FileType:
		names[clash.InTheirs] = m.moveAside(path, m.Labels[clash.InTheirs])
	default:
		names[clash.InOurs] = m.moveAside(path, m.Labels[clash.InOurs])
		names[clash.InTheirs] = m.moveAside(path, m.Labels[clash.InTheirs])
	}
	for _, side := range []int{clash.InOurs, clash.InTheirs} {
		c := clash.Clash{Path: names[side], Kind: kind, Names: e.names}
		c.At[side] = e.at[side]
		if clash.TypeOf(e.at[clash.InBase]) == clash.TypeOf(e.at[side]) {
			c.At[clash.InBase] = e.at[clash.InBase]
		}
		m.clash(c)
	}
}
