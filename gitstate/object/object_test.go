package object

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
)

var commitTexts = []string{
	"tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor A U Thor <a@example.com> 1893553445 +0100\ncommitter C <c@example.com> 1893553445 -0830\n\nsubject\n\nbody\n",
	"tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nparent 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nparent 9b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\nencoding ISO-8859-1\n\n\xfcml\n",
	"tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n tree x\n -----END PGP SIGNATURE-----\n\nsigned\n",
	"tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\nmergetag object 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n type commit\n tag v1\n tagger A <a@b> 1 +0000\n \n text\n\nmerge\n",
	"tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor  <> 1 +0000\ncommitter A <a@b> 1 +0000\n\n",
	"tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\n\n\nlate subject",
}

// FuzzParseCommit compares our parser with go-git's, on commits with a plain header.
func FuzzParseCommit(f *testing.F) {
	for _, text := range commitTexts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		o := Object{ID: ID(strings.Repeat("1", 40)), Type: "commit", Data: []byte(text)}
		own, ownErr := ParseCommit(o)
		if !soundCommit(text) {
			return
		}
		theirs, err := decodeCommit(o)
		if err != nil || ownErr != nil {
			t.Fatalf("a sound commit: %v, %v", err, ownErr)
		}
		if !sameCommit(own, theirs) {
			t.Errorf("of %q\nours:    %+v\ngo-git's: %+v", text, own, theirs)
		}
	})
}

// soundCommit reports whether the header of a commit has exactly a tree, any number of parents, an author and a committer, in this order.
// For other texts, our parser and go-git's parser may give different results.
func soundCommit(text string) bool {
	head, _, ok := strings.Cut(text, "\n\n")
	if !ok || strings.ContainsAny(text, "\x00\r") {
		return false
	}
	lines := strings.Split(head, "\n")
	rest, ok := strings.CutPrefix(lines[0], "tree ")
	if !ok || !IsID(rest) || len(rest) != 40 {
		return false
	}
	i := 1
	for ; i < len(lines) && strings.HasPrefix(lines[i], "parent "); i++ {
		if id := lines[i][len("parent "):]; !IsID(id) || len(id) != 40 {
			return false
		}
	}
	return len(lines) == i+2 && soundPerson(lines[i], "author ") && soundPerson(lines[i+1], "committer ")
}

func soundPerson(line, key string) bool {
	rest, ok := strings.CutPrefix(line, key)
	name, rest, ok2 := strings.Cut(rest, " <")
	email, when, ok3 := strings.Cut(rest, "> ")
	sec, zone, ok4 := strings.Cut(when, " ")
	return ok && ok2 && ok3 && ok4 && !strings.ContainsAny(name+email, "<>\n") && strings.TrimSpace(name) == name && strings.TrimSpace(email) == email &&
		len(sec) > 0 && len(sec) < 11 && sec[0] != '0' && strings.Trim(sec, "0123456789") == "" &&
		len(zone) == 5 && strings.Contains("+-", zone[:1]) && strings.Trim(zone[1:], "0123456789") == "" && zone[1:3] < "15" && zone[3:] < "60"
}

func sameCommit(a, b Commit) bool {
	same := func(x, y Signature) bool {
		_, zx := x.When.Zone()
		_, zy := y.When.Zone()
		return x.Name == y.Name && x.Email == y.Email && x.When.Equal(y.When) && zx == zy
	}
	return a.ID == b.ID && a.Tree == b.Tree && slices.Equal(a.Parents, b.Parents) && a.Message == b.Message &&
		same(a.Author, b.Author) && same(a.Committer, b.Committer)
}

// TestParseCommit_asGoGit compares our parser with go-git's. Some of the commits have headers that FuzzParseCommit does not compare.
func TestParseCommit_asGoGit(t *testing.T) {
	t.Parallel()
	for _, text := range commitTexts {
		o := Object{ID: ID(strings.Repeat("1", 40)), Type: "commit", Data: []byte(text)}
		own, err := ParseCommit(o)
		gittest.NoError(t, "parseCommit", err)
		theirs, err := decodeCommit(o)
		gittest.NoError(t, "decodeCommit", err)
		if !sameCommit(own, theirs) {
			t.Errorf("of %q\nours:    %+v\ngo-git's: %+v", text, own, theirs)
		}
	}
	if _, err := ParseCommit(Object{Data: []byte("author x\n\n")}); err == nil {
		t.Error("a commit without a tree was read")
	}
}

