package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

var update = flag.Bool("update", false, "write the commands and flags of today into the completions")

// words says of each flag what it does, and what its value is called.
var words = map[string][2]string{
	"add":               {"add a task that the run does not have"},
	"fix":               {"mend what can be mended"},
	"manager":           {"add our lines to the file of the tool that owns the hooks"},
	"local":             {"for this repository"},
	"global":            {"for all repositories of this user"},
	"all":               {"also closed runs"},
	"ask":               {"the question", "question"},
	"auto":              {"do not ask; go on where that is safe"},
	"base":              {"where the run goes back to", "branch"},
	"cause":             {"why it failed", "cause"},
	"check":             {"also say what changed underneath"},
	"commit":            {"commit the work so far"},
	"despite-conflicts": {"continue on the old base"},
	"discard":           {"drop a run, recoverably"},
	"dry-run":           {"only show what would be done"},
	"engine":            {"who merges: git or builtin", "engine"},
	"even-idle":         {"also take a run whose driver is silent"},
	"exit-code":         {"exit with 10 if something is interrupted"},
	"force":             {"drop it in spite of data and operations"},
	"choose":            {"do one of the alternatives, by its name", "text"},
	"answer":            {"the answer that '--choose answer' gives", "text"},
	"from":              {"go on at this task, and do what follows again", "task"},
	"here":              {"work in this worktree"},
	"json":              {"print JSON"},
	"keep":              {"run a cut-off task again on top of what it left"},
	"keep-going":        {"go on with other tasks when one failed"},
	"mark-done":         {"take what a cut-off task left as its result"},
	"mode":              {"interactive, auto or preflight", "mode"},
	"merged":            {"drop all that are finished and merged"},
	"message":           {"subject of the commit, or the reason", "text"},
	"name":              {"name of the run", "name"},
	"new":               {"begin beside open work of the same name"},
	"no-verify":         {"skip the hooks of commits"},
	"option":            {"an answer to choose from", "answer"},
	"owner":             {"the process that reports", "pid"},
	"patch":             {"show the changes themselves"},
	"plan":              {"adopt a changed plan file", "file"},
	"porcelain":         {"print lines for scripts", "version"},
	"preflight":         {"report before anything is done, and ask"},
	"print":             {"only print what to do next"},
	"prompt":            {"one short line for a shell prompt"},
	"raw":               {"print the lines as they are stored"},
	"restart":           {"begin again from the first task"},
	"retry":             {"run a cut-off task again from a clean tree"},
	"run":               {"the run", "run"},
	"skip":              {"leave the next task out"},
	"staging":           {"work in a worktree of its own"},
	"strip":             {"leave the trailers out of the base"},
	"take":              {"bring uncommitted work along"},
	"takeover":          {"go on although the last driver cannot be checked"},
	"task":              {"a task, as 'ID: TITLE'", "task"},
	"timeline":          {"show when each task was worked on"},
	"title":             {"title of a new task", "text"},
	"until":             {"when to try again", "time"},
	"update":            {"take the base into the run first"},
	"verbose":           {"show the output of tasks"},
	"timeout":           {"how long the command may take", "duration"},
	"verify":            {"a command that tells whether it is done", "command"},
	"watch":             {"follow a run"},
	"yes":               {"do not ask"},
	"z":                 {"end records with NUL"},
}

// verbFlags are flags that mean something else in one command.
var verbFlags = map[string][2]string{"task-fail exit-code": {"exit code of the task", "code"}}

// surface is one command as its user sees it: "start", "task-done", or "" for git resume itself.
type surface struct {
	name, usage string
	flags       []cli.Flag
}

func surfaces() (commands, verbs []surface, root surface) {
	app := (&program{}).app()
	for _, c := range app.Commands {
		if c.Hidden {
			continue // called by the hook's stub, not by people
		}
		commands = append(commands, surface{c.Name, unquoted(c.Usage), visible(c.Flags)})
		for _, v := range c.Subcommands {
			verbs = append(verbs, surface{c.Name + "-" + v.Name, unquoted(v.Usage), visible(v.Flags)})
		}
	}
	return commands, verbs, surface{"", "", visible(app.Flags)}
}

// unquoted can stand between single quotes in every shell.
func unquoted(text string) string { return strings.ReplaceAll(text, "'", "") }

func visible(flags []cli.Flag) []cli.Flag {
	return slices.DeleteFunc(slices.Clone(flags), func(f cli.Flag) bool {
		v, ok := f.(cli.VisibleFlag)
		return ok && !v.IsVisible()
	})
}

