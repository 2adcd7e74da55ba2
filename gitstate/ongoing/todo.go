package ongoing

import "strings"

// Command is one line of git's todo list for a rebase or for several picks or reverts.
type Command struct {
	// Name is the full word, even if the todo list contains only its first letter.
	Name string
	// Commit is the commit as written in the todo list, possibly abbreviated. It is empty if the command has none.
	Commit string
	// Arg is the rest of the line, such as the command of an exec or the name of a label.
	Arg string
	// Edit is true if the user wants to edit the message of the commit ("-c").
	Edit bool
	Line string
}

// commandWords are the short forms that git accepts in a todo list.
var commandWords = map[string]string{
	"p": "pick", "r": "reword", "e": "edit", "s": "squash", "f": "fixup", "x": "exec", "b": "break", "d": "drop",
	"l": "label", "t": "reset", "m": "merge", "u": "update-ref",
}

// Picks reports whether the command applies or reverts the changes of one existing commit.
func (c Command) Picks() bool {
	switch c.Name {
	case "pick", "reword", "edit", "squash", "fixup", "revert":
		return true
	}
	return false
}

// Melds reports whether the command adds to the previous commit.
func (c Command) Melds() bool { return c.Name == "squash" || c.Name == "fixup" }

// ParseCommands reads a todo list and skips empty lines and comments. A command always begins with a lower-case letter, so the user's
// comment character does not matter.
func ParseCommands(text string) []Command {
	var out []Command
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if c, ok := parseCommand(line); ok {
			out = append(out, c)
		}
	}
	return out
}

// hasComments reports whether a todo list has comments. git adds comments for the user who edits the list, and removes them afterwards.
func hasComments(text string) bool {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && (line[0] < 'a' || line[0] > 'z') {
			return true
		}
	}
	return false
}

func parseCommand(line string) (Command, bool) {
	word, rest, _ := strings.Cut(strings.TrimLeft(line, " \t"), " ")
	if word == "" || word[0] < 'a' || word[0] > 'z' {
		return Command{}, false
	}
	c := Command{Name: word, Line: line}
	if long, ok := commandWords[word]; ok {
		c.Name = long
	}
	rest = strings.TrimLeft(rest, " \t")
	switch c.Name {
	case "exec", "label", "reset", "update-ref":
		c.Arg = rest
		return c, true
	case "break", "noop":
		return c, true
	}
	// The rest can begin with an option, as in "fixup -C ID" and "merge -C ID LABEL". A plain "merge LABEL" has no commit.
	first, more, _ := strings.Cut(rest, " ")
	if first == "-C" || first == "-c" {
		c.Edit = first == "-c"
		first, more, _ = strings.Cut(strings.TrimLeft(more, " "), " ")
	} else if c.Name == "merge" {
		c.Arg = rest
		return c, true
	}
	c.Commit, c.Arg = first, more
	return c, true
}
