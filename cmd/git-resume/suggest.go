package main

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/manual"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/quote"
)

// sameAs maps words that people know from other tools to our own arguments. If a run has such a name, the run is meant.
var sameAs = map[string][]string{"continue": {}, "list": {"status"}, "ls": {"status"}}

// givesUp maps words for giving up, such as abort, to the command that comes closest. The word alone never discards anything.
var givesUp = map[string]string{
	"abort": "--discard", "cancel": "--discard", "quit": "pause", "stop": "pause",
	"remove": "--discard", "delete": "--discard", "drop": "--discard", "kill": "pause",
}

// commandWords maps words that are not commands to the commands that do what they say.
var commandWords = map[string]string{
	"redo": "undo --redo", "revert": "undo", "info": "status", "show": "status", "init": "hooks install", "install": "hooks install",
	"clean": "discard --merged", "purge": "doctor --purge", "uninstall": "doctor --purge",
}

// optionWords are the options that people most often type without dashes.
var optionWords = []string{"skip", "retry", "restart", "keep", "update"}

// rewritten is an error that says: run the program again with args instead. If the second run returns a rewritten error too, there is no
// third run, and the program shows the field err of that error. For example, "git resume continue list" is run again as "git resume list",
// and the user then sees that there is no run "list".
type rewritten struct {
	args []string
	err  error
}

func (r rewritten) Error() string { return r.err.Error() }
func (r rewritten) Unwrap() error { return r.err }

// meant guesses what the user wanted if the words are neither a run nor a command. If it has no guess, it returns err, which is the
// original error.
func meant(app *cli.App, args, words []string, err error) error {
	var none *candidate.NoneError
	if len(words) == 0 || len(words) == 1 && (!errors.As(err, &none) || none.Given != words[0]) {
		return err
	}
	if instead := cmp.Or(goneCommand(words[0]), taskApart(args, words)); instead != nil {
		return instead
	}
	word, rest := words[0], words[1:]
	if instead, ok := sameAs[word]; ok && !slices.Contains(args, "--") {
		at := slices.Index(args, word)
		return rewritten{slices.Replace(slices.Clone(args), at, at+1, instead...), err}
	}
	if instead := givesUp[word]; instead != "" {
		return givingUp(word, lineOf(instead, rest))
	}
	own := "--" + word
	if instead := commandWords[word]; instead != "" {
		own = instead
	} else if root, _ := manual.Lookup(""); !slices.ContainsFunc(root.Flags, func(f manual.Flag) bool { return f.Name == word }) {
		near := plan.Nearest(word, slices.Concat(namesOf(app.Commands), slices.Sorted(maps.Keys(sameAs)), slices.Sorted(maps.Keys(givesUp)), slices.Sorted(maps.Keys(commandWords)), optionWords))
		if near == "" {
			return err
		}
		if instead := givesUp[near]; instead != "" {
			return givingUp(word, lineOf(instead, rest))
		}
		own = ownWords(near)
	}
	line := lineOf(own, rest)
	if cmd := named(app.Commands, own); cmd != nil && !slices.Contains(args, "--") && slices.Equal(corrected(cmd.Flags, args), args) {
		// The command has all options that the user gave. Keep them: without -n, for example, it would change something.
		at := slices.Index(args, word)
		line = typed(args[:at], []string{own}, args[at+1:])
	}
	if len(rest) > 0 { // nobody has looked for a run with this name
		return exit.Meantf(line, "'%s' is not a command", quote.Printable(word))
	}
	return exit.Meantf(line, "'%s' is neither a command nor a run", quote.Printable(word))
}

// ownWords returns the arguments that the user probably meant by a word. The name of a command is returned unchanged.
func ownWords(word string) string {
	if instead, ok := sameAs[word]; ok {
		return strings.Join(instead, " ")
	}
	if instead := commandWords[word]; instead != "" {
		return instead
	}
	if slices.Contains(optionWords, word) {
		return "--" + word
	}
	return word
}

// taskApart returns an error if the last of the words follows an option about a task, as in "git resume --skip t5": then it is probably not
// a run but the task. It returns nil otherwise.
func taskApart(args, words []string) error {
	task := words[len(words)-1]
	at := slices.Index(args, task) - 1
	if len(words) > 2 || at < 0 || slices.Contains(args, "--") {
		return nil
	}
	again := slices.Delete(slices.Clone(args), at+1, at+2)
	switch name := flagName(args[at]); args[at] {
	case "--" + resume.FlagSkip, "--" + resume.FlagMarkDone:
		again[at] += "=" + task
		return exit.Meantf(typed(again), "'%s' is not a run; to name a task, write '--%s=TASK'", quote.Printable(task), name)
	case "--retry", "--keep":
		return exit.Meantf(typed(again), "'%s' is not a run, and '--%s' takes no value", quote.Printable(task), name)
	}
	return nil
}

func namesOf(commands []*cli.Command) []string {
	var out []string
	for _, c := range commands {
		if !c.Hidden {
			out = append(out, c.Name)
		}
	}
	return out
}

// lineOf returns a command line that can be pasted into a shell. It starts with "git resume" and ends with the user's words.
func lineOf(own string, words []string) string {
	values := make([]any, 0, len(words))
	for _, w := range words {
		values = append(values, w)
	}
	return quote.Command(strings.TrimSpace("git resume "+own)+strings.Repeat(" %s", len(words)), values...)
}

// typed returns a command line that can be pasted into a shell: "git resume" with the words that the user typed or meant, in this order.
func typed(words ...[]string) string {
	return quote.Words(append([]string{"git", "resume"}, slices.Concat(words...)...))
}

