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
	c := Command{Forms: []string{"x"}, Flags: []Flag{
		{Name: "auto", Also: []string{"auto-continue"}, Help: "go on"}, {Name: "yes", Also: []string{"y"}, Help: "do not ask"},
	}}
	want := "    --auto, --auto-continue\n                          go on\n    -y, --yes             do not ask\n"
	if got := c.Usage(); !strings.Contains(got, want) {
		t.Errorf("%q is not in\n%s", want, got)
	}
}

// Each command is described once, on its page, and its flags with it.
func TestPages_describeEveryCommand(t *testing.T) {
	for _, c := range Commands {
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
		case head < 0 || flags < head || len(c.Flags) == 0 && flags >= 0:
			t.Errorf("%s.mdoc has 'git resume %s' in line %d and its flags in line %d", c.Page(), c.Name, head+1, flags+1)
		}
	}
}

// A page names all commands that it describes, so that apropos finds them.
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
