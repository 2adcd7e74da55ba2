package snapshot

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/worktree/series"
)

// Scope says how much of a worktree a snapshot contains.
type Scope int

const (
	// Changed means that only changed and untracked files are saved. HEAD has the other files.
	Changed Scope = iota
	// Whole means that unchanged files are saved too, as they are on disk.
	Whole
)

var scopeWords = map[Scope]string{Changed: "changed", Whole: "whole"}

// LeftKind is the reason why something was not saved.
type LeftKind string

const (
	Ignored    LeftKind = "ignored"
	Nested     LeftKind = "nested"     // a repository inside the worktree; only its commit is recorded
	Large      LeftKind = "large"      // larger than the size limit
	Unreadable LeftKind = "unreadable" // no permission, or not a regular file or link
)

// Omission is a file or folder in the worktree that is not in a snapshot. Size, Files and Data are only set if they were measured. The
// field Data means that the file or folder looks like data that cannot be created again.
type Omission struct {
	Kind  LeftKind
	Path  string
	Size  int64
	Files int
	Data  bool
}

// MaxLeft is how many omitted paths are stored with a snapshot in git. The result of Take lists all of them.
const MaxLeft = 100

// modePair holds the most frequent modes of ordinary and of executable files in a snapshot.
type modePair struct{ plain, exec uint32 }

var usualModes = modePair{0o644, 0o755}

// metadata describes a snapshot. It is stored in the file "facts" of the snapshot's git tree.
type metadata struct {
	series.Label
	cause     string
	scope     Scope
	head      object.ID
	indexTree object.ID
	indexFile object.ID // the bytes of the index file
	modes     modePair
	odd       map[string]uint32 // files with a mode that is not in the field "modes"
	dirs      map[string]uint32 // directories that are empty or have an unusual mode
	raw       []string          // files whose bytes are equal to HEAD's, although git reports them as changed
	left      []Omission
}

// encode writes one value per line, in a fixed order. So equal metadata always gives the same text. Of the paths that the snapshot omits,
// it writes at most MaxLeft, and the number of the others.
func (f metadata) encode() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("version 2")
	b.WriteString(f.Label.Lines())
	if f.cause != "" {
		line("cause %s", strconv.QuoteToASCII(f.cause))
	}
	line("scope %s", scopeWords[f.scope])
	for _, id := range []struct {
		key string
		id  object.ID
	}{{"head", f.head}, {"index-tree", f.indexTree}, {"index-file", f.indexFile}} {
		if id.id != "" {
			line("%s %s", id.key, id.id)
		}
	}
	line("modes %o %o", f.modes.plain, f.modes.exec)
	for _, path := range sortedKeys(f.odd) {
		line("mode %o %s", f.odd[path], strconv.QuoteToASCII(path))
	}
	for _, path := range sortedKeys(f.dirs) {
		line("dir %o %s", f.dirs[path], strconv.QuoteToASCII(path))
	}
	for _, path := range slices.Sorted(slices.Values(f.raw)) {
		line("raw %s", strconv.QuoteToASCII(path))
	}
	for i, l := range f.left {
		if i == MaxLeft {
			line("left-more %d", len(f.left)-MaxLeft)
			break
		}
		line("left %s %d %s", l.Kind, l.Size, strconv.QuoteToASCII(l.Path))
	}
	return b.String()
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// sameWork reports whether the metadata of two snapshots describes the same work. It ignores run, time and cause.
func (f metadata) sameWork(g metadata) bool {
	for _, x := range []*metadata{&f, &g} {
		x.Label, x.cause = series.Label{}, ""
	}
	return f.encode() == g.encode()
}

// decodeMetadata parses the text that the method encode wrote. It ignores unknown lines, which a later version may have written.
func decodeMetadata(text string) (metadata, error) {
	f := metadata{modes: usualModes, odd: map[string]uint32{}, dirs: map[string]uint32{}}
	version := false
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		key, rest, _ := strings.Cut(line, " ")
		version = version || key == "version" && rest != "1" // versions before 0.9.0 wrote version 1
		if err := f.decode(key, rest); err != nil {
			return metadata{}, fmt.Errorf("understand %q: %w", line, err)
		}
	}
	if !version {
		return metadata{}, fmt.Errorf("parse snapshot: it has no version that can be read")
	}
	return f, nil
}

func (f *metadata) decode(key, rest string) (err error) {
	switch key {
	case "run", "at", "was":
		return f.Label.Decode(key, rest)
	case "cause":
		f.cause, err = strconv.Unquote(rest)
	case "scope":
		if rest == scopeWords[Whole] {
			f.scope = Whole
		}
	case "head":
		f.head, err = series.DecodeID(rest)
	case "index-tree":
		f.indexTree, err = series.DecodeID(rest)
	case "index-file":
		f.indexFile, err = series.DecodeID(rest)
	case "modes":
		_, err = fmt.Sscanf(rest, "%o %o", &f.modes.plain, &f.modes.exec)
	case "mode":
		err = decodeMode(f.odd, rest)
	case "dir":
		err = decodeMode(f.dirs, rest)
	case "raw":
		path, e := strconv.Unquote(rest)
		f.raw, err = append(f.raw, path), e
	case "left":
		return f.decodeLeft(rest)
	}
	return err
}

func decodeMode(into map[string]uint32, rest string) error {
	mode, quoted, _ := strings.Cut(rest, " ")
	m, err := strconv.ParseUint(mode, 8, 32)
	if err != nil {
		return err
	}
	path, err := strconv.Unquote(quoted)
	if err != nil {
		return err
	}
	into[path] = uint32(m) & 0o7777
	return nil
}

func (f *metadata) decodeLeft(rest string) error {
	parts := strings.SplitN(rest, " ", 3)
	if len(parts) < 3 {
		return fmt.Errorf("too short")
	}
	size, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		return err
	}
	path, err := strconv.Unquote(parts[2])
	if err != nil {
		return err
	}
	f.left = append(f.left, Omission{Kind: LeftKind(parts[0]), Path: path, Size: size})
	return nil
}

// sortLeft sorts omissions by importance. Work that could not be saved comes before ignored files.
func sortLeft(left []Omission) {
	rank := map[LeftKind]int{Unreadable: 0, Large: 1, Nested: 2, Ignored: 3}
	slices.SortFunc(left, func(a, b Omission) int {
		return cmp.Or(cmp.Compare(rank[a.Kind], rank[b.Kind]), cmp.Compare(a.Path, b.Path))
	})
}
