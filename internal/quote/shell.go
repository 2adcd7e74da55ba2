package quote

import (
	"fmt"
	"slices"
	"strings"
)

// bare are the signs that mean nothing to any shell.
const bare = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,:@%="

// Exact quotes a word so that a POSIX shell reads back the same bytes, whatever they are. It is for commands that are
// stored and executed; Word is for those that people see.
func Exact(word string) string {
	if isBare(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func isBare(word string) bool {
	return word != "" && strings.Trim(word, bare) == "" && word[0] != '=' // zsh takes =x for the place of a program
}

// Word quotes a word for a command that is shown: sh, bash, zsh and fish read back the same bytes, and each of them can
// be seen. What cannot be typed, or is read differently by fish, is written by its numbers, which printf turns back.
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
	return quoted + "'" + ends + "'" // $(...) would lose them
}

// Name shows a name in a sentence: as it is where it is plain, else as a shell would quote it, on one line and with what
// hides in it by its numbers, which a shell does not turn back.
func Name(name string) string {
	shown, _ := Escape(name)
	return Exact(shown)
}

// octal writes text as a format for printf that has no sign with a meaning in it.
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

// takesValue are the options whose value is the next word in the commands that we print.
var takesValue = []string{"--run", "--from", "--choose", "--answer", "--spec", "--project-dir", "--resume", "-C", "-c", "-m"}

// Command writes a command that can be pasted into a shell. The words of the format are ours; each %s in it is a value
// from elsewhere, which becomes exactly one word, and never an option or the name of a command: one that begins with a
// dash is joined to the option that it belongs to, or stands behind "--", as does a run that is called like a command.
func Command(format string, values ...any) string {
	var before, after []string // the words up to the first that needs "--" in front, and those from there on
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

// Words writes the words of a command line as they would have to be typed. Unlike Command it changes nothing about their order.
func Words(words []string) string {
	typed := make([]string, len(words))
	for i, w := range words {
		typed[i] = Word(w)
	}
	return strings.Join(typed, " ")
}

// Between names a command in a sentence, between quotes. One that has signs with a meaning for a shell stands in brackets
// instead: who copies the quotes around it too would turn those inside it off, and run what they hold.
func Between(mark, command string) string {
	if strings.Trim(command, bare+" ") == "" {
		return mark + command + mark
	}
	return "[" + command + "]"
}

// word quotes a value; what stands in the format itself is meant as it is.
func word(field, text string) string {
	if field == text {
		return text
	}
	return Word(text)
}
