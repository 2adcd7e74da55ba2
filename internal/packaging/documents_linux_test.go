package packaging

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
)

// document is a Markdown file with commands and their output. The test runs all its commands in order in one shell.
type document struct {
	name string
	// setUp is a shell script below testdata that prepares the repository for the document.
	setUp string
	// terminal is true if the commands run in a terminal, as if a person typed them.
	terminal bool
}

var documents = []document{
	{name: "README.md", setUp: "readme.sh", terminal: true},
	{name: "docs/uses.md", terminal: true},
	{name: "docs/tutorial.md", terminal: true},
	{name: "docs/systems/long-run.md", setUp: "long-run.sh", terminal: true},
	{name: "docs/systems/agent-memory.md", setUp: "agent-memory.sh", terminal: true},
	{name: "docs/systems/spec-loop.md", setUp: "spec-loop.sh", terminal: true},
	{name: "docs/systems/orchestrate.md", setUp: "orchestrate.sh", terminal: true},
	{name: "docs/systems/auto-claude.md", setUp: "auto-claude.sh", terminal: true},
	{name: "docs/systems/planning-files.md", setUp: "planning-files.sh", terminal: true},
	{name: "docs/systems/superpowers.md", setUp: "superpowers.sh", terminal: true},
	{name: "docs/systems/taskmaster.md", setUp: "taskmaster.sh", terminal: true},
	{name: "docs/systems/bmad.md", setUp: "bmad.sh", terminal: true},
}

// The test runs the commands of each document and compares their output with the document. With -update it writes the new output into the
// document instead.
func TestDocuments_commandsSayWhatTheyShow(t *testing.T) {
	t.Parallel()
	for _, d := range documents {
		t.Run(filepath.Base(d.name), func(t *testing.T) {
			t.Parallel()
			d.compare(t)
		})
	}
}

func TestDocuments_areAllRecorded(t *testing.T) {
	t.Parallel()
	var shown []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			name, err := filepath.Rel(root, file)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(read(t, name), "```console\n") {
				shown = append(shown, name)
			}
		}
	}
	var recorded []string
	for _, d := range documents {
		recorded = append(recorded, d.name)
	}
	slices.Sort(shown)
	slices.Sort(recorded)
	if !slices.Equal(shown, recorded) {
		t.Errorf("commands are shown in %v, and recorded in %v", shown, recorded)
	}
}

func (d document) compare(t *testing.T) {
	text := read(t, d.name)
	all, err := steps(text)
	if err != nil || len(all) == 0 {
		t.Fatalf("%s has %d commands: %v", d.name, len(all), err)
	}
	said := d.perform(t, text, all)
	renewed, at := "", 0
	for i, s := range all {
		renewed += text[at:s.from] + said[i]
		at = s.to
		if shown := text[s.from:s.to]; said[i] != shown && !*gittest.Update {
			t.Errorf("$ %s\nsays:\n%s\n%s shows:\n%s", s.command, said[i], d.name, shown)
		}
	}
	if renewed += text[at:]; *gittest.Update && renewed != text {
		write(t, filepath.Join(root, d.name), renewed)
	}
}

type step struct {
	command string
	// from and to are the offsets of the command's output in the document.
	from, to int
	// later is the simulated time between the previous command and this one.
	later time.Duration
	// keys are the lines that a person types while the command runs.
	keys []string
}

// perCommand is the simulated time between two commands, if the document gives no other time.
const perCommand = 20 * time.Second

// notable matches the console blocks of a document and two kinds of HTML comments.
// For example, "later 2h" lets two hours pass before the next command, and "types 2, y" gives the input lines for the next command.
var notable = regexp.MustCompile("(?ms)^<!-- (later|types) (.*?) -->$|^```console\n(.*?)^```$")

func steps(text string) ([]step, error) {
	var out []step
	later, keys := perCommand, []string(nil)
	for _, m := range notable.FindAllStringSubmatchIndex(text, -1) {
		if m[2] >= 0 {
			value := text[m[4]:m[5]]
			if text[m[2]:m[3]] == "types" {
				keys = strings.Split(value, ", ")
				continue
			}
			by, err := time.ParseDuration(value)
			if err != nil {
				return nil, err
			}
			later = by
			continue
		}
		for at := m[6]; at < m[7]; {
			end := at + strings.Index(text[at:], "\n") + 1
			command, isCommand := strings.CutPrefix(text[at:end], "$ ")
			// "git resume demo" prints lines that look like commands. They belong to its output.
			if first := at == m[6]; isCommand && (first || !strings.HasPrefix(text[m[6]:], "$ git resume demo\n")) {
				out = append(out, step{command: strings.TrimSuffix(command, "\n"), from: end, to: end, later: later, keys: keys})
				later, keys = perCommand, nil
			} else if first {
				return nil, fmt.Errorf("a block begins with %q instead of a command", text[at:end])
			} else {
				out[len(out)-1].to = end
			}
			at = end
		}
	}
	return out, nil
}

