package packaging

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// TestPrompt_recipesWork runs the prompt recipes for bash, zsh and fish from docs/prompt.md in these shells.
func TestPrompt_recipesWork(t *testing.T) {
	text := read(t, "docs/prompt.md")
	r := gittest.New(t).WithBinary()
	r.Write("../work.sh", "git resume start --here --name job --task a\ngit resume task start a\nkill -9 $$\n")
	r.Try("sh", filepath.Join(r.Root(), "work.sh"))
	for shell, show := range map[string][]string{
		"bash": {"bash", "--norc", "--noprofile", "-c", `source "$1"; printf '%s\n' "${PS1@P}"`, "bash"},
		"zsh":  {"zsh", "-f", "-c", `source "$1"; print -P -- "$PROMPT"`, "zsh"},
		"fish": {"fish", "--no-config", "-c", "source $argv[1]; fish_right_prompt; true"},
	} {
		block := regexp.MustCompile("(?s)```" + shell + "\n(.*?)```").FindStringSubmatch(text)
		if block == nil {
			t.Errorf("there is no recipe for %s", shell)
			continue
		}
		t.Run(shell, func(t *testing.T) {
			if _, err := exec.LookPath(shell); err != nil {
				t.Skipf("there is no %s; its recipe is not tried", shell)
			}
			recipe := filepath.Join(r.Root(), "recipe."+shell)
			write(t, recipe, block[1])
			out, code := r.Try(show[0], append(show[1:], recipe)...)
			if code != 0 || strings.Count(out, "[stopped]") != 1 {
				t.Errorf("beside interrupted work: exit code %d, %q", code, out)
			}
			out, code = r.In(r.Root()).Try(show[0], append(show[1:], recipe)...)
			if code != 0 || strings.Contains(out, "[") || strings.Contains(out, "rror") {
				t.Errorf("outside of a repository: exit code %d, %q", code, out)
			}
		})
	}
	if !strings.Contains(text, "[custom.resume]") {
		t.Error("there is no recipe for starship")
	}
}

func TestPrompt_startsFewProcesses(t *testing.T) {
	r := gittest.New(t).WithBinary()
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	bin, calls := t.TempDir(), filepath.Join(t.TempDir(), "calls")
	new(machine).script(t, filepath.Join(bin, "git"), "echo \"$*\" >>'"+calls+"'\nexec '"+real+"' \"$@\"\n")
	count := func() int {
		t.Helper()
		write(t, calls, "")
		out, code := r.Try("sh", "-c", "PATH='"+bin+"':$PATH git-resume status --prompt; cat '"+calls+"' >&2")
		if code != 0 {
			t.Fatal(out)
		}
		return strings.Count(strings.TrimPrefix(out, "stopped\n"), "\n")
	}
	if n := count(); n != 0 {
		t.Errorf("nothing is open: %d git processes", n)
	}
	r.Write("../work.sh", "git resume start --here --name job --task a\ngit resume task start a\nkill -9 $$\n")
	r.Try("sh", filepath.Join(r.Root(), "work.sh"))
	if n := count(); n > 1 {
		t.Errorf("beside an interrupted run: %d git processes", n)
	}
}
