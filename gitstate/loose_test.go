package gitstate

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/store"
	"github.com/git-resume/git-resume/internal/gittest"
)

// TestEach_looseAndPacked reads objects of which some are packed, some loose and some missing. The method Each must return the existing
// ones in order, with the same bytes that git has, and an error for the missing ones.
func TestEach_looseAndPacked(t *testing.T) {
	t.Parallel()
	own := gittest.New(t)
	blob := func(text string) string { return own.Pipe(text, "hash-object", "-w", "--stdin")[:40] }
	var names []string
	for round := range 2 {
		for i := range 40 {
			names = append(names, blob(fmt.Sprintf("file %d of round %d\n", i, round)))
		}
		own.Write("f", fmt.Sprint(round))
		own.Git("add", "f")
		own.Git("commit", "-q", "-m", "next")
		own.Git("tag", "-a", "-m", "tag", fmt.Sprint("v", round))
		names = append(names, own.Git("rev-parse", fmt.Sprint("v", round)), own.Git("rev-parse", "HEAD^{tree}"), own.Git("rev-parse", "HEAD"), blob(""))
		names = append(names, strings.Repeat(fmt.Sprint(round+1), 40), blob(strings.Repeat("long\n", 300_000)))
		if round == 0 {
			_ = own.Pipe(strings.Join(names[:44], "\n")+"\n", "pack-objects", "-q", filepath.Join(own.Dir, ".git", "objects", "pack", "pack"))
			own.Git("prune-packed")
		}
	}
	names = append(names[50:], names...) // read loose objects both before and after the packed ones
	r := openAt(t, own)
	last, sizes := -1, map[object.ID]int64{}
	err := r.Objects.Each(t.Context(), names, store.Wanted{}, func(i int, o object.Object) error {
		if i <= last || string(o.ID) != names[i] || o.Type != own.Git("cat-file", "-t", names[i]) {
			t.Errorf("%d (%s) after %d: %s %s", i, names[i], last, o.Type, o.ID)
		}
		if h := object.NewHasher(false); h.ID(o.Type, o.Data) != o.ID {
			t.Errorf("the bytes of %s are others", o.ID)
		}
		last, sizes[o.ID] = i, int64(len(o.Data))
		return nil
	})
	if !errors.Is(err, object.ErrMissing) || len(sizes) != 88 {
		t.Errorf("%d objects, %v", len(sizes), err)
	}
	ids := make([]object.ID, len(names))
	for i := range names {
		ids[i] = object.ID(names[i])
	}
	told := 0
	gittest.NoError(t, "Sizes", r.Objects.Sizes(t.Context(), ids, func(id object.ID, n int64) {
		told++
		if n != sizes[id] {
			t.Errorf("%s has %d bytes, not %d", id, sizes[id], n)
		}
	}))
	gittest.Equal(t, "sizes", told, len(names)-3)
}

func TestEach_withoutGit(t *testing.T) {
	t.Parallel()
	own := gittest.New(t)
	names := []string{own.Git("rev-parse", "HEAD"), own.Git("rev-parse", "HEAD:README")}
	r := openAt(t, own.Fronted("exit 1"))
	n := 0
	gittest.NoError(t, "Each", r.Objects.Each(t.Context(), names, store.Wanted{}, func(int, object.Object) error { n++; return nil }))
	gittest.NoError(t, "Sizes", r.Objects.Sizes(t.Context(), []object.ID{object.ID(names[1])}, func(_ object.ID, size int64) { n += int(size) }))
	gittest.Equal(t, "objects and bytes", n, 2+len("first\n"))
	if _, err := r.Objects.Object(t.Context(), strings.Repeat("1", 40)); err == nil || errors.Is(err, object.ErrMissing) {
		t.Errorf("an object that only git can know to be missing: %v", err)
	}
}

// TestObject_replaced checks that a replaced object is read as git reads it, even if the original is in a file of its own.
func TestObject_replaced(t *testing.T) {
	t.Parallel()
	own := gittest.New(t)
	blob := own.Git("rev-parse", "HEAD:README")
	own.Git("replace", blob, own.Pipe("the other\n", "hash-object", "-w", "--stdin")[:40])
	for range 2 {
		r := openAt(t, own)
		data, err := r.Objects.Blob(t.Context(), object.ID(blob))
		gittest.NoError(t, "Blob", err)
		gittest.Equal(t, "the replacement", string(data), "the other\n")
		own.Git("pack-refs", "--all")
	}
}

// TestObject_notTheObject puts wrong bytes into an object's file. None of them may be taken for the object.
func TestObject_notTheObject(t *testing.T) {
	t.Parallel()
	deflated := func(text string) []byte {
		var out bytes.Buffer
		z := zlib.NewWriter(&out)
		_, _ = z.Write([]byte(text))
		_ = z.Close()
		return out.Bytes()
	}
	own := gittest.New(t)
	blob := own.Git("rev-parse", "HEAD:README")
	path := filepath.Join(own.Dir, ".git", "objects", blob[:2], blob[2:])
	for name, bad := range map[string][]byte{
		"others": deflated("blob 6\x00other\n"), "more": deflated("blob 6\x00first\nblob"), "kind": deflated("blub 6\x00first\n"),
		"another kind": deflated("tree 6\x00first\n"), "size": deflated("blob x\x00first\n"), "no header": deflated(strings.Repeat("x", 99)),
		"huge": deflated("blob 99999999999999\x00first\n"), "negative": deflated("blob -6\x00first\n"), "nothing": nil,
	} {
		gittest.NoError(t, "remove", os.Remove(path))
		gittest.NoError(t, "write", os.WriteFile(path, bad, 0o444))
		r := openAt(t, own)
		if data, err := r.Objects.Blob(t.Context(), object.ID(blob)); err == nil {
			t.Errorf("%s: read as %q", name, data)
		}
		err := r.Objects.Each(t.Context(), []string{blob}, store.Wanted{}, func(_ int, o object.Object) error {
			t.Errorf("%s: Each reads %q", name, o.Data)
			return nil
		})
		if err == nil {
			t.Errorf("%s: Each reports no error", name)
		}
	}
}
