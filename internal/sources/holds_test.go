package sources

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMayHold_acrossPieces(t *testing.T) {
	t.Parallel()
	const name = ".long-run"
	path := filepath.Join(t.TempDir(), "index")
	for _, before := range []int{8, 9, piece - len(name) - 1, piece - len(name), piece - len(name) + 1, piece - 1, piece, piece + 1,
		2*piece - 2*len(name), 2*piece - len(name), 2*piece - 1, 2 * piece, 5*piece + 7} {
		front := whole[0] + strings.Repeat("x", before-len(whole[0]))
		for text, want := range map[string]bool{
			front + name + "/": true, front + name: true,
			front + name[:len(name)-1]: false, front + name[1:] + "/": false, front + split + "\x00\x00\x14": false,
		} {
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			if got := mayHold(path, name); got != want {
				t.Errorf("behind %d bytes, in %d: %v", before, len(text), got)
			}
		}
	}
	linked := []byte(whole[0] + strings.Repeat("x", piece-10) + split + "\x00\x00\x14")
	if err := os.WriteFile(path, linked, 0o644); err != nil {
		t.Fatal(err)
	}
	if mayHold(path, name) {
		t.Error("a path that ends with the name of an extension counts as that extension")
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), "sharedindex.1234"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if !mayHold(path, name) {
		t.Error("the paths of the other file count as absent")
	}
	for text, want := range map[string]bool{"DIRC\x00\x00\x00\x03x": false, "DIRC\x00\x00\x00\x04x": true, "DIRC": false} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := mayHold(path, name); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if mayHold(filepath.Join(t.TempDir(), "none"), name) {
		t.Error("a file that is not there holds the name")
	}
}
