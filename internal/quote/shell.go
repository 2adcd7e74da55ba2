package quote

import (
	"fmt"
	"slices"
	"strings"
)

// bare holds the characters that have no special meaning in any shell.
const bare = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,:@%="

// Exact quotes a word so that a POSIX shell reads back the same bytes, whatever they are. Use Exact for commands that
// are stored and executed, and Word for commands that people see.
func Exact(word string) string {
	if isBare(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func isBare(word string) bool {
	return word != "" && strings.Trim(word, bare) == "" && word[0] != '=' // zsh reads =x as the path of the program x
}

// Word quotes a word for a command that is shown to people. sh, bash, zsh and fish read back the same bytes, and every byte is visible.
// Characters that cannot be typed, or that fish reads differently, are written as octal numbers for printf.
func Word(word string) string {
	text := strings.TrimRight(word, "\n")
	ends := word[len(text):]
	quoted := Exact(text)
	_, hidden := Escape(text)
	if hidden > 0 || strings.Contains(text, `\\`) || strings.Contains(text, `\'`) || strings.HasSuffix(text, `\`) {
		quoted = `"$(printf '` + octal(text) + `')"`
	}
	switch {
	case ends == "":
		return quoted
	case text == "":
		return "'" + ends + "'"
	}
	return quoted + "'" + ends + "'" // "$(printf ...)" removes newlines at the end, so they are added after it
}

// Name formats a name for use in a sentence. A plain name stays unchanged; any other name is quoted as for a shell, on
// one line. Hidden characters are shown as numbers, which a shell does not turn back into the characters.
func Name(name string) string {
	shown, _ := Escape(name)
	return Exact(shown)
}

// octal writes text as a printf format in which no character has a special meaning.
func octal(text string) string {
	var b strings.Builder
	for i, c := range []byte(text) {
		switch {
		case c == '%':
			b.WriteString("%%")
		case strings.IndexByte(bare, c) >= 0 && (c != '-' || i > 0):
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, `\%03o`, c)
		}
	}
	return b.String()
}

const letters = "abcdefghijklmnopqrstuvwxyz"

// takesValue lists the options of our printed commands that take the next word as their value.
var takesValue = []string{"--run", "--from", "--choose", "--answer", "--spec", "--project-dir", "--resume", "-C", "-c", "-m"}

// Command writes a command that can be pasted into a shell. The format is our own text; each %s in it stands for a foreign value. Each
// value becomes exactly one word and can never be read as an option or as a command's name: a value that begins with a dash is joined to
// its option or placed after "--". A run whose name is also a command's name is placed after "--" too.
func Command(format string, values ...any) string {
	var before, after []string // before: the words before the first one that needs "--"; after: that word and everything after it
	option := ""               // the option whose value comes next
	for _, field := range strings.Fields(format) {
		text := field
		if strings.Contains(field, "%s") {
			text, values = strings.Replace(field, "%s", fmt.Sprint(values[0]), 1), values[1:]
		}
		dash := field == "%s" && strings.HasPrefix(text, "-")
		disguise := field == "%s" && slices.Equal(before, []string{"git", "resume"}) && strings.Trim(text, letters) == ""
		switch {
		case dash && strings.HasPrefix(option, "--"):
			before[len(before)-1] = Word(option + "=" + text)
		case option != "", strings.HasPrefix(field, "-"), len(after) == 0 && !dash && !disguise:
			before = append(before, word(field, text))
		default:
			after = append(after, word(field, text))
		}
		option = ""
		if slices.Contains(takesValue, field) {
			option = field
		}
	}
	if len(after) > 0 {
		before = append(append(before, "--"), after...)
	}
	return strings.Join(before, " ")
}

// Words writes the words of a command line as a user would have to type them. Unlike Command, it does not change their order.
func Words(words []string) string {
	typed := make([]string, len(words))
	for i, w := range words {
		typed[i] = Word(w)
	}
	return strings.Join(typed, " ")
}

// Between puts a command into a sentence, between quotes. If the command contains characters that a shell interprets, it gets brackets
// instead of quotes. Copied outer quotes would cancel the inner quotes, and the shell would run the quoted text.
func Between(mark, command string) string {
	if strings.Trim(command, bare+" ") == "" {
		return mark + command + mark
	}
	return "[" + command + "]"
}

// word quotes a foreign value. Text that comes from the format itself stays unchanged.
func word(field, text string) string {
	if field == text {
		return text
	}
	return Word(text)
}
