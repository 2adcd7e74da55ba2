package past

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
)

// graph is git's commit-graph file, or a chain of such files. It stores the parents and dates of commits. It is only a shortcut: if
// anything in it looks wrong, we do without it.
type graph []graphFile

// graphFile is one commit-graph file. It has sorted ids, and the parents and the date of each commit.
type graphFile struct {
	raw                     []byte
	fan, ids, commits, more []byte
	idSize, count           int
	before                  int // number of commits in all earlier files of the chain
}

var errGraph = errors.New("the commit-graph cannot be used")

// openGraph opens the commit-graph, and the caller closes it. The result is empty if there is no commit-graph that we
// can use.
func openGraph(ctx context.Context, r *gitstate.Repo) graph {
	if r.Refs.InTables() || r.Settings.Mentions("commitgraph") {
		return nil
	}
	// The commit-graph describes the original commits, not the user's replacements ("git replace").
	if replaced, err := r.Refs.Replaced(ctx); err != nil || replaced {
		return nil
	}
	var g graph
	for _, path := range graphPaths(r) {
		f, err := openGraphFile(path)
		if err != nil {
			g.close()
			return nil
		}
		if n := len(g); n > 0 {
			f.before = g[n-1].before + g[n-1].count
		}
		g = append(g, f)
	}
	return g
}

// graphPaths lists the single commit-graph file, or the files of the chain, oldest first.
func graphPaths(r *gitstate.Repo) []string {
	one := r.CommonPath("objects", "info", "commit-graph")
	if _, err := os.Lstat(one); err == nil {
		return []string{one}
	}
	dir := r.CommonPath("objects", "info", "commit-graphs")
	text, _ := os.ReadFile(filepath.Join(dir, "commit-graph-chain")) // without this file there is no chain
	var out []string
	for id := range strings.FieldsSeq(string(text)) {
		out = append(out, filepath.Join(dir, "graph-"+filepath.Base(id)+".graph"))
	}
	return out
}

func (g graph) close() {
	for _, f := range g {
		unmapFile(f.raw)
	}
}

func openGraphFile(path string) (graphFile, error) {
	raw, err := mapFile(path)
	if err != nil {
		return graphFile{}, err
	}
	f, err := parseGraph(raw)
	if err != nil {
		unmapFile(raw)
	}
	return f, err
}

// parseGraph finds the parts of a commit-graph file. A header of 8 bytes and a table of offsets come before the parts.
func parseGraph(raw []byte) (graphFile, error) {
	f := graphFile{raw: raw}
	if len(raw) < 8 || string(raw[:5]) != "CGPH\x01" {
		return f, errGraph
	}
	switch raw[5] {
	case 1:
		f.idSize = 20
	case 2:
		f.idSize = 32
	default:
		return f, errGraph
	}
	parts, err := graphParts(raw, int(raw[6]))
	if err != nil {
		return f, err
	}
	f.fan, f.ids, f.commits, f.more = parts["OIDF"], parts["OIDL"], parts["CDAT"], parts["EDGE"]
	if len(f.fan) != 4*256 {
		return f, errGraph
	}
	f.count = int(binary.BigEndian.Uint32(f.fan[4*255:]))
	if len(f.ids) != f.count*f.idSize || len(f.commits) != f.count*f.rowSize() {
		return f, errGraph
	}
	return f, nil
}

func graphParts(raw []byte, n int) (map[string][]byte, error) {
	const head, row = 8, 12
	if len(raw) < head+(n+1)*row {
		return nil, errGraph
	}
	parts := map[string][]byte{}
	for i := range n {
		at := raw[head+i*row:]
		from, to := binary.BigEndian.Uint64(at[4:]), binary.BigEndian.Uint64(at[4+row:])
		if from > to || to > uint64(len(raw)) {
			return nil, errGraph
		}
		parts[string(at[:4])] = raw[from:to]
	}
	return parts, nil
}

// rowSize returns the length of a row: the tree's id, and 16 bytes for two parents, the generation and the date.
func (f graphFile) rowSize() int { return f.idSize + 16 }