func FuzzParseTree(f *testing.F) {
	id := string(bytes.Repeat([]byte{7}, 20))
	f.Add([]byte("100644 a\x00" + id))
	f.Add([]byte("40000 dir\x00" + id + "120000 link\x00" + id + "160000 sub\x00" + id + "100755 x y\x00" + id))
	f.Fuzz(func(t *testing.T, data []byte) {
		o := Object{ID: ID(strings.Repeat("1", 40)), Type: "tree", Data: data}
		own, err := ParseTree(o)
		if err != nil || !soundTree(own) {
			return
		}
		theirs, err := decodeTree(o)
		if err != nil {
			t.Fatalf("go-git does not read %q: %v", data, err)
		}
		if len(own) != len(theirs) || len(own) > 0 && !reflect.DeepEqual(own, theirs) {
			t.Errorf("of %q\nours:    %+v\ngo-git's: %+v", data, own, theirs)
		}
		if again, err := ParseTree(Object{ID: o.ID, Data: TreeData(own)}); err != nil || len(again) != len(own) {
			t.Errorf("written and read again: %v, %v", again, err)
		}
	})
}

// soundTree reports whether all entries have modes and names that git writes.
func soundTree(all []Entry) bool {
	modes := []uint32{ModeDir, ModeFile, ModeExecutable, ModeLink, ModeSubmodule}
	return !slices.ContainsFunc(all, func(e Entry) bool {
		return !slices.Contains(modes, e.Mode) || e.Name == "" || strings.Contains(e.Name, "/")
	})
}

func decodeCommit(o Object) (Commit, error) {
	var c object.Commit
	if err := c.Decode(memory(o, plumbing.CommitObject)); err != nil {
		return Commit{}, fmt.Errorf("read commit %s: %w", o.ID, err)
	}
	out := Commit{ID: o.ID, Tree: ID(c.TreeHash.String()), Message: c.Message}
	for _, p := range c.ParentHashes {
		out.Parents = append(out.Parents, ID(p.String()))
	}
	out.Author = Signature{c.Author.Name, c.Author.Email, c.Author.When}
	out.Committer = Signature{c.Committer.Name, c.Committer.Email, c.Committer.When}
	return out, nil
}

func memory(o Object, kind plumbing.ObjectType) *plumbing.MemoryObject {
	m := &plumbing.MemoryObject{}
	m.SetType(kind)
	_, _ = m.Write(o.Data) // a write to memory cannot fail
	return m
}

func decodeTree(o Object) ([]Entry, error) {
	var t object.Tree
	if err := t.Decode(memory(o, plumbing.TreeObject)); err != nil {
		return nil, fmt.Errorf("read tree %s: %w", o.ID, err)
	}
	out := make([]Entry, 0, len(t.Entries))
	for _, e := range t.Entries {
		out = append(out, Entry{Name: e.Name, Mode: uint32(e.Mode), ID: ID(e.Hash.String())})
	}
	return out, nil
}

// A zlib reader must read wrapped data back, even if the data is empty or longer than one block.
func TestWrap_isZlib(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, 65534, 65535, 65536, 200_000} {
		want := bytes.Repeat([]byte("x\x00y"), size/3+1)[:size]
		var buf bytes.Buffer
		Wrap(&buf, want)
		z, err := zlib.NewReader(&buf)
		gittest.NoError(t, "header", err)
		got, err := io.ReadAll(z) // the reader verifies the checksum at the end
		gittest.NoError(t, "read", err)
		gittest.Equal(t, fmt.Sprint(size, " bytes"), bytes.Equal(got, want) && buf.Len() == 0, true)
	}
}