// withRun returns the command line with the name of a run in it, and the position of this name. The name replaces the ambiguous name that
// the user gave. If the user gave none, it is added where the command expects a run.
func withRun(args []string, given, run string) (again []string, at int) {
	again = slices.Clone(args)
	if at := slices.Index(again, given); at >= 0 && given != "" {
		again[at] = run
		return again, at
	}
	var command manual.Command
	behind := 0
	for i, a := range args {
		if next, ok := manual.Lookup(strings.TrimSpace(command.Name + " " + a)); ok && !isFlag(a) {
			command, behind = next, i+1
		}
	}
	if command.Name != "" && !slices.ContainsFunc(command.Forms, func(form string) bool { return strings.Contains(form, "RUN") }) {
		return slices.Insert(again, behind, "--run="+run), behind
	}
	return append(again, run), len(again)
}

// withNew returns the command line with the option --new in it.
func withNew(args []string) []string {
	at := slices.Index(args, "--") // what follows "--" is a command of the user's
	if at < 0 {
		at = len(args)
	}
	return slices.Insert(slices.Clone(args), at, "--new")
}

// givingUp returns the error for a word such as "abort", which is not a command. The error suggests the given command line.
func givingUp(word, line string) error {
	return exit.Meantf(line,
		"'%s' is not a command or option, and nothing was changed; 'pause' pauses a run, and '--discard' discards it (can be undone)", quote.Printable(word))
}

// unknownOption returns the error for an unknown option. It suggests a similar option, or another command that has the option.
func unknownOption(app *cli.App, path []string, flags []cli.Flag, args []string, given string) error {
	name := flagName(given)
	if instead := goneOption(strings.Join(path, " "), args, name); instead != nil {
		return instead
	}
	if instead := givesUp[name]; len(path) == 0 && instead != "" {
		others := slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a == given }) // without a run's name, the command could act on another run
		return givingUp(given, typed([]string{instead}, others))
	}
	if at := firstWord(flags, args); len(path) == 0 && at >= 0 {
		if instead := sameAs[args[at]]; len(instead) > 0 {
			return rewritten{slices.Replace(slices.Clone(args), at, at+1, instead...), exit.Usagef("unknown option '%s'", quote.Printable(given))}
		}
		if instead := misspelt(app, args, at, given); instead != nil {
			return instead
		}
	}
	if again := corrected(flags, args); again != nil {
		return exit.Meantf(typed(path, again), "unknown option '%s'", quote.Printable(given))
	}
	for _, c := range app.Commands {
		if len(path) > 0 || c.Hidden || findFlag(c.Flags, given) == nil {
			continue
		}
		if again := corrected(c.Flags, args); again != nil {
			line := typed([]string{c.Name}, again)
			return exit.Meantf(line, "option '%s' belongs to %s", quote.Printable(given), quote.Between("'", lineOf(c.Name, nil)))
		}
	}
	return exit.Usagef("unknown option '%s'", quote.Printable(given))
}

// firstWord returns the position of the first word that is neither an option nor the value of one, or -1.
func firstWord(flags []cli.Flag, args []string) int {
	for i := 0; i < len(args) && args[i] != "--"; i++ {
		if !isFlag(args[i]) {
			return i
		}
		if takesValue(flags, args[i]) {
			i++
		}
	}
	return -1
}

// misspelt returns an error if the first word, at this position, is nearly the name of a command. Then an unknown option is probably one of
// that command. It returns nil otherwise.
func misspelt(app *cli.App, args []string, at int, given string) error {
	cmd := named(app.Commands, plan.Nearest(args[at], namesOf(app.Commands)))
	if cmd == nil {
		return nil
	}
	again := corrected(cmd.Flags, args)
	if again == nil {
		return nil
	}
	again[at] = cmd.Name
	return exit.Meantf(typed(again), "'%s' is not a command, and '%s' is not an option", quote.Printable(args[at]), quote.Printable(given))
}

// corrected returns the arguments with the most similar known option in the place of each unknown one. It keeps all other words, because
// without the name of a run the suggested command could act on another run. It returns nil if an option is not similar to any.
func corrected(flags []cli.Flag, args []string) []string {
	again := slices.Clone(args)
	for i := 0; i < len(again) && again[i] != "--"; i++ {
		if a := again[i]; isFlag(a) && !joined(flags, a) && findFlag(flags, a) == nil {
			near := nearestOption(flagName(a), flagNames(flags))
			if near == "" {
				return nil
			}
			again[i] = manual.Dashed(near)
			if _, value, has := strings.Cut(a, "="); has && !isSwitch(findFlag(flags, again[i])) {
				again[i] += "=" + value
			}
		}
		if takesValue(flags, again[i]) {
			i++
		}
	}
	return again
}

func flagNames(flags []cli.Flag) []string {
	var out []string
	for _, f := range flags {
		out = append(out, f.Names()...)
	}
	return out
}

// nearestOption returns the option that the name abbreviates, or otherwise the most similar option, or "". "--no" does not abbreviate
// "--no-verify": the user wants to say no, and not to leave out a check.
func nearestOption(name string, known []string) string {
	if name == "no" {
		return ""
	}
	begun := slices.DeleteFunc(slices.Clone(known), func(k string) bool { return len(name) < 2 || !strings.HasPrefix(k, name) })
	if len(begun) == 1 {
		return begun[0]
	}
	if len(name) < 3 {
		return ""
	}
	return plan.Nearest(name, known)
}

// unknownBelow returns the error for an unknown subcommand, such as "git resume task foo".
func unknownBelow(group string, names, args []string) error {
	meant := ""
	if near := plan.Nearest(args[0], names); near != "" {
		meant = typed([]string{group, near}, args[1:])
	}
	return exit.Meantf(meant, "%s has no command '%s'", quote.Between("'", lineOf(group, nil)), quote.Printable(args[0]))
}
