//go:build unix

package agentlab

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAgents_probe(t *testing.T) {
	for _, a := range installed(t) {
		t.Run(a.Name, func(t *testing.T) {
			l := newLab(t, a)
			l.must("git-resume", "agents", "install", a.Name, "--yes")
			before := l.files(l.home)
			out, code := l.try("git-resume", "agents", "check", "--probe", a.Name)
			t.Logf("exit code %d\n%s", code, out)
			if !strings.Contains(out, "probe: in a trial session without a model, a hook ran git-resume") || code != 0 && a.Name != "codex" {
				t.Errorf("the hooks were not called")
			}
			// the probe also asks Codex itself which hooks are trusted, and Codex then writes into its own folder
			if after := l.files(l.home); a.Name != "codex" && after != before {
				t.Errorf("the home folder was\n%s\nand is\n%s", before, after)
			}
			if left, _ := filepath.Glob(l.path("tmp", "git-resume-probe-*")); len(left) > 0 {
				t.Errorf("it left %q", left)
			}
			if l.model.asked() {
				t.Error("the model was asked")
			}
		})
	}
}

// files returns the paths of the files in a folder and its subfolders, one in each line.
func (l *lab) files(dir string) string {
	l.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			out = append(out, path)
		}
		return err
	})
	if err != nil {
		l.Fatal(err)
	}
	return strings.Join(out, "\n")
}
