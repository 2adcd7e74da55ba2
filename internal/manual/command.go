package manual

import (
	"fmt"
	"strings"
)

// Flag is one option of a command.
type Flag struct {
	// Name is the first name, without dashes. A name of one letter takes one dash.
	Name string
	// Also are further names.
	Also []string
	// Value is what the value is called; empty for a flag that takes none.
	Value string
	// Optional: the value may be missing, and is joined by "=".
	Optional bool
	// Many: the flag may be given several times.
	Many bool
	// Help is for -h and completions: a few words.
	Help string
	// More is for the manual, as mdoc; where it is empty, Help is said there too.
	More string
}

// Names are all names, the first one first.
func (f Flag) Names() []string { return append([]string{f.Name}, f.Also...) }

// Dashed is a flag's name as it is typed.
func Dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// Command is one command, or git resume itself.
type Command struct {
	// Name is "status", "task done", or empty for git resume itself.
	Name string
	// Forms are the ways to call it, behind "git resume".
	Forms []string
	// Summary says in a few words what it does.
	Summary string
	// Group: only commands below it do something.
	Group bool
	Flags []Flag
}

// Lookup finds a command by its name.
func Lookup(name string) (Command, bool) {
	for _, c := range Commands {
		if c.Name == name {
			return c, true
		}
	}
	return Command{}, false
}

// helpColumn is where the words about a flag begin, as in git's own answers to -h.
const helpColumn = 26

// Usage is the answer to -h.
func (c Command) Usage() string {
	var b strings.Builder
	lead := "usage: "
	for _, form := range c.Forms {
		fmt.Fprintf(&b, "%sgit resume%s\n", lead, spaced(form))
		lead = "   or: "
	}
	b.WriteByte('\n')
	for _, f := range c.Flags {
		column(&b, f.typed(), f.Help)
	}
	if len(c.Flags) > 0 {
		b.WriteByte('\n')
	}
	if below := c.below(); len(below) > 0 {
		for _, d := range below {
			column(&b, strings.TrimPrefix(d.Name, c.Name+" "), d.Summary)
		}
		fmt.Fprintf(&b, "\n'git resume%s COMMAND -h' tells what one of them takes.\n", spaced(c.Name))
	}
	// git knows the page of a command that it has by the command's name, and any other page only by its own.
	// Each command has a page of its own name, even where that leads to the one of its like.
	page := "resume"
	if first, _, _ := strings.Cut(c.Name, " "); first != "" {
		page = "git-resume-" + first
	}
	fmt.Fprintf(&b, "'git help %s' tells all.\n", page)
	return b.String()
}

func spaced(form string) string {
	if form == "" {
		return ""
	}
	return " " + form
}

func column(b *strings.Builder, left, right string) {
	left = "    " + left
	if len(left) > helpColumn-2 {
		left += "\n"
		fmt.Fprintf(b, "%s%*s%s\n", left, helpColumn, "", right)
		return
	}
	fmt.Fprintf(b, "%-*s%s\n", helpColumn, left, right)
}

// typed is the flag as -h shows it: letters first, as git does.
func (f Flag) typed() string {
	var short, long []string
	for _, n := range f.Names() {
		if len(n) == 1 {
			short = append(short, Dashed(n))
		} else {
			long = append(long, Dashed(n))
		}
	}
	text := strings.Join(append(short, long...), ", ")
	switch {
	case f.Optional:
		return text + "[=" + f.Value + "]"
	case f.Value != "":
		return text + " " + strings.ToUpper(f.Value)
	}
	return text
}

// below are the commands of a group; for git resume itself, all that stand alone.
func (c Command) below() []Command {
	var out []Command
	for _, d := range Commands {
		switch {
		case d.Name == "":
		case c.Name == "" && !strings.Contains(d.Name, " "):
			out = append(out, d)
		case c.Name != "" && strings.HasPrefix(d.Name, c.Name+" "):
			out = append(out, d)
		}
	}
	return out
}
