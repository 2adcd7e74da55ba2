package packaging

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/gittest"
	forms "github.com/git-resume/git-resume/internal/screen/machine"
)

// hostileIDs are names that may come from a journal or another system's files. No part of them may run, and none may act as an option.
var hostileIDs = []string{
	"$(touch PWNED)", "`touch PWNED`", "a;touch PWNED", "a&&touch PWNED", "x'y", `x"y`, "${IFS}", "-n", "--force", "a b", "a\nb", "a\tb", "\x1b]0;x\x07y",
	"!touch", "~root", "=ls", "*", "#x", `b\'$(touch PWNED)`, "\u200bx", "z$(touch${IFS}PWNED)", "auto-claude:$(touch PWNED)", "auto-claude:0 5",
}

var plainIDs = []string{"safe-one", "auto-claude:005-user"}

// hostileShell is a repository with a fake git-resume. If this program is called with "status --porcelain=v1", it prints runs and tasks
// with hostile names. Otherwise it records its arguments in the file "calls".
type hostileShell struct {
	*gittest.Repo
	calls string
}

func newHostileShell(t *testing.T) hostileShell {
	t.Helper()
	r := gittest.New(t)
	bin, calls := filepath.Join(r.Root(), "bin"), filepath.Join(r.Root(), "calls")
	mkdir(t, bin)
	records := filepath.Join(r.Root(), "records")
	write(t, records, hostileRecords(t))
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	m := new(machine)
	m.script(t, filepath.Join(bin, "git"), `[ "$1" != resume ] || { shift; exec git-resume "$@"; }`+"\nexec '"+real+"' \"$@\"\n")
	m.script(t, filepath.Join(bin, "git-resume"), fmt.Sprintf(`[ "$1" != status ] || [ "$2" != --porcelain=v1 ] || exec cat '%s'`+"\n"+`printf '%%s\0' "$@" >>'%s'; printf '\1\0' >>'%s'`+"\n", records, calls, calls))
	for _, id := range hostileIDs { // also create branches and files with hostile names
		if _, code := r.Try("git", "update-ref", "refs/heads/"+id, "HEAD"); code != 0 && strings.Contains(id, "${IFS}") {
			t.Errorf("%q can be no branch", id)
		}
		_ = os.WriteFile(filepath.Join(r.Dir, strings.ReplaceAll(id, "/", "")), nil, 0o644)
	}
	return hostileShell{r.With("PATH=" + bin + ":" + os.Getenv("PATH")), calls}
}

