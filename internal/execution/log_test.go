package execution

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLog_keepsBeginningAndEnd(t *testing.T) {
	for _, total := range []int{0, 10, 5000, 100_000} {
		path := filepath.Join(t.TempDir(), "x", "a.log")
		l, err := OpenLog(path, 8<<10)
		if err != nil {
			t.Fatal(err)
		}
		var all bytes.Buffer
		for i := 0; all.Len() < total; i++ {
			line := fmt.Appendf(nil, "line %d\n", i)
			all.Write(line)
			if _, err := l.Write(line); err != nil {
				t.Fatal(err)
			}
		}
		skipped, err := l.Close()
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if total <= 8<<10 {
			if !bytes.Equal(text, all.Bytes()) || skipped != 0 {
				t.Errorf("%d bytes: kept %d, skipped %d", total, len(text), skipped)
			}
			continue
		}
		note := fmt.Sprintf("[%d bytes of output were not kept here]", skipped)
		if len(text) > 8<<10+100 || !strings.HasPrefix(all.String(), string(text[:4<<10])) ||
			!strings.HasSuffix(all.String(), string(text[len(text)-2<<10:])) || !strings.Contains(string(text), note) {
			t.Errorf("%d bytes: kept %d, skipped %d", total, len(text), skipped)
		}
		if left, _ := filepath.Glob(path + ".*"); len(left) > 0 {
			t.Errorf("parts are left: %v", left)
		}
	}
}

func TestRead_joinsTheLogOfAKilledWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.log")
	l, err := OpenLog(path, 8<<10)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3000 {
		fmt.Fprintf(l, "line %d\n", i)
	}
	text, err := Read(path, 1<<20) // the log was not closed, as after a kill
	if err != nil || !bytes.HasPrefix(text, []byte("line 0\n")) || !bytes.HasSuffix(text, []byte("line 2999\n")) {
		t.Errorf("%v, %d bytes", err, len(text))
	}
	if _, err := Read(path+"x", 1<<20); err == nil {
		t.Error("a log that is not there was read")
	}
}

func TestClose_keepsPartsThatCannotBeJoined(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	l, err := OpenLog(path, 4<<10)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Repeat("head ", 2048/5) + strings.Repeat("tail ", 1800/5)
	if _, err := l.Write([]byte(want)); err != nil {
		t.Fatal(err)
	}
	_ = l.head.Close()
	if l.head, err = os.Open(path); err != nil { // opened for reading, so that every write fails
		t.Fatal(err)
	}
	if _, err := l.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := Read(path, 1<<20)
	if err != nil || string(got) != want {
		t.Errorf("%d bytes are left of %d, %v", len(got), len(want), err)
	}
}

func TestMatches_asGlobPathspecs(t *testing.T) {
	for _, c := range []struct {
		pattern, path string
		want          bool
	}{
		{"db/schema.sql", "db/schema.sql", true},
		{"db/schema.sql", "x/db/schema.sql", false},
		{"db", "db/schema.sql", true},
		{"db/", "db/a/b", true},
		{"db/*", "db/a", true},
		{"*.go", "a.go", true},
		{"*.go", "x/a.go", false},
		{"**/*.go", "a.go", true},
		{"**/*.go", "x/y/a.go", true},
		{"db/**", "db/a/b", true},
		{"db/**", "db", false},
		{"a/**/z", "a/z", true},
		{"a/**/z", "a/b/c/z", true},
		{"a?c", "abc", true},
		{"[ab]", "c", false},
		{"**", "any/thing", true},
	} {
		if got := Matches([]string{c.pattern}, c.path); got != c.want {
			t.Errorf("%q names %q: %v", c.pattern, c.path, got)
		}
	}
}

func FuzzMatches(f *testing.F) {
	f.Add("a/**/z", "a/b/z")
	f.Add("[", "x")
	f.Fuzz(func(t *testing.T, pattern, path string) {
		Matches([]string{pattern}, path) // this must not panic
	})
}
