package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/quote"
)

// An error repeats the text that the user typed, but shows "?" for each hidden character, such as a control character.
func TestUsage_printsNoHiddenCharacter(t *testing.T) {
	for _, word := range []string{"\x1b[31mred", "a\u202eb", "a\u200bb", "a\U000e0041b", "\u009b2J", "a\rb", "\xff"} {
		var text bytes.Buffer
		p := &program{err: &text, out: &answers{to: &text}}
		if code := p.end(exit.Usagef("'%s' is not a choice for %s", quote.Printable(word), word)); code != exit.Usage {
			t.Errorf("%q: exit code %d", word, code)
		}
		if strings.ContainsFunc(strings.ReplaceAll(text.String(), "\n", ""), quote.Hidden) || !strings.HasPrefix(text.String(), "error: '") {
			t.Errorf("%q is shown as %q", word, text.String())
		}
	}
}

func TestStart_printsAPathThatIsThere(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a\tb", "a\x1b[31mb", "a\nb", " a  b ", "$(touch PWNED)", "caf\xe9", "-n"} {
		r := gittest.New(t)
		dir := filepath.Join(r.Root(), name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Skipf("%q can be no folder here: %v", name, err)
		}
		if err := os.Rename(r.Dir, filepath.Join(dir, "repo")); err != nil {
			t.Fatal(err)
		}
		r = r.In(filepath.Join(dir, "repo"))
		out, code := r.Try("sh", "-c", `p=$(git-resume start --name job --task 'one: x' 2>/dev/null) && cd -- "$p" && git-resume status --porcelain | cut -f1,3`)
		if code != 0 || !strings.Contains(out, "run\tidle") {
			t.Errorf("%q: exit code %d\n%s", name, code, out)
		}
	}
}

// hostileTasks contains task names that an attacker may write into a journal.
const hostileTasks = `{"seq":"0000000002","id":"zz.1","at":"2030-01-01T00:00:00.000000Z","event":"task.added","task":"$(touch PWNED)","title":"y","v":1}
{"seq":"0000000003","id":"zz.2","at":"2030-01-01T00:00:00.000000Z","event":"task.added","task":"-n","title":"x\nReport with:\n  touch PWNED","v":1}
{"seq":"0000000004","id":"zz.3","at":"2030-01-01T00:00:00.000000Z","event":"task.started","task":"$(touch PWNED)","v":1}
{"seq":"0000000005","id":"zz.4","at":"2030-01-01T00:00:00.000000Z","event":"task.blocked","task":"` + "`touch PWNED`" + `","text":"why?","v":1}
`

// Agents and people run the commands that git-resume prints, so a task's name in such a command must not be executed.
func TestJournalFromElsewhere_givesNoCommandToAShell(t *testing.T) {
	t.Parallel()
	r := gittest.New(t).WithBinary()
	mustResume(t, r, "start", "--here", "--name", "job", "--task", "a")
	run := strings.TrimPrefix(r.Git("for-each-ref", "--format=%(refname)", "refs/resume/journal/"), "refs/resume/journal/")
	inject(t, r, run, hostileTasks)
	r.Git("update-ref", "refs/resume/snapshots/$(touch${IFS}PWNED)", "HEAD^{tree}")
	commands := regexp.MustCompile(`(?m)(?:^ +|\[|hint: |: )(git [^\]\n]*)`)
	ran := 0
	for _, args := range [][]string{{run, "--print"}, {run}, {run, "--skip"}, {"status", run}, {"doctor"}, {"task", "start", "nothing", "--run", run}} {
		out, _ := r.Try("git-resume", args...)
		for _, m := range commands.FindAllStringSubmatch(out, -1) {
			ran++
			_, _ = r.Try("sh", "-c", m[1]) // ignore the result, because only the file PWNED would show that a name was executed
		}
		if _, err := os.Stat(filepath.Join(r.Dir, "PWNED")); err == nil {
			t.Fatalf("%q printed a command that runs a name:\n%s", args, out)
		}
	}
	if ran < 5 {
		t.Errorf("only %d commands were printed", ran)
	}
	if left := r.Git("for-each-ref", "refs/resume/snapshots/"); strings.Contains(left, "PWNED") {
		t.Errorf("the doctor's command does not do what it says: %s", left)
	}
}
