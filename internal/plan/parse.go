package plan

import (
	"bytes"
	"path"
	"path/filepath"
	"strings"

	"github.com/git-resume/git-resume/internal/textdoc"
)

// Format is the form in which a plan is given.
type Format string

// A plan is a file in one of three formats, or it is given by flags of the command line.
const (
	YAML     Format = "yaml"
	JSON     Format = "json"
	Markdown Format = "markdown"
	Flags    Format = "flags"
)

// Parse parses the text of a plan file. It does not open the file. The format follows from the file's name, or from the text if the name
// has no known extension. If the text gives the plan no name, Parse makes one from the path of the file. If anything is wrong, the error
// is of type Faults, and the returned plan is empty.
func Parse(file string, data []byte, yaml YAMLParser) (Plan, error) {
	faults := &collector{file: file}
	if FormatOf(file, data) == Markdown {
		faults.ifEmpty = cureNoBoxes
	}
	text, ok := prepare(data, maxFile, faults)
	if !ok {
		return Plan{}, faults.err()
	}
	format := FormatOf(file, text)
	p, at := read(format, text, yaml, faults)
	if p.Name == "" {
		p.Name = defaultName(file, format)
	}
	check(p, at, faults)
	if err := faults.err(); err != nil {
		return Plan{}, err
	}
	return p, nil
}

// Decode parses the stored form of a plan. It skips unknown keys, because a later version of git-resume may have
// written them. It checks everything else as Parse does, because stored plans travel between clones. It accepts a
// plan without tasks, because tasks can be reported later, during the run.
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

// read returns the valid parts of the plan and their line numbers. It adds a fault for every other part.
func read(format Format, text []byte, yaml YAMLParser, faults *collector) (Plan, places) {
	r := reader{faults: faults, places: places{}}
	var root textdoc.Value
	var ok bool
	switch format {
	case Markdown:
		return readBoxes(string(text), faults)
	case JSON:
		root, ok = jsonTree(text, faults)
	default:
		root, ok = yamlTree(yaml, text, faults)
	}
	if !ok {
		return Plan{}, r.places
	}
	return r.plan(root), r.places
}

var tasksKey = textdoc.NewForm(`(?m)^tasks[ \t]*:`)

// FormatOf determines the format of a plan file from its name, or from its text if the name has no known extension.
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
	case tasksKey.MatchString(string(text)):
		return YAML
	case textdoc.HasBox(string(text)):
		return Markdown
	}
	return YAML
}

// defaultName returns the name for a plan that does not contain a name. Most Markdown task lists have the same file name, so the name of
// the folder is used for them, if there is one.
func defaultName(file string, format Format) string {
	clean := path.Clean(filepath.ToSlash(file))
	name := path.Base(clean)
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		name = name[:i]
	}
	if folder := path.Base(path.Dir(clean)); format == Markdown && strings.Trim(folder, "./") != "" {
		name = folder
	}
	name = textdoc.Shorten(textdoc.OneLine(strings.ToValidUTF8(name, "")), maxName)
	if strings.Trim(name, ".-/") == "" {
		return "plan"
	}
	return name
}
