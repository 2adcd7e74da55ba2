package gitstate

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/git-resume/git-resume/gitstate/object"
)

func TestReadUpTo(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if _, err := ReadUpTo(file, 4); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("none: %v", err)
	}
	if err := os.WriteFile(file, []byte("four"), 0o644); err != nil {
		t.Fatal(err)
	}
	if text, err := ReadUpTo(file, 4); string(text) != "four" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	var large *object.TooLargeError
	if text, err := ReadUpTo(file, 3); text != nil || !errors.As(err, &large) || large.Size != 4 {
		t.Errorf("too large: %q, %v", text, err)
	}
	if _, err := ReadUpTo(filepath.Dir(file), 1<<20); !errors.Is(err, errNoFile) {
		t.Errorf("a folder: %v", err)
	}
}
