package sources

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestHolds_acrossPieces(t *testing.T) {
	t.Parallel()
	const name = ".long-run"
	path := filepath.Join(t.TempDir(), "index")
	for _, before := range []int{0, 1, piece - len(name) - 1, piece - len(name), piece - len(name) + 1, piece - 1, piece, piece + 1,
		2*piece - 2*len(name), 2*piece - len(name), 2*piece - 1, 2 * piece, 5*piece + 7} {
		for text, want := range map[string]bool{
			strings.Repeat("x", before) + name + "/": true, strings.Repeat("x", before) + name: true,
			strings.Repeat("x", before) + name[:len(name)-1]: false, strings.Repeat("x", before) + name[1:] + "/": false,
		} {
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			if got := holds(path, name); got != want {
				t.Errorf("behind %d bytes, in %d: %v", before, len(text), got)
			}
		}
	}
	if holds(filepath.Join(t.TempDir(), "none"), name) {
		t.Error("a file that is not there holds the name")
	}
}
