package main

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
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
		{"--discard demo -y", "--discard -y --run demo"},
		{"-y --discard -- demo", "-y --discard --run demo"},
		{"--retry demo", "--retry --run demo"},
	} {
		got, err := reorder(commands{&program{}}.app(), strings.Fields(c.given))
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s: got %q, %v; want %q", c.given, strings.Join(got, " "), err, c.want)
		}
	}
}

func TestReorder_refusesWhatTheLibraryWouldPassOver(t *testing.T) {
	for _, given := range []string{
		"--nothing", "status -x", "task done a -m", "task doen", "status --jsn", "start -name x", "task done a -x=1", "-m y status",
	} {
		if got, err := reorder(commands{&program{}}.app(), strings.Fields(given)); err == nil {
			t.Errorf("%s: accepted as %q", given, got)
		}
	}
}

// FuzzReorder checks that no command line causes a panic, and that no character is lost or invented, apart from "--" and "--run".
func FuzzReorder(f *testing.F) {
	for _, line := range []string{"status\njob\n--json", "-m\ny\ntask\ndone\na", "--\nstatus", "task\n-mfoo\ndone\na\n--\n-x", "--run\n", "-\n--\n--"} {
		f.Add(line)
	}
	app := commands{&program{out: &answers{to: io.Discard}, err: io.Discard}}.app()
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

// letters returns the characters of all words, sorted, but leaves out the words "--" and "--run". It ignores how the characters are
// divided into words, because reorder may split -mtext.
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

func TestSliceFlags_takeTheirValueWhole(t *testing.T) {
	given := []string{"a, b", ",", "c,d,"}
	tried := 0
	for _, path := range sliceFlags(commands{&program{}}.app().Commands, nil) {
		tried++
		name := path[len(path)-1]
		app := commands{&program{out: &answers{to: io.Discard}, err: io.Discard}}.app()
		cmds, args := app.Commands, path[:len(path)-1]
		var cmd *cli.Command
		for _, word := range args {
			cmd = named(cmds, word)
			cmds = cmd.Subcommands
		}
		var got []string
		cmd.Action = func(c *cli.Context) error {
			got = allOf(c, name)
			return nil
		}
		line := slices.Clone(args)
		for _, v := range given {
			line = append(line, "--"+name, v)
		}
		ordered, err := reorder(app, line)
		if err == nil {
			err = execute(app, ordered)
		}
		if err != nil || !slices.Equal(got, given) {
			t.Errorf("%v: got %q, %v", path, got, err)
		}
	}
	if tried == 0 {
		t.Error("no flags were found")
	}
}

func isRepeated(f cli.Flag) bool {
	g, ok := f.(*cli.GenericFlag)
	if ok {
		_, ok = g.Value.(*repeated)
	}
	return ok
}

// sliceFlags returns the path of each repeatable flag: the command, its subcommand if any, and the flag's name.
func sliceFlags(commands []*cli.Command, above []string) (out [][]string) {
	for _, c := range commands {
		path := append(slices.Clone(above), c.Name)
		for _, f := range c.Flags {
			if isRepeated(f) {
				out = append(out, append(slices.Clone(path), f.Names()[0]))
			}
		}
		out = append(out, sliceFlags(c.Subcommands, path)...)
	}
	return out
}
