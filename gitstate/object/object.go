package object

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing/filemode"
)

// ErrMissing is the error for an object that the repository does not have.
var ErrMissing = errors.New("no such object")

// TooLargeError reports that an object or a file is larger than the caller wants to have in memory.
type TooLargeError struct{ Size int64 }

func (e *TooLargeError) Error() string { return fmt.Sprintf("too large (%d bytes)", e.Size) }

// Object is one object: its id, its type and its bytes.
type Object struct {
	ID   ID
	Type string
	Data []byte
}

// Signature is the author or the committer of a commit, with the time.
type Signature struct {
	Name  string
	Email string
	When  time.Time
}

// Commit is a parsed commit.
type Commit struct {
	ID        ID
	Tree      ID
	Parents   []ID
	Author    Signature
	Committer Signature
	Message   string
}

// Subject skips empty lines at the beginning of the message, and returns the next line.
func (c Commit) Subject() string {
	line, _, _ := strings.Cut(strings.TrimLeft(c.Message, "\n"), "\n")
	return line
}

// Entry is one entry of a tree object.
type Entry struct {
	Name string
	Mode uint32
	ID   ID
}

// Version is the mode of a path at one time and the id of its content. The zero value means that the path does not exist.
type Version struct {
	Mode uint32
	ID   ID
}

// Modes of tree entries.
const (
	ModeDir        = uint32(filemode.Dir)
	ModeFile       = uint32(filemode.Regular)
	ModeExecutable = uint32(filemode.Executable)
	ModeLink       = uint32(filemode.Symlink)
	ModeSubmodule  = uint32(filemode.Submodule)
)

// Entries returns the entries of a tree object, in the order in which they are stored. An object of another type is an error.
func (o Object) Entries() ([]Entry, error) {
	if o.Type != "tree" {
		return nil, fmt.Errorf("read tree %s: it is a %s", o.ID, o.Type)
	}
	return ParseTree(o)
}

// ParseCommit parses the text of a commit, with SHA-1 or SHA-256 ids.
func ParseCommit(o Object) (Commit, error) {
	c := Commit{ID: o.ID}
	head, message, _ := bytes.Cut(o.Data, []byte("\n\n"))
	c.Message = string(message)
	before := true // like git, take a tree and parents only from the lines before the author
	for line := range strings.Lines(string(head)) {
		key, value, _ := strings.Cut(strings.TrimRight(line, "\n"), " ")
		switch {
		case key == "tree" && before && c.Tree == "" && IsID(value):
			c.Tree = ID(value)
		case key == "parent" && before && IsID(value):
			c.Parents = append(c.Parents, ID(value))
		case key == "author":
			c.Author, before = ParseSignature(value), false
		case key == "committer":
			c.Committer = ParseSignature(value)
		}
	}
	if c.Tree == "" {
		return Commit{}, fmt.Errorf("read commit %s: it has no tree", o.ID)
	}
	return c, nil
}

// ParseSignature parses "NAME <EMAIL> SECONDS ZONE". Missing parts stay empty.
func ParseSignature(text string) Signature {
	name, rest, _ := strings.Cut(text, "<")
	email, _, _ := strings.Cut(rest, ">")
	s := Signature{Name: strings.TrimSpace(name), Email: email}
	f := strings.Fields(text[strings.LastIndexByte(text, '>')+1:]) // like git, find the time after the last ">"
	if len(f) == 0 {
		return s
	}
	sec, err := strconv.ParseInt(f[0], 10, 64)
	if err != nil {
		return s
	}
	s.When = time.Unix(sec, 0).UTC()
	if len(f) > 1 {
		if zone, err := time.Parse("-0700", f[1]); err == nil {
			s.When = s.When.In(zone.Location())
		}
	}
	return s
}

// ParseTree returns the entries of a stored tree.
func ParseTree(o Object) ([]Entry, error) {
	raw, err := RawTree(o)
	if err != nil || len(raw) == 0 {
		return nil, err
	}
	out := make([]Entry, len(raw))
	for i, e := range raw {
		out[i] = Entry{Name: e.Name, Mode: e.Mode, ID: e.Hex()}
	}
	return out, nil
}

// RawEntry is an entry of a stored tree. Its id is kept as bytes: most entries are only compared, so converting every id to hex would be
// wasted work.
type RawEntry struct {
	Name string
	Mode uint32
	ID   []byte
}

// Hex returns the entry's id.
func (e RawEntry) Hex() ID { return ID(hex.EncodeToString(e.ID)) }

// RawTree parses a stored tree. The ids in it are as long as the tree's own id.
func RawTree(o Object) ([]RawEntry, error) {
	size := len(o.ID) / 2
	out := make([]RawEntry, 0, len(o.Data)/(size+16)+1)
	for data := o.Data; len(data) > 0; {
		head, rest, ok := bytes.Cut(data, []byte{0})
		mode, name, named := strings.Cut(string(head), " ")
		m, err := strconv.ParseUint(mode, 8, 32)
		if !ok || !named || err != nil || len(rest) < size {
			return nil, fmt.Errorf("read tree %s: it is damaged", o.ID)
		}
		out = append(out, RawEntry{Name: name, Mode: uint32(m), ID: rest[:size]})
		data = rest[size:]
	}
	return out, nil
}
