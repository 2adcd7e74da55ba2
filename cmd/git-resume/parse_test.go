package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/urfave/cli/v2"
)

func TestExecute_givesEachCommandItsFlags(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ line, name, want string }{
		{"task done a -m one", "message", "one"},
		{"task done a -m one --message two", "message", "two"},
		{"task done a --message two -m one", "message", "one"},
		{"start plan.yaml -j 3", "jobs", "3"},
		{"start plan.yaml --jobs=0x10", "jobs", "16"},
		{"discard -y --yes x", "yes", "true"},
		{"--json status", "json", "true"},
		{"work x --for 90m", "for", "90m"},
	} {
		app := commands{&program{out: &answers{to: io.Discard}, err: io.Discard}}.app()
		var got string
		set := false
		replace(app.Commands, func(x *cli.Context) error {
			got, set = fmt.Sprint(x.Value(c.name)), x.IsSet(c.name)
			return nil
		})
		ordered, err := reorder(app, strings.Fields(c.line))
		if err == nil {
			err = execute(app, ordered)
		}
		if err != nil || got != c.want || !set {
			t.Errorf("%s: --%s is %q (given: %v), want %q; error %v", c.line, c.name, got, set, c.want, err)
		}
	}
}

func replace(commands []*cli.Command, action cli.ActionFunc) {
	for _, c := range commands {
		c.Action = action
		replace(c.Subcommands, action)
	}
}

// The program must not contain templates. A template calls methods by name, so the linker would keep exported methods that nothing calls.
func TestProgram_hasNoTemplates(t *testing.T) {
	t.Parallel()
	program, err := os.ReadFile(filepath.Join(gittest.Binary(t), "git-resume"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(program, []byte("reflect.Value.Int")) {
		t.Fatal("the names of functions are not in the program")
	}
	if bytes.Contains(program, []byte("text/template.(*Template).Execute")) {
		t.Error("package text/template is used, and makes the program 1.4 MB larger")
	}
}
