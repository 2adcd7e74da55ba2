package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/manual"
)

// allSurfaces returns all commands that people can call.
func allSurfaces() []surface {
	commands, verbs, root := surfaces()
	return append(append([]surface{root}, commands...), verbs...)
}

func TestManual_describesWhatIsThere(t *testing.T) {
	var there, described []string
	for _, s := range allSurfaces() {
		there = append(there, s.path())
		c, ok := manual.Lookup(s.path())
		if !ok {
			continue
		}
		if got, want := flagLines(s.flags), manualLines(c.Flags); !slices.Equal(got, want) {
			t.Errorf("'git resume %s' takes\n%q\nand internal/manual describes\n%q", s.path(), got, want)
		}
	}
	for _, c := range manual.Commands() {
		described = append(described, c.Name)
		if c.Summary == "" || len(c.Forms) == 0 || c.Page() == "" {
			t.Errorf("nothing is said of 'git resume %s'", c.Name)
		}
	}
	slices.Sort(there)
	slices.Sort(described)
	if !slices.Equal(there, described) {
		t.Errorf("there are\n%q\nand internal/manual describes\n%q", there, described)
	}
}

// flagLines returns one line for each flag: its names, and whether a value follows.
func flagLines(flags []cli.Flag) []string {
	var out []string
	for _, f := range flags {
		d, _ := f.(cli.DocGenerationFlag)
		out = append(out, flagLine(f.Names(), d.TakesValue(), optionalValue[f.Names()[0]], isRepeated(f)))
	}
	slices.Sort(out)
	return out
}

func manualLines(flags []manual.Flag) []string {
	var out []string
	for _, f := range flags {
		out = append(out, flagLine(f.Names(), f.Value != "", f.Optional, f.Many))
	}
	slices.Sort(out)
	return out
}

func flagLine(names []string, value, optional, many bool) string {
	line := strings.Join(names, ",")
	for mark, on := range map[string]bool{" VALUE": value && !optional && !many, " [VALUE]": optional, " VALUE...": many} {
		if on {
			line += mark
		}
	}
	return line
}

func TestManual_formsAreCommandLines(t *testing.T) {
	for _, c := range manual.Commands() {
		for _, form := range c.Forms {
			if c.Name == "" && strings.HasPrefix(form, "COMMAND") {
				continue
			}
			form = strings.NewReplacer("add|start|done|fail|block|skip|reset", "start", "install|uninstall|status", "install",
				"[", "", "]", "", "...", "").Replace(form)
			if _, err := reorder(commands{&program{}}.app(), strings.Fields(form)); err != nil {
				t.Errorf("git resume %s: %v", form, err)
			}
		}
	}
}

func TestManual_pagesAreUpToDate(t *testing.T) {
	pages := manual.Pages()
	for name, text := range pages {
		path := filepath.Join("../../man", name)
		if *gittest.Update {
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if have, err := os.ReadFile(path); err != nil || string(have) != text {
			t.Errorf("%s is not up to date; run: go test ./cmd/git-resume -run Manual -update", name)
		}
	}
	files, err := os.ReadDir("../../man")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if pages[f.Name()] == "" {
			t.Errorf("man/%s is no page of the manual", f.Name())
		}
	}
}
