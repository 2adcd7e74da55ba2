package manual

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"sync"
)

// texts holds the manual pages in mdoc format. A line may begin with one of our own placeholders:
//
// "@synopsis" is replaced with the forms of all commands of the page, and "@command NAME" with the heading of one command.
// "@flags NAME" is replaced with the list of that command's flags, and "@list" with a list of all commands and their pages.
//
//go:embed pages
var texts embed.FS

// index maps each top-level command to the page that describes it.
var index = map[string]string{
	"": "git-resume", "demo": "git-resume", "version": "git-resume",
	"start": "git-resume-start", "run": "git-resume-start", "pause": "git-resume-start", "answer": "git-resume-start",
	"finish": "git-resume-start", "wait": "git-resume-start", "trust": "git-resume-start",
	"task": "git-resume-task", "checkpoint": "git-resume-task",
	"status": "git-resume-status", "log": "git-resume-status",
	"review": "git-resume-review", "merge": "git-resume-review", "conflicts": "git-resume-review",
	"discard": "git-resume-discard", "undo": "git-resume-discard", "hide": "git-resume-discard",
	"snapshots": "git-resume-snapshots", "diff": "git-resume-snapshots", "restore": "git-resume-snapshots",
	"hooks": "git-resume-hooks", "doctor": "git-resume-hooks",
	"agents": "git-resume-agents", "remote": "git-resume-push", "push": "git-resume-push", "pull": "git-resume-push", "unshare": "git-resume-push", "parked": "git-resume-push", "work": "git-resume-push",
}

// Page returns the name of the manual page that describes the command.
func (c Command) Page() string {
	first, _, _ := strings.Cut(c.Name, " ")
	return index[first]
}

// Pages returns the manual pages by file name. Each top-level command has a page with its own name. For most commands this page only
// points to a page that describes several related commands.
func Pages() map[string]string {
	out := map[string]string{}
	for _, c := range Commands() {
		if c.Name == "" || strings.Contains(c.Name, " ") {
			continue
		}
		out["git-resume-"+c.Name+".1"] = ".so man1/" + c.Page() + ".1\n"
	}
	files, err := fs.Glob(texts, "pages/*.mdoc")
	if err != nil {
		panic(err) // cannot fail: the pattern is a constant
	}
	for _, file := range files {
		text, err := texts.ReadFile(file)
		if err != nil {
			panic(err) // cannot fail: the file is embedded in the program
		}
		page := strings.TrimSuffix(path.Base(file), ".mdoc")
		out[page+".1"] = expand(page, string(text))
	}
	return out
}

func expand(page, text string) string {
	return regexp.MustCompile(`(?m)^@(\w+) ?(.*)\n`).ReplaceAllStringFunc(text, func(line string) string {
		word, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "@synopsis":
			return synopsis(page)
		case "@list":
			return list()
		}
		c, ok := Lookup(name)
		if name == "-" {
			c, ok = Lookup("")
		}
		if !ok {
			panic("page " + page + " names a command that does not exist: " + name)
		}
		if word == "@command" {
			return head(c)
		}
		return flagList(c)
	})
}

func synopsis(page string) string {
	var b strings.Builder
	for _, c := range Commands() {
		if c.Page() != page || c.Group {
			continue
		}
		for _, form := range c.Forms {
			fmt.Fprintf(&b, ".Nm git resume\n.%s\n", mdoc(form))
		}
	}
	return b.String()
}

// list writes a list of all commands. Each entry says what the command does, and names the page that describes it if that is not
// git-resume(1).
func list() string {
	var b strings.Builder
	b.WriteString(".Bl -tag -width checkpoint\n")
	for _, c := range (Command{}).subcommands() {
		fmt.Fprintf(&b, ".It Cm %s\n%s", c.Name, sentence(c.Summary))
		if c.Page() != "git-resume" {
			fmt.Fprintf(&b, ".Pq Xr %s 1\n", c.Page())
		}
	}
	b.WriteString(".El\n")
	return b.String()
}

// head writes the heading for a command. Each form gets its own line, because the text below the heading is about all forms.
func head(c Command) string {
	var b strings.Builder
	for _, form := range c.Forms {
		if len(form) > 40 {
			fmt.Fprintf(&b, ".It Xo\n.%s\n.Xc\n", mdoc(form))
			continue
		}
		fmt.Fprintf(&b, ".It %s\n", mdoc(form))
	}
	return b.String()
}

func flagList(c Command) string {
	var b strings.Builder
	b.WriteString(".Bl -tag -width Ds\n")
	for _, f := range c.Flags {
		fmt.Fprintf(&b, ".It %s\n", f.mdoc())
		if f.More == "" {
			b.WriteString(sentence(f.Help))
			continue
		}
		b.WriteString(f.More + "\n")
	}
	b.WriteString(".El\n")
	return b.String()
}

func sentence(words string) string { return strings.ToUpper(words[:1]) + words[1:] + ".\n" }

func (f Flag) mdoc() string {
	var all []string
	for _, n := range f.Names() {
		text := "Fl " + strings.TrimPrefix(Dashed(n), "-")
		switch {
		case f.Optional:
			text += " Ns Op Cm =" + f.Value
		case f.Value != "":
			text += " Ar " + f.Value
		}
		if len(n) == 1 {
			all = append([]string{text}, all...)
			continue
		}
		all = append(all, text)
	}
	return strings.Join(all, " , ")
}

// formToken matches one part of a form: a bracket, a bar, dots, a flag, a placeholder in capitals, or a word to type.
var formToken = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\[|\]|\||\.\.\.|--?[a-z][a-z-]*|--|[A-Z]+|[a-z]+`)
})

// mdoc turns a form as -h shows it into mdoc macros: "start --name NAME" becomes "Cm start Fl -name Ar name".
func mdoc(form string) string {
	var out []string
	before := ""
	for _, word := range formToken().FindAllString(form, -1) {
		switch {
		case word == "[":
			out = append(out, "Oo")
		case word == "]":
			out = append(out, "Oc")
		case word == "|", word == "...":
			out = append(out, word)
		case strings.HasPrefix(word, "-"):
			out = append(out, "Fl", word[1:])
		case word == strings.ToUpper(word):
			out = append(out, "Ar", strings.ToLower(word))
		case before == "|": // the macro Cm before the "|" also applies to this word
			out = append(out, word)
		default:
			out = append(out, "Cm", word)
		}
		before = word
	}
	return strings.Join(out, " ")
}
