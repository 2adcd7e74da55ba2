package resume

import (
	"os/exec"
	"strings"
	"testing"
)

func TestExpand_valuesAreNeverShellText(t *testing.T) {
	const value = `a b'c"d$(touch pwned)` + "`touch pwned`" + `\n*;`
	for _, form := range []string{
		`printf %s {brief}`, `printf %s "{brief}"`, `printf %s '{brief}'`, `printf %s ''{brief}""`,
		`printf "%s" \'{brief} | cut -c2-`, `printf %s x"{brief}"y | sed 's/^x//;s/y$//'`,
	} {
		cmd := exec.Command("sh", "-c", Expand(form))
		cmd.Dir = t.TempDir()
		cmd.Env = []string{"GIT_RESUME_BRIEF=" + value, "PATH=/usr/bin:/bin"}
		out, err := cmd.Output()
		if err != nil || strings.TrimRight(string(out), "\n") != value {
			t.Errorf("%s became %s: %q, %v; want %q", form, Expand(form), out, err, value)
		}
	}
	if got := Expand("tool {unknown} {dir"); got != "tool {unknown} {dir" {
		t.Errorf("what is no placeholder was changed: %s", got)
	}
}
