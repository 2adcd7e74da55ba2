package sources

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/textdoc"
	"github.com/git-resume/git-resume/internal/textdoc/yamldoc"
)

func TestNaturalOrder(t *testing.T) {
	t.Parallel()
	want := []string{"001", "2", "03-06", "9", "10", "42-01", "42-01-FIX6", "42-01-FIX10", "110-01", "110.1-01"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, NaturalOrder)
	if !slices.Equal(got, want) {
		t.Errorf("sorted %v, want %v", got, want)
	}
}

func TestMeaningOf(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]Meaning{
		"Done": MeansDone, "**✅ Complete**": MeansDone, "InProgress — item 2 concluído": MeansInProgress, "in-progress": MeansInProgress,
		"Ready for Review": MeansReview, "Rascunho": MeansPending, "waiting for input": MeansWaiting, "Aborted (by user)": MeansClosed,
		"InProgress_By_Claude": MeansUnknown, "fast fertig": MeansUnknown, "": MeansUnknown, "Approved": MeansReady, "timeout; 3rd": MeansFailed,
	} {
		if got := MeaningOf(word); got != want {
			t.Errorf("%q means %q, want %q", word, got, want)
		}
	}
}

func TestFiles_staysInside(t *testing.T) {
	t.Parallel()
	top, out := t.TempDir(), t.TempDir()
	write := func(dir, name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(top, "a", "inside")
	write(top, "empty", "")
	write(out, "secret", "outside")
	for name, to := range map[string]string{"link": filepath.Join(out, "secret"), "up": "../../../etc/passwd", "fine": "a", "dir": out} {
		if err := os.Symlink(to, filepath.Join(top, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []Files{{Top: top}, Files{Top: top}.Listed()} {
		for _, name := range []string{"a", "fine"} {
			if data, err := f.Read(name); err != nil || string(data) != "inside" {
				t.Errorf("%s: %q, %v", name, data, err)
			}
		}
		var refused *RefusedError
		for _, name := range []string{"link", "up", "dir/secret", "../x", "/etc/passwd", "."} {
			if _, err := f.Read(name); !errors.As(err, &refused) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if data, err := f.Read("empty"); err != nil || len(data) != 0 {
			t.Errorf("an empty file: %q, %v", data, err)
		}
		if _, err := f.Read("none/at/all"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("an absent file: %v", err)
		}
		if _, err := f.List("dir"); !errors.As(err, &refused) {
			t.Errorf("a folder outside was listed: %v", err)
		}
	}
}

func TestParseTime(t *testing.T) {
	t.Parallel()
	for text, naive := range map[string]bool{
		"2026-01-15T10:00:00Z": false, "2026-01-15T10:00:00.123456": true, "2026-01-15 10:00": true, "2026-01-15": true, "2026-01-15T10:00:00+02:00": false,
		"2026-01-15 10:00 UTC": false, "2026-01-15 10:00 GMT": false, "2026-01-15 10:00 XYZT": true, "2026-01-15 10:00 GMT+2": false,
	} {
		if _, got, ok := ParseTime(text); !ok || got != naive {
			t.Errorf("%s: naive %v, ok %v", text, got, ok)
		}
	}
	for text, same := range map[string]string{
		"2026-01-15 10:00 XYZT": "2026-01-15 10:00", "2026-01-15 10:00 GMT+2": "2026-01-15T08:00:00Z", "2026-01-15 10:00 UTC": "2026-01-15T10:00:00Z",
	} {
		got, _, _ := ParseTime(text)
		if want, _, _ := ParseTime(same); !got.Equal(want) {
			t.Errorf("%s: %v, not %v", text, got, want)
		}
	}
	if _, _, ok := ParseTime("yesterday"); ok {
		t.Error("no time was read as one")
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b":null}]}`))
	f.Add([]byte("a: &x [1, *x]\n---\nb: 2\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, parse := range []func([]byte) (textdoc.Value, error){textdoc.ParseJSON, yamldoc.Parse} {
			if v, err := parse(data); err == nil {
				_ = v.Plain()
			}
		}
		lines := textdoc.Visible(textdoc.Text(data))
		_ = textdoc.Sections(lines)
		_ = textdoc.Tables(lines)
		_, _, _ = yamldoc.FrontMatter(textdoc.Text(data))
		_, _, _ = ParseTime(string(data))
		_ = MeaningOf(string(data))
	})
}

func TestFiles_listed(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	if err := os.MkdirAll(filepath.Join(top, ".state", "deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	f := Files{Top: top}.Listed()
	for path, want := range map[string]bool{".state": true, ".state/deep": true, ".state/none": false, "none": false, "none/deep": false, ".": true} {
		if got := f.Has(path); got != want {
			t.Errorf("%s is there: %v", path, got)
		}
	}
}

func TestCircle_givesTheWayAround(t *testing.T) {
	t.Parallel()
	for want, edges := range map[string]string{"": "ab ac bd cd", "aa": "aa", "bcdb": "ab bc cd db", "bcb": "xa ab ac bc cb"} {
		needs := func(k string) (out []string) {
			for _, e := range strings.Fields(edges) {
				if e[:1] == k {
					out = append(out, e[1:])
				}
			}
			return out
		}
		if got := strings.Join(Circle([]string{"x", "a", "b", "c", "d"}, needs), ""); got != want {
			t.Errorf("%s: %q, want %q", edges, got, want)
		}
	}
}
