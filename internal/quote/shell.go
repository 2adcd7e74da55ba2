package quote

import (
	"fmt"
	"slices"
	"strings"
)

// bare holds the characters that need no quotes in a shell, except a "=" at the start of a word.
const bare = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,:@%="

// Exact quotes a word so that a POSIX shell reads back the same bytes. Use Exact for commands that are stored and executed, and Word for
// commands that people see.
func Exact(word string) string {
	if isBare(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func isBare(word string) bool {
	return word != "" && strings.Trim(word, bare) == "" && word[0] != '=' // zsh reads =x as the path of the program x
}

// Word quotes a word for a command that is shown to people. sh, bash, zsh and fish read back the same bytes, and every byte except a
// newline at the end is visible. Some words contain hidden characters, or backslashes that fish reads differently. For these words, Word
// writes a call of printf with octal numbers.
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

// Name formats a name for use in a sentence. It quotes names with special characters, and shows invisible characters as escape sequences,
// such as \u200b. The result is only for reading, because a shell would not restore the invisible characters.
func Name(name string) string {
	shown, _ := Escape(name)
	return Exact(shown)
}

// octal writes text as a format with which printf prints exactly this text. Most special characters become octal numbers.
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

// takesValue lists the options of printed commands that expect a value as the next word.
var takesValue = []string{"--run", "--from", "--choose", "--answer", "--spec", "--project-dir", "--resume", "-C", "-c", "-m"}

// Command formats a command that users can paste into a shell. Each %s in format is replaced by one value, quoted as a single word. A
// value that starts with a dash, or could be a subcommand of git resume, is written so that it is not taken for an option or a
// subcommand.
func Command(format string, values ...any) string {
	var before, after []string // words before "--", and words after it
	option := ""               // the last option, if it still needs its value
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

// Between puts a command between quotation marks for use in a sentence. If the command contains special characters, such as quotes, it uses
// brackets instead. Otherwise a user who copies the outer marks too would break the quoting.
func Between(mark, command string) string {
	if strings.Trim(command, bare+" ") == "" {
		return mark + command + mark
	}
	return "[" + command + "]"
}

// word quotes a word of a command if a value was filled into it. A word without a value stays unchanged.
func word(field, text string) string {
	if field == text {
		return text
	}
	return Word(text)
}
