package plan

import (
	"bytes"
	"path"
	"path/filepath"
	"strings"
)

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

// Decode reads the stored form.
// Keys that it does not know are skipped, for a later version may have written them;
// everything else is checked as Parse does, for stored plans travel between clones.
// A plan without tasks is accepted: such a run grows by reports.
func Decode(data []byte) (Plan, error) {
	faults := &collector{file: "stored plan"}
	text, ok := prepare(data, MaxStored, faults)
	if !ok {
		return Plan{}, faults.err()
	}
	r := reader{faults: faults, mode: tolerant, places: places{}}
	var p Plan
	if root, ok := jsonTree(text, faults); ok {
		p = r.plan(root)
		check(p, r.places, faults)
	}
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

var tasksKey = pattern(`(?m)^tasks[ \t]*:`)

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
