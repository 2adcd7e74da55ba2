package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	facts "github.com/git-resume/git-resume/internal/agents"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/manual"
)

// surface is one command with its flags. Its name is for example "start" or "task-done", or "" for git resume itself.
type surface struct {
	name, usage string
	flags       []cli.Flag
}

func surfaces() (named, verbs []surface, root surface) {
	app := commands{&program{}}.app()
	for _, c := range app.Commands {
		if c.Hidden {
			continue // hidden commands are not completed
		}
		named = append(named, surface{c.Name, summary(c.Name), visible(c.Flags)})
		for _, v := range c.Subcommands {
			verbs = append(verbs, surface{c.Name + "-" + v.Name, summary(c.Name + " " + v.Name), visible(v.Flags)})
		}
	}
	return named, verbs, surface{"", "", visible(app.Flags)}
}

func summary(path string) string {
	c, _ := manual.Lookup(path)
	return unquoted(c.Summary)
}

// unquoted removes single quotes, because the text is put between single quotes in a shell script.
func unquoted(text string) string { return strings.ReplaceAll(text, "'", "") }

func visible(flags []cli.Flag) []cli.Flag {
	return slices.DeleteFunc(slices.Clone(flags), func(f cli.Flag) bool {
		v, ok := f.(cli.VisibleFlag)
		return ok && !v.IsVisible()
	})
}

// word returns the manual's short description of a flag, and the name of its value.
func (s surface) word(t *testing.T, f cli.Flag) (what, value string) {
	t.Helper()
	m, ok := s.described(f)
	if !ok {
		t.Fatalf("say in internal/manual what --%s of 'git resume %s' does", f.Names()[0], s.path())
	}
	return unquoted(m.Help), m.Value
}

// path returns the command's name in the manual.
func (s surface) path() string { return strings.Replace(s.name, "-", " ", 1) }

func (s surface) described(f cli.Flag) (manual.Flag, bool) {
	c, _ := manual.Lookup(s.path())
	i := slices.IndexFunc(c.Flags, func(m manual.Flag) bool { return m.Name == f.Names()[0] })
	if i < 0 {
		return manual.Flag{}, false
	}
	return c.Flags[i], true
}

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
		if !*gittest.Update {
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

// values returns the flags that take the next word as their value. A flag counts only if it does so in every command that has it.
func values(all []surface) []string {
	takes := map[string]bool{}
	for _, s := range all {
		for _, f := range s.flags {
			d, _ := f.(cli.DocGenerationFlag)
			for _, n := range f.Names() {
				before, seen := takes[manual.Dashed(n)]
				takes[manual.Dashed(n)] = d.TakesValue() && !optionalValue[n] && (before || !seen)
			}
		}
	}
	maps.DeleteFunc(takes, func(_ string, value bool) bool { return !value })
	return slices.Sorted(maps.Keys(takes))
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
			case optionalValue[name] && value == "v1":
				flags = append(flags, "--"+name, "--"+name+"=v1")
			case optionalValue[name]:
				flags = append(flags, "--"+name, "--"+name+"=")
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
	if isRepeated(f) {
		many = "*"
	}
	action := map[string]string{
		"run": ":_git_resume_open_runs", "from": ":_git_resume_tasks", "choose": ":_git_resume_choices", "plan": ":_files",
		"mode": ":(interactive auto preflight)", "engine": ":(git builtin)",
	}[name]
	switch {
	case value == "branch":
		action = ":__git_branch_names"
	case value == "remote":
		action = ":__git_remotes"
	case optionalValue[name] && value == "task":
		action = ":_git_resume_tasks"
	case optionalValue[name]:
		action = ":(" + value + ")"
	}
	switch {
	case optionalValue[name]:
		return fmt.Sprintf("'--%s=-[%s]::%s%s'", name, what, value, action)
	case value == "":
		return fmt.Sprintf("'%s[%s]'", manual.Dashed(name), what)
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
	text := "function __fish_git_resume_takes_value\n    contains -- $argv[1] " + strings.Join(values(all), " ") + "\nend\n\n" +
		"function __fish_git_resume_is_command\n    contains -- $argv[1] " + names(commands, "") + "\nend\n\n"
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
			from, known := fishValues[f.Names()[0]]
			switch value {
			case "branch":
				from, known = "(__fish_git_resume_branches)", true
			case "remote":
				from, known = "(git remote 2>/dev/null)", true
			}
			switch {
			case known:
				text += " -x -a '" + from + "'"
			case value == "file":
				text += " -r -F"
			case value != "" && !optionalValue[f.Names()[0]]:
				text += " -x"
			}
			text += fmt.Sprintf(" -d '%s'\n", what)
		}
	}
	return text
}

