package manual

import (
	"slices"
	"strings"
	"testing"
)

func TestMdoc(t *testing.T) {
	for _, test := range []struct{ form, want string }{
		{"start PLAN", "Cm start Ar plan"},
		{"start --name NAME [--task TASK]...", "Cm start Fl -name Ar name Oo Fl -task Ar task Oc ..."},
		{"task run TASK -- COMMAND...", "Cm task Cm run Ar task Fl - Ar command ..."},
		{"hooks install|uninstall", "Cm hooks Cm install | uninstall"},
		{"status [RUN [TASK]]", "Cm status Oo Ar run Oo Ar task Oc Oc"},
	} {
		if got := mdoc(test.form); got != test.want {
			t.Errorf("%s: %q, want %q", test.form, got, test.want)
		}
	}
}

func TestUsage_longNamesPushTheirWordsDown(t *testing.T) {
	c := Command{Name: "x", Forms: []string{"x"}, Flags: []Flag{
		{Name: "auto", Also: []string{"auto-continue"}, Help: "go on"}, {Name: "yes", Also: []string{"y"}, Help: "do not ask"},
	}}
	want := "    --auto, --auto-continue\n                          go on\n    -y, --yes             do not ask\n"
	if got := c.Usage(); !strings.Contains(got, want) {
		t.Errorf("%q is not in\n%s", want, got)
	}
}

// "git resume -h" must fit on a screen of 24 lines. It must name each top-level command once. Of the flags, it must name once those that
// are listed below a heading, which is in their field Under, and no others. The -h of any other command must have at most 40 lines.
func TestUsage_fitsOnAScreen(t *testing.T) {
	for _, c := range Commands() {
		text, most := c.Usage(), 40
		if c.Name == "" {
			most = 24
		}
		if n := strings.Count(text, "\n"); n > most {
			t.Errorf("'git resume %s -h' has %d lines, at most %d fit", c.Name, n, most)
		}
		for line := range strings.Lines(text) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 80 {
				t.Errorf("git resume %s -h: %d columns: %s", c.Name, n, line)
			}
		}
	}
	root, _ := Lookup("")
	var named []string
	for line := range strings.Lines(root.Usage()) {
		before, list, isList := strings.Cut(strings.TrimSpace(line), ":")
		switch first := strings.Fields(before); {
		case isList && strings.TrimSpace(list) != "":
			named = append(named, strings.Split(strings.TrimSpace(list), ", ")...)
		case len(first) > 2 && first[0] == "git" && !strings.HasPrefix(first[2], "["):
			named = append(named, first[2])
		case strings.HasPrefix(before, "--"):
			named = append(named, strings.Split(before, ", ")...)
		}
	}
	for i, name := range named {
		named[i], _, _ = strings.Cut(strings.TrimRight(name, ","), " ")
	}
	for _, c := range root.subcommands() {
		if n := count(named, c.Name); n != 1 {
			t.Errorf("'git resume -h' names %s %d times", c.Name, n)
		}
	}
	for _, f := range root.Flags {
		if n, want := count(named, strings.Fields(f.firstNameOnly())[0]), map[bool]int{true: 1}[f.Under != ""]; n != want {
			t.Errorf("'git resume -h' lists --%s %d times, want %d", f.Name, n, want)
		}
	}
}

func count(words []string, word string) (n int) {
	for _, w := range words {
		if w == word {
			n++
		}
	}
	return n
}

// Each command must be described on its page, followed by its flags. Groups of commands and the command "version" are exceptions.
func TestPages_describeEveryCommand(t *testing.T) {
	for _, c := range Commands() {
		text, err := texts.ReadFile("pages/" + c.Page() + ".mdoc")
		if err != nil {
			t.Errorf("'git resume %s' has no page: %v", c.Name, err)
			continue
		}
		lines := strings.Split(string(text), "\n")
		head, flags := slices.Index(lines, "@command "+c.Name), slices.Index(lines, "@flags "+c.Name)
		if c.Name == "" {
			head, flags = slices.Index(lines, ".It Oo Ar run Oc"), slices.Index(lines, "@flags -")
		}
		switch {
		case c.Group, len(c.Flags) == 0 && c.Page() == "git-resume":
		case head < 0 || len(c.Flags) > 0 && flags < head || len(c.Flags) == 0 && flags >= 0:
			t.Errorf("%s.mdoc has 'git resume %s' in line %d and its flags in line %d", c.Page(), c.Name, head+1, flags+1)
		}
	}
}

// If the page of a command only points to another page, that page must name the command, so that apropos finds the command. Demo and
// version need not be named.
func TestPages_nameTheirCommands(t *testing.T) {
	for name, text := range Pages() {
		to, isLink := strings.CutPrefix(text, ".so man1/")
		if !isLink {
			continue
		}
		page := Pages()[strings.TrimSpace(to)]
		own := strings.TrimSuffix(name, ".1")
		if page == "" || own != "git-resume-demo" && own != "git-resume-version" && !strings.Contains(page, "\n.Nm "+own+" ,\n") && !strings.Contains(page, "\n.Nm "+own+"\n") {
			t.Errorf("%s leads to %s, which does not name it", name, to)
		}
	}
}
