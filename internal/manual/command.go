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
	// Under is the heading under which the -h of git resume itself names the flag; without one it does not.
	Under string
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
	// Shelf is the heading under which the -h of git resume itself names the command.
	Shelf string
	Flags []Flag
}

// The headings of the -h of git resume itself.
const (
	EveryDay  = "Every day"
	Reporting = "Reporting"
	Looking   = "Looking"
	SettingUp = "Setting up"

	InterruptedTask = "An interrupted task"
	WhereToContinue = "Where to continue"
	AskingLess      = "Asking less"
)

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
	if c.Name == "" {
		return c.overview()
	}
	var b strings.Builder
	c.forms(&b)
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
		fmt.Fprintf(&b, "\nSee 'git resume%s COMMAND -h' for the options of one of them.\n", spaced(c.Name))
	}
	// git finds the manual page of a command of its own by the command's name, and any other page only by the page's name.
	// So every command has a page of its own name, even if that only leads to another one.
	first, _, _ := strings.Cut(c.Name, " ")
	fmt.Fprintf(&b, "See 'git help git-resume-%s' for the full manual.\n", first)
	return b.String()
}

func (c Command) forms(b *strings.Builder) {
	lead := "usage: "
	for _, form := range c.Forms {
		fmt.Fprintf(b, "%sgit resume%s\n", lead, spaced(form))
		lead = "   or: "
	}
}

// overview is the -h of git resume itself. It fits on one screen:
// the commands of every day with a few words each, everything else by its name.
func (c Command) overview() string {
	var b strings.Builder
	c.forms(&b)
	fmt.Fprintf(&b, "\n%s:\n", EveryDay)
	column(&b, "git resume [RUN]", c.Summary)
	for _, d := range c.below() {
		if d.Shelf == EveryDay {
			column(&b, "git resume "+d.Name, d.Summary)
		}
	}
	b.WriteByte('\n')
	for _, shelf := range []string{Reporting, Looking, SettingUp} {
		var names []string
		for _, d := range c.below() {
			if d.Shelf == shelf {
				names = append(names, d.Name)
			}
		}
		line(&b, shelf, names)
	}
	b.WriteByte('\n')
	for _, heading := range []string{InterruptedTask, WhereToContinue, AskingLess} {
		var names []string
		for _, f := range c.Flags {
			if f.Under == heading {
				names = append(names, f.once())
			}
		}
		line(&b, heading, names)
	}
	b.WriteString("\nSee 'git resume COMMAND -h' for one command, 'git help resume' for the manual.\n")
	return b.String()
}

// line is a heading with names behind it, broken at 80 columns.
func line(b *strings.Builder, heading string, names []string) {
	text := fmt.Sprintf("%-*s", helpColumn, heading+":")
	for i, name := range names {
		if i < len(names)-1 {
			name += ","
		}
		if len(text)+1+len(name) > 80 {
			b.WriteString(strings.TrimRight(text, " ") + "\n")
			text = strings.Repeat(" ", helpColumn)
		}
		if i > 0 && !strings.HasSuffix(text, "  ") {
			text += " "
		}
		text += name
	}
	b.WriteString(text + "\n")
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

// once is the flag by its first name alone.
func (f Flag) once() string {
	f.Also = nil
	return f.typed()
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