func (s surface) word(t *testing.T, f cli.Flag) (what, value string) {
	t.Helper()
	w, ok := verbFlags[s.name+" "+f.Names()[0]]
	if !ok {
		w, ok = words[f.Names()[0]]
	}
	if !ok {
		t.Errorf("say in completions_test.go what --%s does", f.Names()[0])
	}
	d, _ := f.(cli.DocGenerationFlag)
	if (w[1] != "") != d.TakesValue() {
		t.Errorf("--%s of '%s' takes a value or not: %v", f.Names()[0], s.name, d.TakesValue())
	}
	return unquoted(w[0]), w[1]
}

// Commands and flags stand in three completions. They are written from the definitions, and compared with them.
func TestCompletions_knowEveryCommandAndFlag(t *testing.T) {
	for file, made := range map[string]string{
		"git-resume.bash": forBash(t), "_git-resume": forZsh(t), "git-resume.fish": forFish(t),
	} {
		path := filepath.Join("../../completions", file)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		part := regexp.MustCompile(`(?ms)^# Begin of what .*?\n(.*)^# End of it\.$`)
		at := part.FindSubmatchIndex(text)
		if at == nil {
			t.Fatalf("%s has no part that is written from the definitions", file)
		}
		if string(text[at[2]:at[3]]) == made {
			continue
		}
		if !*update {
			t.Errorf("%s is not up to date; run: go test ./cmd/git-resume -run Completions -update", file)
			continue
		}
		if err := os.WriteFile(path, []byte(string(text[:at[2]])+made+string(text[at[3]:])), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func names(list []surface, cut string) string {
	var out []string
	for _, s := range list {
		out = append(out, strings.TrimPrefix(s.name, cut))
	}
	return strings.Join(out, " ")
}

// values are all flags that take a value as the next word wherever they stand, in all their forms.
func values(all []surface) []string {
	takes := map[string]bool{}
	for _, s := range all {
		for _, f := range s.flags {
			d, _ := f.(cli.DocGenerationFlag)
			for _, n := range f.Names() {
				before, seen := takes[dashes(n)]
				takes[dashes(n)] = d.TakesValue() && !optionalValue[n] && (before || !seen)
			}
		}
	}
	maps.DeleteFunc(takes, func(_ string, value bool) bool { return !value })
	return slices.Sorted(maps.Keys(takes))
}

func dashes(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

func forBash(t *testing.T) string {
	commands, verbs, root := surfaces()
	all := append(append([]surface{root}, commands...), verbs...)
	text := fmt.Sprintf("__git_resume_commands=\"%s\"\n__git_resume_task_commands=\"%s\"\n", names(commands, ""), names(verbs, "task-"))
	text += "\n# What each command takes besides its arguments.\n__git_resume_flags ()\n{\n\tcase \"$1\" in\n"
	for _, s := range all {
		var flags []string
		for _, f := range s.flags {
			name := f.Names()[0]
			_, value := s.word(t, f)
			switch {
			case len(name) == 1:
			case optionalValue[name]:
				flags = append(flags, "--"+name, "--"+name+"=v1")
			case value != "":
				flags = append(flags, "--"+name+"=")
			default:
				flags = append(flags, "--"+name)
			}
		}
		if len(flags) > 0 {
			text += fmt.Sprintf("\t%s) echo \"%s\" ;;\n", quoteEmpty(s.name), strings.Join(flags, " "))
		}
	}
	text += "\tesac\n}\n\n# Flags whose value is the next word.\n__git_resume_takes_value ()\n{\n\tcase \"$1\" in\n"
	return text + "\t" + strings.Join(values(all), "|") + ") return 0 ;;\n\tesac\n\treturn 1\n}\n"
}

func quoteEmpty(s string) string {
	if s == "" {
		return `""`
	}
	return s
}

func forZsh(t *testing.T) string {
	commands, verbs, root := surfaces()
	text := describe("_git_resume_commands", commands, "") + describe("_git_resume_reports", verbs, "task-")
	text += "\n# _git_resume_flags COMMAND sets flags.\n_git_resume_flags() {\n  case $1 in\n"
	for _, s := range append(append([]surface{root}, commands...), verbs...) {
		text += fmt.Sprintf("    (%s) flags=(", quoteEmpty(s.name))
		for _, f := range s.flags {
			what, value := s.word(t, f)
			for _, n := range f.Names() {
				text += "\n      " + zshFlag(n, what, value, f)
			}
		}
		text += ") ;;\n"
	}
	return text + "  esac\n}\n"
}

func zshFlag(name, what, value string, f cli.Flag) string {
	many := ""
	if _, ok := f.(*cli.StringSliceFlag); ok {
		many = "*"
	}
	action := ""
	if name == "run" {
		action = ":_git_resume_open_runs"
	}
	switch {
	case optionalValue[name]:
		return fmt.Sprintf("'--%s=-[%s]::%s:(v1)'", name, what, value)
	case value == "":
		return fmt.Sprintf("'%s[%s]'", dashes(name), what)
	case len(name) == 1:
		return fmt.Sprintf("'%s-%s[%s]:%s'", many, name, what, value)
	default:
		return fmt.Sprintf("'%s--%s=[%s]:%s%s'", many, name, what, value, action)
	}
}

func describe(array string, list []surface, cut string) string {
	text := array + "=(\n"
	for _, s := range list {
		text += fmt.Sprintf("  '%s:%s'\n", strings.TrimPrefix(s.name, cut), s.usage)
	}
	return text + ")\n"
}

func forFish(t *testing.T) string {
	commands, verbs, root := surfaces()
	all := append(append([]surface{root}, commands...), verbs...)
	text := "function __fish_git_resume_takes_value\n    contains -- $argv[1] " + strings.Join(values(all), " ") + "\nend\n\n"
	for _, s := range commands {
		text += fmt.Sprintf("complete -c git-resume -f -n __fish_git_resume_no_command -a %s -d '%s'\n", s.name, s.usage)
	}
	for _, s := range verbs {
		text += fmt.Sprintf("complete -c git-resume -f -n '__fish_git_resume_at task 0' -a %s -d '%s'\n", strings.TrimPrefix(s.name, "task-"), s.usage)
	}
	for _, s := range all {
		for _, f := range s.flags {
			text += "complete -c git-resume -n " + fishPlace(s.name) + fishFlag(f)
			what, value := s.word(t, f)
			switch {
			case f.Names()[0] == "run":
				text += " -x -a '(__fish_git_resume_ids run)'"
			case value != "" && !optionalValue[f.Names()[0]]:
				text += " -x"
			}
			text += fmt.Sprintf(" -d '%s'\n", what)
		}
	}
	return text
}

func fishPlace(name string) string {
	if verb, ok := strings.CutPrefix(name, "task-"); ok {
		return "'__fish_git_resume_report " + verb + "'"
	}
	if name == "" {
		return "__fish_git_resume_no_command"
	}
	return "'__fish_git_resume_at " + name + "'"
}

func fishFlag(f cli.Flag) string {
	text := ""
	for _, n := range f.Names() {
		if len(n) == 1 {
			text += " -s " + n
		} else {
			text += " -l " + n
		}
	}
	return text
}

// The manual describes every flag at its command, and none that is not there.
func TestManual_describesEveryCommandAndFlag(t *testing.T) {
	text, err := os.ReadFile("../../man/git-resume.1")
	if err != nil {
		t.Fatal(err)
	}
	commands, verbs, root := surfaces()
	known := map[string]bool{}
	for _, s := range append(append([]surface{root}, commands...), verbs...) {
		part := manualOf(string(text), s.name)
		if part == "" {
			t.Errorf("the manual does not describe 'git resume %s'", strings.ReplaceAll(s.name, "-", " "))
			continue
		}
		for _, f := range s.flags {
			for _, n := range f.Names() {
				known[n] = true
				if !regexp.MustCompile(`Fl (-)?` + regexp.QuoteMeta(n) + `\b`).MatchString(part) {
					t.Errorf("the manual does not describe %s of 'git resume %s'", dashes(n), strings.ReplaceAll(s.name, "-", " "))
				}
			}
		}
	}
	for _, m := range regexp.MustCompile(`\bFl -?([a-z][a-z-]*)`).FindAllStringSubmatch(string(text), -1) {
		if !known[m[1]] {
			t.Errorf("the manual describes %s, which no command has", dashes(m[1]))
		}
	}
}

// manualOf is what the manual says of one command in its section COMMANDS: at the command itself,
// and in front of the first one, where the flags stand that mean the same everywhere.
// The reports on a task share what is said of any of them.
func manualOf(text, name string) string {
	_, text, _ = strings.Cut(text, ".Sh COMMANDS\n")
	text, _, _ = strings.Cut(text, "\n.Sh ")
	parts := regexp.MustCompile(`(?m)^\.It (Xo\n\.)?(Cm|Op) `).Split(text, -1)
	var out string
	for _, part := range parts[1:] {
		first, _, _ := strings.Cut(strings.Fields(part)[0], "-")
		if first == "Ar" && name == "" || name != "" && first == strings.Split(name, "-")[0] || name == "" && first == "discard" {
			out += part
		}
	}
	if out == "" {
		return ""
	}
	return parts[0] + out
}
