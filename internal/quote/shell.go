package quote

import (
	"fmt"
	"slices"
	"strings"
)

// bare holds the characters that have no special meaning in any shell.
const bare = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,:@%="

// Exact quotes a word so that a POSIX shell reads back the same bytes, whatever they are. It is for commands that are
// stored and executed; Word is for commands that people see.
func Exact(word string) string {
	if isBare(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func isBare(word string) bool {
	return word != "" && strings.Trim(word, bare) == "" && word[0] != '=' // zsh reads =x as the path of the program x
}

// Word quotes a word for a command that is shown: sh, bash, zsh and fish read back the same bytes, and every byte is visible.
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
	return quoted + "'" + ends + "'" // $(...) would remove them
}

// Name shows a name in a sentence: unchanged if it is plain, otherwise quoted as for a shell, on one line. Hidden characters
// are shown as numbers, which a shell does not turn back into the characters.
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

// takesValue lists the options, in the commands that we print, whose value is the next word.
var takesValue = []string{"--run", "--from", "--choose", "--answer", "--spec", "--project-dir", "--resume", "-C", "-c", "-m"}

// Command writes a command that can be pasted into a shell. The words of the format are ours; each %s in it is a foreign value,
// which becomes exactly one word, and never an option or the name of a command: a value that begins with a dash is joined
// to its option or comes after "--", and so does a run that has the name of a command.
func Command(format string, values ...any) string {
	var before, after []string // the words before the first one that needs "--", and that word with all after it
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

// Words writes the words of a command line as one would have to type them. Unlike Command, it does not change their order.
func Words(words []string) string {
	typed := make([]string, len(words))
	for i, w := range words {
		typed[i] = Word(w)
	}
	return strings.Join(typed, " ")
}

// Between puts a command into a sentence, between quotes. A command with characters that a shell interprets gets brackets
// instead: if somebody copied the outer quotes too, they would cancel the inner quotes, and the shell would run the quoted text.
func Between(mark, command string) string {
	if strings.Trim(command, bare+" ") == "" {
		return mark + command + mark
	}
	return "[" + command + "]"
}

// word quotes a value; words of the format itself stay as they are.
func word(field, text string) string {
	if field == text {
		return text
	}
	return Word(text)
}
