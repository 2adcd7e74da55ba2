package main

import (
	"io"
	"slices"
	"strings"
	"testing"
)

func TestReorder_putsFlagsWhereTheLibrarySeesThem(t *testing.T) {
	for _, c := range []struct{ given, want string }{
		{"status", "status"},
		{"status job --json", "status --json -- job"},
		{"--json status job", "status --json -- job"},
		{"task done a --run x -m y", "task done --run x -m y -- a"},
		{"-m y task done a", "task done -m y -- a"},
		{"task -m y done a", "task done -m y -- a"},
		{"task done -my a", "task done -m y -- a"},
		{"task done --message=y a b", "task done --message=y -- a b"},
		{"task done a -- -m y", "task done -- a -m y"},
		{"--exit-code status", "status --exit-code"},
		{"task fail a --exit-code 3", "task fail --exit-code 3 -- a"},
		{"--exit-code 3 task fail a", "task fail --exit-code 3 -- a"},
		{"--run x", "--run x"},
		{"--run x task done a", "task done --run x -- a"},
		{"job", "-- job"},
		{"-- status", "--run status"},
		{"status -", "status -- -"},
		{"--porcelain status job", "status --porcelain -- job"},
		{"run -- make -j2 --json", "run -- make -j2 --json"},
	} {
		got, err := reorder((&program{}).app(), strings.Fields(c.given))
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s: got %q, %v; want %q", c.given, strings.Join(got, " "), err, c.want)
		}
	}
}

func TestReorder_refusesWhatTheLibraryWouldPassOver(t *testing.T) {
	for _, given := range []string{
		"--nothing", "status -x", "task done a -m", "task doen", "status --jsn", "start -name x", "task done a -x=1", "-m y status",
	} {
		if got, err := reorder((&program{}).app(), strings.Fields(given)); err == nil {
			t.Errorf("%s: accepted as %q", given, got)
		}
	}
}

// FuzzReorder: no line makes it panic, and no word is lost or invented.
func FuzzReorder(f *testing.F) {
	for _, line := range []string{"status\njob\n--json", "-m\ny\ntask\ndone\na", "--\nstatus", "task\n-mfoo\ndone\na\n--\n-x", "--run\n", "-\n--\n--"} {
		f.Add(line)
	}
	app := (&program{out: io.Discard, err: io.Discard}).app()
	f.Fuzz(func(t *testing.T, line string) {
		given := strings.Split(line, "\n")
		got, err := reorder(app, slices.Clone(given))
		if err != nil {
			return
		}
		if a, b := letters(given), letters(got); a != b {
			t.Errorf("%q became %q", given, got)
		}
	})
}

// letters are the letters of all words, sorted. The first "--" may move, and -mtext may come apart.
func letters(words []string) string {
	var all []rune
	for _, w := range words {
		if w != "--" && w != "--run" {
			all = append(all, []rune(w)...)
		}
	}
	slices.Sort(all)
	return string(all)
}
