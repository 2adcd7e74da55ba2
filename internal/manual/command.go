package manual

import (
	"fmt"
	"strings"
)

// Flag is one option of a command.
type Flag struct {
	// Name is the first name, without dashes. A one-letter name is typed with one dash.
	Name string
	// The field Also lists the other names of the flag.
	Also []string
	// Value is the name of the flag's value in the help; empty for a flag without a value.
	Value string
	// Optional is true if the value may be left out. A value that is given must be joined with "=".
	Optional bool
	// Many is true if the flag can be repeated.
	Many bool
	// Under is the heading for this flag in "git resume -h". A flag without a heading is not listed there.
	Under string
	// Help describes the flag in a few words, for -h and completions.
	Help string
	// More is the flag's text in the manual, as mdoc. If it is empty, the manual uses Help.
	More string
}

// Names returns all names of the flag, beginning with Name.
func (f Flag) Names() []string { return append([]string{f.Name}, f.Also...) }

// Dashed returns a flag's name as the user types it, with one or two dashes.
func Dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// Command describes one command, or "git resume" without a command.
type Command struct {
	// Name is for example "status" or "task done"; it is empty for "git resume" without a command.
	Name string
	// Forms lists the ways to call the command, without the leading "git resume".
	Forms []string
	// Summary describes the command in a few words.
	Summary string
	// Group is true if this command only groups subcommands and does nothing itself.
	Group bool
	// Shelf is the heading for this command in "git resume -h"; empty for a command that is not listed there.
	Shelf string
	Flags []Flag
}

// These are the headings in "git resume -h".
const (
	EveryDay  = "Every day"
	Reporting = "Reporting"
	Looking   = "Looking"
	Elsewhere = "Other machines"
	SettingUp = "Setting up"

	InterruptedTask = "An interrupted task"
	WhereToContinue = "Where to continue"
	AskingLess      = "Asking less"
)

// Lookup finds a command by its name.
func Lookup(name string) (Command, bool) {
	for _, c := range Commands() {
		if c.Name == name {
			return c, true
		}
	}
	return Command{}, false
}

// helpColumn is the column where the description of a flag begins, as in git's own -h.
const helpColumn = 26

// Usage returns the text for -h.
func (c Command) Usage() string {
	if c.Name == "" {
		return c.overview()
	}
	var b strings.Builder
	c.forms(&b)
	b.WriteByte('\n')
	for _, f := range c.Flags {
		column(&b, f.forHelp(), f.Help)
	}
	if len(c.Flags) > 0 {
		b.WriteByte('\n')
	}
	if below := c.subcommands(); len(below) > 0 {
		for _, d := range below {
			column(&b, strings.TrimPrefix(d.Name, c.Name+" "), d.Summary)
		}
		fmt.Fprintf(&b, "\nSee 'git resume%s COMMAND -h' for the options of a command.\n", spaced(c.Name))
	}
	// git finds the page of a command only by its full name, such as "git help git-resume-start". So each top-level command has a page
	// with its own name, even if that page only points to another one.
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

// overview returns the text of "git resume -h". To fit on one screen, it describes everyday commands in a few words, and only names the
// other commands and some flags.
func (c Command) overview() string {
	var b strings.Builder
	c.forms(&b)
	fmt.Fprintf(&b, "\n%s:\n", EveryDay)
	column(&b, "git resume [RUN]", c.Summary)
	for _, d := range c.subcommands() {
		if d.Shelf == EveryDay {
			column(&b, "git resume "+d.Name, d.Summary)
		}
	}
	b.WriteByte('\n')
	for _, shelf := range []string{Reporting, Looking, Elsewhere, SettingUp} {
		var names []string
		for _, d := range c.subcommands() {
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
				names = append(names, f.firstNameOnly())
			}
		}
		line(&b, heading, names)
	}
	b.WriteString("See 'git resume COMMAND -h' for one command, 'git help resume' for the manual.\n")
	return b.String()
}

// line writes a heading and a list of names after it, wrapped at 80 columns.
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

func (f Flag) firstNameOnly() string {
	f.Also = nil
	return f.forHelp()
}

// forHelp formats the flag as -h shows it. As in git, one-letter names come first.
func (f Flag) forHelp() string {
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

// subcommands returns the subcommands of a group. For "git resume" itself it returns all top-level commands.
func (c Command) subcommands() []Command {
	var out []Command
	for _, d := range Commands() {
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
