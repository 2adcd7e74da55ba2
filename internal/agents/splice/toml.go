package splice

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// tomlFile is what was found in a TOML file.
type tomlFile struct {
	// values maps the full path of each key, joined by NUL, to the text of its value. An inline table is one value.
	values map[string]string
	// tables maps the path of each table that has its own header to the position after that header.
	tables map[string]int
}

func joined(path []string) string { return strings.Join(path, "\x00") }

// tomlScanner reads the structure of a TOML file: headers, keys, and where values end.
type tomlScanner struct {
	parser
	found tomlFile
	// table is the path of the current table. nth counts the tables of each array of tables, so that each gets a different path.
	table []string
	nth   map[string]int
}

var (
	bareKey  = lazy(`^[A-Za-z0-9_-]+`)
	tomlWord = lazy(`^(?:true|false|[+-]?(?:inf|nan)|[+-]?(?:0|[1-9](?:_?\d)*)(?:\.\d(?:_?\d)*)?(?:[eE][+-]?\d(?:_?\d)*)?|0x[0-9A-Fa-f](?:_?[0-9A-Fa-f])*|0o[0-7](?:_?[0-7])*|0b[01](?:_?[01])*|\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)?)?|\d\d:\d\d:\d\d(?:\.\d+)?)$`)
)

// lazy returns a function that compiles a regular expression when it is first called, because most commands do not need it.
func lazy(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

func parseTOML(text []byte) (tomlFile, error) {
	s := &tomlScanner{parser: parser{text: text}, nth: map[string]int{}, found: tomlFile{map[string]string{}, map[string]int{}}}
	if len(text) > MaxSize {
		return s.found, s.fail("the file is too large")
	}
	if !utf8.Valid(text) {
		return s.found, s.fail("the file is not UTF-8")
	}
	if bytes.HasPrefix(text, bom) {
		s.at = len(bom)
	}
	for {
		s.blanks(true)
		if s.at >= len(text) {
			return s.found, nil
		}
		var err error
		if s.peek() == '[' {
			err = s.header()
		} else {
			err = s.keyValue(s.table)
		}
		if err == nil {
			err = s.lineEnd()
		}
		if err != nil {
			return s.found, err
		}
	}
}

// blanks skips spaces. If the argument "lines" is true, it also skips line breaks and comments.
func (s *tomlScanner) blanks(lines bool) {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; {
		case c == ' ' || c == '\t', lines && (c == '\n' || c == '\r' && bytes.HasPrefix(s.text[s.at:], []byte("\r\n"))):
			s.at++
		case c == '#' && lines:
			s.comment()
		default:
			return
		}
	}
}

func (s *tomlScanner) comment() {
	if i := bytes.IndexByte(s.text[s.at:], '\n'); i >= 0 {
		s.at += i
		return
	}
	s.at = len(s.text)
}

func (s *tomlScanner) lineEnd() error {
	s.blanks(false)
	if s.peek() == '#' {
		s.comment()
	}
	if rest := s.text[s.at:]; len(rest) > 0 && rest[0] != '\n' && !bytes.HasPrefix(rest, []byte("\r\n")) {
		return s.fail("the end of the line is expected here")
	}
	return nil
}

// header reads the header of a table, such as [tools.update_plan] or [[rules]].
func (s *tomlScanner) header() error {
	many := bytes.HasPrefix(s.text[s.at:], []byte("[["))
	end := "]"
	if s.at++; many {
		end = "]]"
		s.at++
	}
	path, err := s.keyPath()
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(s.text[s.at:], []byte(end)) {
		return s.fail("the end of the table's name is expected here")
	}
	s.at += len(end)
	path = s.numbered(path)
	name := joined(path)
	if many {
		s.nth[name]++
		path = append(slices.Clone(path), fmt.Sprintf("\x01%d", s.nth[name]))
		name = joined(path)
	}
	if _, twice := s.found.tables[name]; twice || s.hasValue(path) {
		return s.fail("the name of this table, or its beginning, is already used")
	}
	s.found.tables[name], s.table = s.at, path
	return nil
}

// numbered inserts numbers into a path. After the name of each array of tables, it inserts the number of the newest table in that array: if
// [[servers]] occurred twice, the path "servers.ports" becomes "servers", number 2, "ports". After the last name of the path it inserts no
// number, because [[servers]] itself begins a new table: its caller adds the number of that table.
func (s *tomlScanner) numbered(path []string) []string {
	var out []string
	for i, part := range path {
		out = append(out, part)
		if n := s.nth[joined(out)]; n > 0 && i < len(path)-1 {
			out = append(out, fmt.Sprintf("\x01%d", n))
		}
	}
	return out
}

