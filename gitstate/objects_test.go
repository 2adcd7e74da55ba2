package gitstate

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/gittest"
)

// TestObject_afterDamage checks that a damaged object is not reported as missing, and that other objects can still be read.
func TestObject_afterDamage(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]func([]byte) []byte{
		"no object at all": func([]byte) []byte { return []byte("damaged") },
		"a damaged end":    func(old []byte) []byte { return append(old[:len(old)-6:len(old)-6], "xxxxxx"...) },
		"an empty file":    func([]byte) []byte { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			own := gittest.New(t)
			bad := own.Git("rev-parse", "HEAD")
			path := filepath.Join(own.Dir, ".git", "objects", bad[:2], bad[2:])
			old, err := os.ReadFile(path)
			gittest.NoError(t, "read", err)
			gittest.NoError(t, "remove", os.Remove(path))
			gittest.NoError(t, "write", os.WriteFile(path, text(old), 0o644))
			good := own.Pipe("good\n", "hash-object", "-w", "--stdin")[:40]
			r := openAt(t, own)
			for range 2 {
				if _, err := r.Objects.Commit(t.Context(), bad); err == nil || errors.Is(err, object.ErrMissing) {
					t.Errorf("a damaged object: %v", err)
				}
				data, err := r.Objects.Blob(t.Context(), object.ID(good))
				gittest.NoError(t, "an object behind it", err)
				gittest.Equal(t, "its bytes", string(data), "good\n")
			}
			if _, err := r.Objects.Object(t.Context(), strings.Repeat("1", 40)); !errors.Is(err, object.ErrMissing) {
				t.Errorf("a missing object: %v", err)
			}
		})
	}
}

func TestObject_names(t *testing.T) {
	t.Parallel()
	own := gittest.New(t)
	r := openAt(t, own)
	zero := strings.Repeat("0", 40)
	for _, name := range []string{"", "a\nb", "a\x00b", zero, zero + " missing", "none", "HEAD:none", "--help", "HEAD extra words here", strings.Repeat("x", 9000)} {
		if o, err := r.Objects.Object(t.Context(), name); err == nil {
			t.Errorf("object %q: %+v", name, o)
		}
	}
	if _, err := r.Objects.Blob(t.Context(), object.ID(own.Git("rev-parse", "HEAD"))); err == nil || errors.Is(err, object.ErrMissing) {
		t.Errorf("a commit read as a blob: %v", err)
	}
	o, err := r.Objects.Object(t.Context(), "HEAD:README")
	gittest.NoError(t, "Object", err)
	gittest.Equal(t, "bytes", string(o.Data), "first\n")
}

// TestObject_oldGit reads and writes objects with a git that does not know --batch-command.
func TestObject_oldGit(t *testing.T) {
	t.Parallel()
	own := gittest.Git{}.Fresh(t, "repo").WithoutBatchCommand()
	r := openAt(t, own)
	assertObjects(t, own, r)
	assertWrites(t, own, r, "plain")
}