// stage is the environment for the commands of a document: a home folder, a repository in it, and a simulated clock.
// The path of the home folder is as long as the path in the documents.
type stage struct {
	*gittest.Repo
	home, aside string
}

// shownHome replaces the path of the real home folder in the documents.
const shownHome = "/home/you"

// opening is the simulated time at which every document begins. The first command runs a little later, as its field "later" says.
var opening = time.Date(2026, 11, 13, 9, 0, 0, 0, time.UTC)

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{home: homeLikeShown(t), aside: t.TempDir()}
	bin, err := gittest.ClockBinary()
	if err != nil {
		t.Fatal(err)
	}
	front := filepath.Join(s.aside, "front")
	s.Repo = &gittest.Repo{T: t, Dir: filepath.Join(s.home, "shop")}
	for _, v := range gittest.Env(s.home, "NO_COLOR=1", "TERM=xterm", "GIT_TERMINAL_PROMPT=1", "GIT_PAGER=cat") {
		name, value, _ := strings.Cut(v, "=")
		switch {
		case name == "PATH":
			value = strings.Join([]string{front, bin, value}, string(os.PathListSeparator))
		case strings.HasSuffix(name, "_NAME"):
			value = "Robin Doe"
		case strings.HasSuffix(name, "_EMAIL"):
			value = "robin@example.com"
		}
		s.Env = append(s.Env, name+"="+value)
	}
	git, err := exec.LookPath("git")
	if err == nil {
		err = os.Mkdir(front, 0o755)
	}
	if err == nil {
		err = gittest.WriteProgram(filepath.Join(front, "git"), fmt.Appendf(nil, frontGit, s.clock(), gittest.ClockEnv, git))
	}
	if err != nil {
		t.Fatal(err)
	}
	s.at(t, opening)
	if err := os.Mkdir(s.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s.Git("init", "-q", "-b", "main")
	s.Git("config", "color.ui", "false")
	return s
}

// frontGit is a script that runs git and git-resume with the simulated time.
// It starts "git resume demo" without git, because git would put its own folder first on PATH.
// Then the commands of the demo would not find this script again.
const frontGit = `#!/bin/sh
read -r now <'%s'
export GIT_AUTHOR_DATE=$now GIT_COMMITTER_DATE=$now %s==$now
if [ "$1 $2" = 'resume demo' ]; then shift; exec git-resume "$@"; fi
exec '%s' "$@"
`

// homeLikeShown creates a home folder in /tmp. Its name has four digits, so that its path is as long as shownHome, which replaces it in the
// documents. With another length, the lines would not be shortened and wrapped as for a user with that home.
func homeLikeShown(t *testing.T) string {
	t.Helper()
	for range 100 {
		dir := fmt.Sprintf("/tmp/%04d", rand.IntN(10000))
		if os.Mkdir(dir, 0o755) == nil {
			t.Cleanup(func() { os.RemoveAll(dir) })
			if real, err := filepath.EvalSymlinks(dir); err != nil || len(real) != len(shownHome) {
				t.Skipf("%s is %s, and no line would be as long as it is shown: %v", dir, real, err)
			}
			return dir
		}
	}
	t.Skip("no folder can be made in /tmp")
	return ""
}

func (s *stage) clock() string { return filepath.Join(s.aside, "clock") }

func (s *stage) at(t *testing.T, now time.Time) {
	t.Helper()
	write(t, s.clock(), now.Format(time.RFC3339)+"\n")
}

// mark is printed after the output of each command, so that the outputs can be separated.
const mark = "\x1e"

// script returns a shell script with the commands of a document.
// After each command it sets the times of changed files to the simulated time, because the output shows how old files are.
func (s *stage) script(t *testing.T, all []step) string {
	t.Helper()
	text, now := "", opening
	for i, one := range all {
		now = now.Add(one.later)
		dated := filepath.Join(s.aside, fmt.Sprintf("time-%d", i))
		write(t, dated, "")
		if err := os.Chtimes(dated, now, now); err != nil {
			t.Fatal(err)
		}
		text += fmt.Sprintf("echo %s >'%s'\n%s\n%s\nprintf '\\036'\n", now.Format(time.RFC3339), s.clock(), one.command, s.age(dated))
	}
	return text
}

func (s *stage) age(dated string) string {
	return fmt.Sprintf(`find '%[1]s' -name objects -prune -o \( -type f -o -type d \) -newer '%[2]s' -exec touch -c -r '%[2]s' {} +`, s.home, dated)
}