// hasValue reports whether a key with this path, or with the first parts of this path, has a value.
func (s *tomlScanner) hasValue(path []string) bool {
	for i := range path {
		if _, ok := s.found.values[joined(path[:i+1])]; ok {
			return true
		}
	}
	return false
}

// keyPath reads a key such as a.b.c and the space after it.
func (s *tomlScanner) keyPath() (path []string, err error) {
	for {
		s.blanks(false)
		key, err := s.key()
		if err != nil {
			return nil, err
		}
		path = append(path, key)
		s.blanks(false)
		if s.peek() != '.' {
			return path, nil
		}
		s.at++
	}
}

func (s *tomlScanner) key() (string, error) {
	from := s.at
	if c := s.peek(); c == '"' || c == '\'' {
		if err := s.quoted(false); err != nil {
			return "", err
		}
		// Escapes are left as they are. A key of ours that somebody writes with escapes is not recognized.
		return string(s.text[from+1 : s.at-1]), nil
	}
	word := bareKey().Find(s.text[s.at:])
	if word == nil {
		return "", s.fail("a key is expected here")
	}
	s.at += len(word)
	return string(word), nil
}

func (s *tomlScanner) keyValue(table []string) error {
	path, err := s.keyPath()
	if err != nil {
		return err
	}
	if s.peek() != '=' {
		return s.fail("an equals sign is expected here")
	}
	s.at++
	s.blanks(false)
	full := append(slices.Clone(table), path...)
	if _, isTable := s.found.tables[joined(full)]; isTable || s.hasValue(full) {
		return s.fail("this key, or its beginning, is already used")
	}
	from := s.at
	if err := s.tomlValue(); err != nil {
		return err
	}
	s.found.values[joined(full)] = string(s.text[from:s.at])
	return nil
}

func (s *tomlScanner) tomlValue() error {
	if s.depth++; s.depth > maxDepth {
		return s.fail("the values are nested too deeply")
	}
	defer func() { s.depth-- }()
	switch s.peek() {
	case '"', '\'':
		return s.quoted(true)
	case '[':
		return s.list(']', true, s.tomlValue)
	case '{':
		return s.list('}', false, s.member)
	}
	from := s.at
	for s.at < len(s.text) && !bytes.ContainsRune([]byte(",]}#\r\n\t"), rune(s.text[s.at])) {
		s.at++
	}
	word := bytes.TrimRight(s.text[from:s.at], " ")
	if s.at = from + len(word); !tomlWord().Match(word) {
		s.at = from
		return s.fail("a value is expected here")
	}
	return nil
}

// member reads one key and its value in an inline table. They are not stored, because nothing is ever added to an inline table.
func (s *tomlScanner) member() error {
	if _, err := s.keyPath(); err != nil {
		return err
	}
	if s.peek() != '=' {
		return s.fail("an equals sign is expected here")
	}
	s.at++
	s.blanks(false)
	return s.tomlValue()
}

// list reads an array or an inline table. Only an array may extend over several lines and end with a comma.
func (s *tomlScanner) list(end byte, isArray bool, item func() error) error {
	s.at++
	for first := true; ; first = false {
		s.blanks(isArray)
		if s.peek() == end && (first || isArray) {
			break
		}
		if err := item(); err != nil {
			return err
		}
		s.blanks(isArray)
		if s.peek() == end {
			break
		}
		if s.peek() != ',' {
			return s.fail("a comma or a closing bracket is expected here")
		}
		s.at++
	}
	s.at++
	return nil
}

// quoted reads a string in single or double quotes. If the argument "long" is true, the quotes can also be tripled.
func (s *tomlScanner) quoted(long bool) error {
	mark := s.text[s.at : s.at+1]
	if triple := bytes.Repeat(mark, 3); long && bytes.HasPrefix(s.text[s.at:], triple) {
		mark = triple
	}
	for i := s.at + len(mark); i < len(s.text); i++ {
		switch {
		case mark[0] == '"' && s.text[i] == '\\':
			i++
		case len(mark) == 1 && s.text[i] == '\n':
			return s.fail("a string is not closed")
		case bytes.HasPrefix(s.text[i:], mark):
			i += len(mark)
			for n := 0; len(mark) == 3 && n < 2 && i < len(s.text) && s.text[i] == mark[0]; n++ {
				i++ // one or two quotes that belong to the string may come directly before the three closing ones
			}
			s.at = i
			return nil
		}
	}
	return s.fail("a string is not closed")
}