// hostileRecords returns the output of "status --porcelain=v1" for runs and tasks with hostile names.
func hostileRecords(t *testing.T) string {
	t.Helper()
	var runs []candidate.Summary
	var tasks []checkpoint.Task
	for _, id := range slices.Concat(hostileIDs, plainIDs) {
		tasks = append(tasks, checkpoint.Task{ID: checkpoint.TaskID(id)})
	}
	for _, id := range slices.Concat(hostileIDs[:2], hostileIDs[len(hostileIDs)-2:], []string{"-n", "x'y"}, plainIDs) {
		runs = append(runs, candidate.Summary{Run: checkpoint.Run{ID: checkpoint.RunID(id), Tasks: tasks}})
		tasks = nil // only the first run gets tasks
	}
	var out bytes.Buffer
	if err := forms.Porcelain(&out, runs, true, false, true); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// called returns the arguments of each recorded call of git-resume since the previous use of this method.
func (h hostileShell) called(t *testing.T) [][]string {
	t.Helper()
	text, err := os.ReadFile(h.calls)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	_ = os.Remove(h.calls)
	var out [][]string
	for _, call := range strings.SplitAfter(string(text), "\x01\x00") {
		if call = strings.TrimSuffix(call, "\x00\x01\x00"); call != "" {
			out = append(out, strings.Split(call, "\x00"))
		}
	}
	return out
}

// interactive starts a shell like that of a user who installed the completions.
func (h hostileShell) interactive(t *testing.T, shell string) *typing {
	t.Helper()
	rc := filepath.Join(h.Root(), "rc")
	start := map[string][2]string{
		"bash": {"bash --rcfile '" + rc + "' -i", "PS1='> ' HISTFILE=\nbind 'set page-completions off'; bind 'set completion-query-items 0'\n" +
			". " + bashCompletion + "\n. /usr/share/bash-completion/completions/git\n. '" + abs(t, "completions/git-resume.bash") + "'\necho rea''dy\n"},
		"zsh": {"ZDOTDIR='" + h.Root() + "' zsh -i", "PS1='> '; unset HISTFILE; setopt nobeep\nfpath=('" + abs(t, "completions") + "' $fpath)\n" +
			"autoload -U compinit; compinit -u -D\nLISTMAX=10000\necho rea''dy\n"},
		"fish": {"fish --no-config -i -C 'source " + rc + "'", "function fish_prompt; echo '> '; end\nfunction fish_greeting; end\nsource '" + abs(t, "completions/git-resume.fish") + "'\necho rea''dy\n"},
	}[shell]
	write(t, rc, start[1])
	write(t, filepath.Join(h.Root(), ".zshrc"), start[1])
	s := newTyping(t, exec.Command("script", "-qec", start[0], "/dev/null"), h.Dir, append(h.Env, "HOME="+h.Root(), "TERM=xterm", "XDG_CONFIG_HOME="+h.Root()))
	s.wait("ready")
	return s
}

func TestTAB_runsNoName(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			for _, program := range []string{shell, "script"} {
				if _, err := exec.LookPath(program); err != nil {
					t.Skipf("there is no %s", program)
				}
			}
			if shell == "bash" && !exists(bashCompletion) {
				t.Skip("bash-completion is not here")
			}
			h := newHostileShell(t)
			s := h.interactive(t, shell)
			tool := map[string]string{"fish": "git-resume"}[shell] // fish completes "git-resume" in the same way as "git resume"
			if tool == "" {
				tool = "git resume"
			}
			n := 0
			for _, line := range []string{" ", " task done ", " --run=", " status safe-one ", " start --base ", " --plan ", " start "} {
				for _, begun := range []string{"", `\$`, "a", "x", "b", "z", "auto-claude:"} {
					for _, tabs := range map[string][]string{"bash": {"\t", "\t\t\t"}, "zsh": {"\t\t\t"}, "fish": {"\t\t\t"}}[shell] {
						n++
						h.tries(t, s, tool+line+begun, tabs, n)
					}
				}
			}
			if got := h.completes(t, s, tool+" task done sa", n+1); !slices.Equal(got, []string{"task", "done", "safe-one"}) {
				t.Errorf("a plain name is completed to %q", got)
			}
		})
	}
}

// tries types a line, presses the keys in "tabs" (TAB once or several times), and runs the line. It checks that no hostile name was
// executed as a command or passed as an option, and that each completed word is exactly one name.
func (h hostileShell) tries(t *testing.T, s *typing, line, tabs string, n int) {
	t.Helper()
	h.run(s, line+tabs, n)
	typed := strings.Fields(line)
	last := strings.TrimPrefix(typed[len(typed)-1], `\`)
	for _, call := range h.called(t) {
		for _, word := range call {
			if slices.Contains(hostileIDs, word) && strings.HasPrefix(word, "-") && !strings.HasPrefix(last, "-") {
				t.Errorf("%q and %q give the option %q", line, tabs, call)
			}
			if strings.ContainsAny(word, " ;&|$`()\n\t'\"\\") && word != last && !isName(word) {
				t.Errorf("%q and %q give %q: there is no name %q", line, tabs, call, word)
			}
		}
	}
	if exists(filepath.Join(h.Dir, "PWNED")) {
		t.Fatalf("%q and %q ran a name", line, tabs)
	}
}

// isName reports whether a word is a hostile name or its beginning. A shell may complete only the common beginning of several names.
// The name may follow "=" or ":", because shells complete files after these characters.
func isName(word string) bool {
	if slices.ContainsFunc(hostileIDs, func(n string) bool { return strings.HasPrefix(n, word) }) {
		return true
	}
	at := strings.IndexAny(word, "=:")
	return at >= 0 && isName(word[at+1:])
}

// completes presses TAB once and returns the words of the resulting command.
func (h hostileShell) completes(t *testing.T, s *typing, line string, n int) []string {
	t.Helper()
	h.run(s, line+"\t", n)
	calls := h.called(t)
	if len(calls) == 0 {
		return nil
	}
	return calls[len(calls)-1]
}

// run types the keys and presses return twice, because the first return sometimes only closes a list of completions. Then it waits until
// the shell is ready again.
func (h hostileShell) run(s *typing, keys string, n int) {
	s.press(keys + "\r\r" + fmt.Sprintf("echo mar''ker%d.\r", n))
	s.wait(fmt.Sprintf("marker%d.", n))
}