// perform runs the commands of the document and returns the output of each one.
func (d document) perform(t *testing.T, text string, all []step) []string {
	t.Helper()
	s := newStage(t)
	for _, b := range blocks(text) {
		switch b.kind {
		case "yaml":
			s.Write("plan.yaml", b.text)
		case "bash":
			s.Write("nightly.sh", b.text)
		}
	}
	if d.setUp == "" {
		s.Write("README", "A shop.\n")
		s.Git("add", "-A")
		s.Git("commit", "-q", "-m", "a shop")
	} else {
		d.prepare(t, s)
	}
	file := filepath.Join(s.aside, "story.sh")
	var out string
	if d.terminal {
		write(t, file, s.script(t, all))
		out = s.converse(t, file, all)
	} else {
		write(t, file, "exec 2>&1\n"+s.script(t, all))
		out, _ = s.Try("sh", file)
	}
	said := strings.Split(s.told(out), mark)
	if len(said) != len(all)+1 || said[len(all)] != "" {
		t.Fatalf("%d of %d commands ended:\n%s", len(said)-1, len(all), out)
	}
	return said[:len(all)]
}

// prepare runs the set-up script of the document. "at TIME" in that script sets the simulated time of the lines that follow.
func (d document) prepare(t *testing.T, s *stage) {
	t.Helper()
	dated := filepath.Join(s.aside, "time")
	at := fmt.Sprintf("aged() { %s; }\nat() { if [ -e '%[2]s' ]; then aged; fi; echo \"$1\" >'%[3]s'; touch -d \"$1\" '%[2]s'; }\n", s.age(dated), dated, s.clock())
	file := filepath.Join(s.aside, "situation.sh")
	write(t, file, at+read(t, filepath.Join("internal/packaging/testdata", d.setUp))+"aged\n")
	if out, code := s.Try("sh", "-e", file); code != 0 {
		t.Fatalf("%s: exit code %d\n%s", d.setUp, code, out)
	}
}

// told replaces what differs between computers in the output, such as the home folder, the host name and the process ids. The same
// process id always gets the same replacement.
func (s *stage) told(text string) string {
	text = strings.ReplaceAll(text, s.home, shownHome)
	text = regexp.MustCompile(`(?m)^.*\bKilled\b.*$`).ReplaceAllString(text, "Killed") // the message differs between shells
	text = regexp.MustCompile(`(by \S+ \d+ on )\S+`).ReplaceAllString(text, "${1}laptop")
	numbers := map[string]int{}
	return regexp.MustCompile(`\b(sh|git-resume|process|pid) (\d+)\b`).ReplaceAllStringFunc(text, func(found string) string {
		name, number, _ := strings.Cut(found, " ")
		numbers[number] = cmp.Or(numbers[number], 4201+len(numbers))
		return fmt.Sprintf("%s %d", name, numbers[number])
	})
}

func TestDocuments_hideOnlyWhatNoTwoComputersShare(t *testing.T) {
	t.Parallel()
	s := &stage{home: "/tmp/0042"}
	got := s.told("started a-k2lq from 1a2b3c4 in /tmp/0042/shop by sh 77 on build7\nsh 77 is gone, process 9 is not, sh 77 was it\nx.sh: line 7: 77 Killed sh x.sh\n")
	want := "started a-k2lq from 1a2b3c4 in /home/you/shop by sh 4201 on laptop\nsh 4201 is gone, process 4202 is not, sh 4201 was it\nKilled\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestDocuments_stepsAreRead(t *testing.T) {
	t.Parallel()
	text := "# T\n\n<!-- later 2h -->\n```console\n$ one\nsaid\n$ two\n```\n\n<!-- types 2, y -->\n```console\n$ git resume demo\n$ shown\n```\n```yaml\n$ three\n```\n"
	all, err := steps(text)
	if err != nil || len(all) != 3 {
		t.Fatalf("%+v, %v", all, err)
	}
	for i, want := range []step{
		{command: "one", later: 2 * time.Hour}, {command: "two", later: perCommand},
		{command: "git resume demo", later: perCommand, keys: []string{"2", "y"}},
	} {
		s := all[i]
		if s.command != want.command || s.later != want.later || strings.Join(s.keys, " ") != strings.Join(want.keys, " ") {
			t.Errorf("%+v, want %+v", s, want)
		}
	}
	for i, want := range []string{"said\n", "", "$ shown\n"} {
		if got := text[all[i].from:all[i].to]; got != want {
			t.Errorf("command %d says %q, want %q", i+1, got, want)
		}
	}
	if _, err := steps("```console\nsaid\n```\n"); err == nil {
		t.Error("a block without a command is accepted")
	}
}
