package conflicts_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// file is one file of a generated tree.
type file struct {
	mode    uint32
	content string
}

const (
	plain  = 0o100644
	script = 0o100755
	link   = 0o120000
	module = 0o160000
)

// tree is a generated tree: a map from paths to files.
type tree map[string]file

// put adds a file and removes everything that cannot exist together with it: files at parent paths, and files below its path.
func (t tree) put(path string, f file) {
	for at := parent(path); at != ""; at = parent(at) {
		delete(t, at)
	}
	for p := range t {
		if strings.HasPrefix(p, path+"/") {
			delete(t, p)
		}
	}
	t[path] = f
}

func parent(path string) string { return path[:max(strings.LastIndexByte(path, '/'), 0)] }

// scenario is a base and two sides.
type scenario struct{ base, ours, theirs tree }

func drawScenario(t *rapid.T) scenario {
	base := tree{}
	for range rapid.IntRange(1, 7).Draw(t, "files") {
		base.put(drawPath(t), drawFile(t))
	}
	shared := drawEdits(t, "shared", 2)
	s := scenario{base, maps.Clone(base), maps.Clone(base)}
	for _, e := range append(slices.Clone(shared), drawEdits(t, "ours", 4)...) {
		e(s.ours)
	}
	for _, e := range append(slices.Clone(shared), drawEdits(t, "theirs", 4)...) {
		e(s.theirs)
	}
	return s
}

var (
	dirs  = []string{"", "a/", "b/", "a/x/", "a/y/", "c/"}
	names = []string{"f", "g", "h", "x", "mit leer", "é.txt", "\xff\xfe", "q\"t", "n\nl", "*"}
)

func drawPath(t *rapid.T) string {
	return rapid.SampledFrom(dirs).Draw(t, "dir") + rapid.SampledFrom(names).Draw(t, "name")
}

func drawFile(t *rapid.T) file {
	switch rapid.IntRange(0, 19).Draw(t, "type") {
	case 0:
		return file{link, rapid.SampledFrom([]string{"f", "../g", "a/h"}).Draw(t, "target")}
	case 1:
		return file{module, strings.Repeat(rapid.SampledFrom([]string{"1", "2", "3"}).Draw(t, "commit"), 40)}
	case 2:
		return file{script, drawText(t)}
	case 3:
		return file{plain, ""}
	}
	return file{plain, drawText(t)}
}

// drawText generates texts of several kinds that can make a line comparison go wrong.
func drawText(t *rapid.T) string {
	end := "\n"
	switch rapid.IntRange(0, 24).Draw(t, "kind of text") {
	case 0:
		return "bin\x00" + rapid.SampledFrom([]string{"1", "2", "3"}).Draw(t, "bytes")
	case 1:
		end = "\r\n"
	case 2:
		return strings.Repeat("same\n", rapid.IntRange(60, 3000).Draw(t, "times")) + drawLines(t, "\n")
	case 3:
		return drawLines(t, "\n") + "\xc3\x28 not UTF-8\n" + drawLines(t, "\n")
	}
	text := drawLines(t, end)
	if rapid.IntRange(0, 5).Draw(t, "newline at the end") == 0 {
		text = strings.TrimSuffix(text, end)
	}
	return text
}

// drawLines often uses few different lines, so that a diff can place its hunks in several ways.
func drawLines(t *rapid.T, end string) string {
	n := rapid.IntRange(0, 40).Draw(t, "lines")
	variety := rapid.IntRange(2, 60).Draw(t, "variety")
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, "%d%s", rapid.IntRange(0, variety).Draw(t, "line"), end)
	}
	return b.String()
}

type edit func(tree)

func drawEdits(t *rapid.T, label string, most int) []edit {
	var out []edit
	for range rapid.IntRange(0, most).Draw(t, label) {
		out = append(out, drawEdit(t))
	}
	return out
}

func drawEdit(t *rapid.T) edit {
	pick := rapid.IntRange(0, 99).Draw(t, "which")
	choose := func(in tree) string {
		paths := slices.Sorted(maps.Keys(in))
		if len(paths) == 0 {
			return ""
		}
		return paths[pick%len(paths)]
	}
	switch rapid.IntRange(0, 15).Draw(t, "edit") {
	case 0:
		return func(in tree) { delete(in, choose(in)) }
	case 1, 2:
		path, f := drawPath(t), drawFile(t)
		return func(in tree) { in.put(path, f) }
	case 3, 4:
		return drawRename(t, choose)
	case 5, 6:
		return drawDirRename(t)
	case 7:
		return func(in tree) { flip(in, choose(in)) }
	case 8:
		f := drawFile(t)
		return func(in tree) {
			if p := choose(in); p != "" {
				in[p] = f
			}
		}
	case 9:
		path := drawPath(t)
		return func(in tree) { // copies a file to another path
			if p := choose(in); p != "" {
				in.put(path, in[p])
			}
		}
	}
	change := drawChange(t)
	return func(in tree) { rewrite(in, choose(in), change) }
}

func drawRename(t *rapid.T, choose func(tree) string) edit {
	path := drawPath(t)
	change := func(s string) string { return s }
	if rapid.Bool().Draw(t, "and change") {
		change = drawChange(t)
	}
	return func(in tree) {
		p := choose(in)
		if p == "" || p == path {
			return
		}
		f := in[p]
		delete(in, p)
		in.put(path, f)
		rewrite(in, path, change)
	}
}

func drawDirRename(t *rapid.T) edit {
	from := rapid.SampledFrom(dirs[1:]).Draw(t, "from")
	to := rapid.SampledFrom(append(slices.Clone(dirs), "new/", "new/x/")).Draw(t, "to")
	return func(in tree) {
		if strings.HasPrefix(to, from) {
			return
		}
		for _, p := range slices.Sorted(maps.Keys(in)) {
			rest, ok := strings.CutPrefix(p, from)
			if f, there := in[p]; ok && there {
				delete(in, p)
				in.put(to+rest, f)
			}
		}
	}
}

func flip(in tree, path string) {
	f := in[path]
	switch f.mode {
	case plain:
		f.mode = script
	case script:
		f.mode = plain
	default:
		return
	}
	in[path] = f
}

func rewrite(in tree, path string, change func(string) string) {
	f, ok := in[path]
	if !ok || f.mode == link || f.mode == module {
		return
	}
	f.content = change(f.content)
	in[path] = f
}

// drawChange generates a change of a text: it replaces a few lines, changes the line endings, or changes the end of the text.
func drawChange(t *rapid.T) func(string) string {
	at := rapid.IntRange(0, 60).Draw(t, "at")
	drop := rapid.IntRange(0, 6).Draw(t, "drop")
	add := drawSome(t)
	switch rapid.IntRange(0, 20).Draw(t, "change") {
	case 0:
		return func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	case 1:
		return func(s string) string { return strings.TrimSuffix(s, "\n") }
	case 2:
		return func(s string) string { return s + add }
	case 3:
		return func(s string) string { return s + "\x00" }
	}
	return func(s string) string {
		lines := strings.SplitAfter(s, "\n")
		from := at % (len(lines) + 1)
		to := min(len(lines), from+drop)
		return strings.Join(lines[:from], "") + add + strings.Join(lines[to:], "")
	}
}

func drawSome(t *rapid.T) string {
	var b strings.Builder
	for range rapid.IntRange(0, 4).Draw(t, "added") {
		fmt.Fprintf(&b, "%d\n", rapid.IntRange(0, 60).Draw(t, "line"))
	}
	return b.String()
}