// fishValues contains the fish code that lists the possible values of a flag.
var fishValues = map[string]string{
	"run": "(__fish_git_resume_ids run)", "from": "(__fish_git_resume_tasks)", "choose": "(__fish_git_resume_choices)",
	"mode": "interactive auto preflight", "engine": "git builtin",
}

func fishPlace(name string) string {
	if verb, ok := strings.CutPrefix(name, "task-"); ok {
		return "'__fish_git_resume_report " + verb + "'"
	}
	if name == "" {
		return "__fish_git_resume_root"
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

func TestCompletions_areAlikeInEveryShell(t *testing.T) {
	text := map[string]string{}
	for shell, file := range map[string]string{"bash": "git-resume.bash", "zsh": "_git-resume", "fish": "git-resume.fish"} {
		data, err := os.ReadFile(filepath.Join("../../completions", file))
		if err != nil {
			t.Fatal(err)
		}
		text[shell] = string(data)
	}
	section := map[string]func(name string) string{
		"bash": func(name string) string {
			return regexp.MustCompile(`(?m)^\t` + regexp.QuoteMeta(quoteEmpty(name)) + `\) echo "(.*)" ;;$`).FindString(text["bash"])
		},
		"zsh": func(name string) string {
			return regexp.MustCompile(`(?ms)^    \(` + regexp.QuoteMeta(quoteEmpty(name)) + `\) flags=\(.*?\) ;;$`).FindString(text["zsh"])
		},
		"fish": func(name string) string {
			return strings.Join(regexp.MustCompile(`(?m)^complete -c git-resume -n `+regexp.QuoteMeta(fishPlace(name))+` .*$`).FindAllString(text["fish"], -1), "\n")
		},
	}
	commands, verbs, root := surfaces()
	seen := 0
	for _, s := range append(append([]surface{root}, commands...), verbs...) {
		for _, f := range s.flags {
			name := f.Names()[0]
			if _, value := s.word(t, f); len(name) > 1 {
				seen++
				takes := value != "" && !optionalValue[name]
				for shell, form := range map[string]string{
					"bash": `--` + name + map[bool]string{true: "=", false: `[" ]`}[takes],
					"zsh":  `--` + name + map[bool]string{true: `=\[`, false: `(=-)?\[`}[takes],
					"fish": ` -l ` + name + map[bool]string{true: ` .*(-x|-r)`, false: `( -[sl] [a-z-]+)* -d`}[takes],
				} {
					if !regexp.MustCompile(form).MatchString(section[shell](s.name)) {
						t.Errorf("%s does not offer --%s of 'git resume %s' as the manual has it (value %q)", shell, name, s.path(), value)
					}
				}
			}
		}
	}
	if seen == 0 {
		t.Error("no flags were compared")
	}
}

func TestCompletions_knowAllAgents(t *testing.T) {
	var names []string
	for _, a := range facts.All {
		names = append(names, a.Name)
	}
	for _, file := range []string{"_git-resume", "git-resume.bash", "git-resume.fish"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "completions", file))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), strings.Join(names, " ")) {
			t.Errorf("%s does not have these agents: %q", file, names)
		}
	}
}

// The zsh completion has one function that lists the arguments of each command. If a command is missing in it, zsh offers the arguments of
// another command.
func TestCompletions_zshKnowsWhatEveryCommandTakes(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "completions", "_git-resume"))
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(string(text), "\n_git_resume_arguments() {")
	body, _, _ = strings.Cut(body, "\n}\n")
	known := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^    \(([a-z| -]+)\)`).FindAllStringSubmatch(body, -1) {
		for name := range strings.SplitSeq(m[1], "|") {
			known[strings.TrimSpace(name)] = true
		}
	}
	named, _, _ := surfaces()
	for _, c := range named {
		if !known[c.name] {
			t.Errorf("completions/_git-resume does not say what '%s' takes", c.name)
		}
	}
}
