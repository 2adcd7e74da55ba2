package plan

import (
	"bytes"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// Limits that keep a hostile or mistaken file from filling memory and refs.
const (
	maxFile    = 4 << 20
	maxTasks   = 10_000
	maxItems   = 10_000 // of a list within a task
	maxCommand = 1 << 20
	maxDepth   = 16 // a plan needs five
)

// MaxStored bounds a plan in its stored form, which indents and escapes and so is longer than the file.
const MaxStored = 64 << 20

// Format is how a plan was written down.
type Format string

// The formats of a plan.
const (
	YAML     Format = "yaml"
	JSON     Format = "json"
	Markdown Format = "markdown"
	Flags    Format = "flags"
)

// Parse reads a plan file.
// The file's name gives the format, the name of the run if the text has none,
// and the place in faults; it is not opened.
// The error is a Faults with everything that is wrong, and the plan is then empty.
func Parse(file string, data []byte) (Plan, error) {
	faults := &collector{file: file}
	text, ok := prepare(data, maxFile, faults)
	if !ok {
		return Plan{}, faults.err()
	}
	format := FormatOf(file, text)
	p, at := read(format, text, faults)
	if p.Name == "" {
		p.Name = defaultName(file, format)
	}
	check(p, at, faults)
	if err := faults.err(); err != nil {
		return Plan{}, err
	}
	return p, nil
}

// read gives what can be understood of the text, and where it stands.
func read(format Format, text []byte, faults *collector) (Plan, places) {
	tree := yamlTree
	switch format {
	case Markdown:
		return readBoxes(string(text), faults)
	case JSON:
		tree = jsonTree
	}
	r := reader{faults: faults, places: places{}}
	root, ok := tree(text, faults)
	if !ok {
		return Plan{}, r.places
	}
	return r.plan(root), r.places
}

// prepare checks what holds for every format,
// and gives the text without byte order mark and with plain line ends.
func prepare(data []byte, limit int, faults *collector) ([]byte, bool) {
	const save = "save the file as UTF-8 text"
	if len(data) > limit {
		faults.add(0, "the plan is larger than "+size(limit), "split it into several plans, or move long commands into scripts")
		return nil, false
	}
	text := bytes.TrimPrefix(data, []byte("\ufeff"))
	if i := invalid(text); i >= 0 {
		faults.add(lineOf(text, i), "the plan is not UTF-8 text", save)
		return nil, false
	}
	if i := bytes.IndexByte(text, 0); i >= 0 {
		faults.add(lineOf(text, i), "the plan has a NUL byte", save)
		return nil, false
	}
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	text = bytes.ReplaceAll(text, []byte("\r"), []byte("\n"))
	if len(bytes.TrimSpace(text)) == 0 {
		faults.add(0, "the plan is empty", cureNoTasks)
		return nil, false
	}
	return text, true
}

// invalid is the offset of the first byte that is not UTF-8, or -1.
func invalid(text []byte) int {
	if utf8.Valid(text) {
		return -1
	}
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// lineOf is the line, from 1, on which an offset stands.
func lineOf(text []byte, offset int) int {
	offset = max(0, min(offset, len(text)))
	return 1 + bytes.Count(text[:offset], []byte("\n"))
}

var (
	tasksKey = pattern(`(?m)^tasks[ \t]*:`)
	boxLine  = pattern(`(?m)^[ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+\[[ xX]\][ \t*]`)
)

// FormatOf tells the format of a plan file by its name,
// and for a name that says nothing by its text.
func FormatOf(file string, data []byte) Format {
	switch strings.ToLower(path.Ext(filepath.ToSlash(file))) {
	case ".yaml", ".yml":
		return YAML
	case ".json":
		return JSON
	case ".md", ".markdown":
		return Markdown
	}
	text := bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff")))
	switch {
	case bytes.HasPrefix(text, []byte("{")):
		return JSON
	case tasksKey().Match(text):
		return YAML
	case boxLine().Match(text):
		return Markdown
	}
	return YAML
}

// defaultName is the name of a plan that does not name itself.
// Task lists are all called alike, so that their folder tells more than they do.
func defaultName(file string, format Format) string {
	clean := path.Clean(filepath.ToSlash(file))
	name := path.Base(clean)
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		name = name[:i]
	}
	if folder := path.Base(path.Dir(clean)); format == Markdown && strings.Trim(folder, "./") != "" {
		name = folder
	}
	name = shorten(oneLine(strings.ToValidUTF8(name, "")), maxName)
	if strings.Trim(name, ".-/") == "" {
		return "plan"
	}
	return name
}
