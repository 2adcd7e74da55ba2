package sources_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

func TestWritten_trustsNoCheckout(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Write("a", "1\n")
	r.Write("b", "1\n")
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "both")
	r.Write("b", "2\n")
	r.Write("c", "new\n")
	at, long := sourcetest.Now.Add(-time.Hour), sourcetest.Now.Add(-40*24*time.Hour)
	for name, when := range map[string]time.Time{"a": at, "b": at, "c": at, "README": long} {
		if err := os.Chtimes(filepath.Join(r.Dir, name), when, when); err != nil {
			t.Fatal(err)
		}
	}
	v, done := sourcetest.View(r)
	defer done()
	committed := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	for name, want := range map[string]struct {
		when time.Time
		from string
	}{"a": {committed, "commit"}, "b": {at, "file time"}, "c": {at, "file time"}, "none": {time.Time{}, "file time"},
		"README": {long, "file time"}, // the file is older than checkedOut, so the test expects its modification time
	} {
		when, from := v.Written(t.Context(), v.Trees[0], name)
		if !when.Equal(want.when) || from != want.from {
			t.Errorf("%s was written %s by its %s, want %v", name, when, from, want)
		}
	}
}