// number returns the number of a commit in the graph, or false if the commit is not in it. The numbers continue from file to file of a
// chain.
func (g graph) number(id object.ID) (int, bool) {
	want, err := hex.DecodeString(string(id))
	if err != nil || len(want) == 0 {
		return 0, false
	}
	for _, f := range g {
		if len(want) != f.idSize {
			continue
		}
		from, to := f.upTo(int(want[0])-1), f.upTo(int(want[0]))
		if from > to || to > f.count {
			continue
		}
		i := from + sort.Search(to-from, func(i int) bool { return bytes.Compare(f.row(from+i), want) >= 0 })
		if i < to && bytes.Equal(f.row(i), want) {
			return f.before + i, true
		}
	}
	return 0, false
}

// upTo returns how many ids have a first byte of at most b.
func (f graphFile) upTo(b int) int {
	if b < 0 {
		return 0
	}
	return int(binary.BigEndian.Uint32(f.fan[4*b:]))
}

func (f graphFile) row(i int) []byte { return f.ids[i*f.idSize : (i+1)*f.idSize] }

// fileOf returns the file that contains the commit with number n, and the commit's index in that file. ok is false if there is no such
// commit.
func (g graph) fileOf(n int) (f graphFile, i int, ok bool) {
	for _, f := range g {
		if i := n - f.before; i >= 0 && i < f.count {
			return f, i, true
		}
	}
	return f, 0, false
}

func (g graph) id(n int) (object.ID, bool) {
	f, i, ok := g.fileOf(n)
	if !ok {
		return "", false
	}
	return object.ID(hex.EncodeToString(f.row(i))), true
}

const (
	noParent = 0x70000000
	// If the second parent has the bit manyMark, all parents after the first are in a separate list. The bit lastMark marks the last
	// entry of this list.
	manyMark, lastMark = 1 << 31, 1 << 31
	dateBits           = 34
	// git stores highestLevel in place of every higher generation number. It stores 0 if it did not compute the number.
	highestLevel = 1<<30 - 1
)

func (g graph) count() int {
	if len(g) == 0 {
		return 0
	}
	last := g[len(g)-1]
	return last.before + last.count
}

// rowOf returns the part of a commit's row that comes after the id of the tree: two parents, the generation and the date. The result f is
// the file with this row. ok is false if there is no such commit.
func (g graph) rowOf(n int) (row []byte, f graphFile, ok bool) {
	f, i, ok := g.fileOf(n)
	if !ok {
		return nil, f, false
	}
	return f.commits[i*f.rowSize()+f.idSize : (i+1)*f.rowSize()], f, true
}

// tree returns the id of a commit's tree, or "" if there is no commit with number n.
func (g graph) tree(n int) object.ID {
	f, i, ok := g.fileOf(n)
	if !ok {
		return ""
	}
	return object.ID(hex.EncodeToString(f.commits[i*f.rowSize() : i*f.rowSize()+f.idSize]))
}

// date returns the date of the commit with number n; ok is false if there is no such commit.
func (g graph) date(n int) (at int64, ok bool) {
	row, _, ok := g.rowOf(n)
	if !ok {
		return 0, false
	}
	return int64(binary.BigEndian.Uint64(row[8:]) & (1<<dateBits - 1)), true
}

// parents appends the parents of the commit with number n to a list; ok is false if the graph is damaged.
func (g graph) parents(n int, to []int) (parents []int, ok bool) {
	row, f, ok := g.rowOf(n)
	if !ok {
		return to, false
	}
	for _, p := range [2]uint32{binary.BigEndian.Uint32(row), binary.BigEndian.Uint32(row[4:])} {
		switch {
		case p == noParent:
		case p&manyMark == 0:
			to = append(to, int(p))
		default:
			if to, ok = f.list(int(p&^manyMark), to); !ok {
				return to, false
			}
		}
	}
	most := g.count()
	return to, !slices.ContainsFunc(to, func(p int) bool { return p >= most })
}

// level returns a commit's level (git's generation number): one more than the highest level of its parents. ok is false if the level
// is unknown.
func (g graph) level(n int) (level int, ok bool) {
	row, _, ok := g.rowOf(n)
	if !ok {
		return 0, false
	}
	level = int(binary.BigEndian.Uint64(row[8:]) >> dateBits)
	return level, level > 0 && level < highestLevel
}

// list appends the parents after the first, for a commit with more than two parents. ok is false if the end of the list is missing.
func (f graphFile) list(from int, to []int) (out []int, ok bool) {
	for at := 4 * from; at+4 <= len(f.more); at += 4 {
		n := binary.BigEndian.Uint32(f.more[at:])
		to = append(to, int(n&^lastMark))
		if n&lastMark != 0 {
			return to, true
		}
	}
	return to, false
}
