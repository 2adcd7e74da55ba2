package prove

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// agentSettings are the user's settings files for coding agents, before our hooks are installed.
var agentSettings = map[string]string{
	".claude/settings.json": "{\n  \"model\": \"opus\",\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n",
	".codex/config.toml":    "model = \"x\" # mine\n",
	".qwen/settings.json":   "// mine\n{\"a\": 1}\n",
}

// agentHome makes a home folder that contains the settings files of coding agents.
func agentHome(t *testing.T, r *gittest.Repo) (home string, env []string) {
	t.Helper()
	home = t.TempDir()
	for name, text := range agentSettings {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, v := range r.Env {
		if !strings.HasPrefix(v, "HOME=") && !strings.HasPrefix(v, "XDG_") {
			env = append(env, v)
		}
	}
	return home, append(env, "HOME="+home)
}

// homeFiles lists all files and folders of a home directory with their modes and contents.
func homeFiles(t *testing.T, home string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := []byte{}
		if info.Mode().IsRegular() {
			if text, err = os.ReadFile(path); err != nil {
				return err
			}
		}
		rel, _ := filepath.Rel(home, path)
		out[rel] = fmt.Sprintf("%v %s", info.Mode(), text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

const allAgents = "claude codex gemini qwen copilot opencode"

// TestKill_agents kills "agents install" and "agents uninstall" at system calls that are spread over the whole command.
func TestKill_agents(t *testing.T) {
	t.Parallel()
	needTracer(t)
	r := gittest.Empty(t)
	install := append([]string{"agents", "install", "--yes", "--tasks"}, strings.Fields(allAgents)...)
	for _, args := range [][]string{install, {"agents", "uninstall", "--yes"}} {
		run := func(at traceJob) {
			home, env := agentHome(t, r)
			before := homeFiles(t, home)
			job := func(n int, args []string) traceJob {
				j := resumeJob(r, args...)
				j.Env, j.N, j.All = env, n, true
				return j
			}
			if args[1] == "uninstall" {
				trace(t, job(0, install))
			}
			installed := homeFiles(t, home)
			out := trace(t, job(at.N, args))
			wholeSettings(t, home, before, installed, out.At.String())
			if again := trace(t, job(0, args)); again.Exit != 0 {
				t.Errorf("killed at %s: repeated: exit code %d\n%s", out.At, again.Exit, again.Output)
			}
			if args[1] == "install" {
				if now, err := os.ReadFile(filepath.Join(home, ".claude", "settings.json")); err != nil || bytes.Count(now, []byte("agent-event")) != 5 {
					t.Errorf("killed at %s: repeated: %v\n%s", out.At, err, now)
				}
				trace(t, job(0, []string{"agents", "uninstall", "--yes"}))
			}
			after := homeFiles(t, home)
			// A kill at the very end of the uninstall may leave the empty folders of the record. Ignore these folders if the record is
			// gone.
			if _, hasRecord := after[".local/state/git-resume/agents.json"]; !hasRecord {
				for _, dir := range []string{".local", ".local/state"} {
					delete(after, dir)
				}
			}
			if err := same(before, after); err != nil {
				t.Errorf("killed at %s: after uninstall: %v", out.At, err)
			}
		}
		_, env := agentHome(t, r)
		whole := resumeJob(r, install...)
		whole.Env = env
		calls := trace(t, whole).Calls
		if args[1] == "uninstall" {
			whole = resumeJob(r, args...)
			whole.Env = env
			calls = trace(t, whole).Calls
		}
		points := 6
		if gittest.Proving() {
			points = calls
		}
		for i := range points {
			run(traceJob{N: gittest.Point(i, points, calls)})
		}
		t.Logf("%s: killed at %d of %d calls", args[1], points, calls)
	}
}

// wholeSettings checks that no settings file of the user is truncated. A file must have the old content, or the content after an
// installation, or at least end with a newline.
func wholeSettings(t *testing.T, home string, before, installed map[string]string, at string) {
	t.Helper()
	for name := range agentSettings {
		text, err := os.ReadFile(filepath.Join(home, name))
		if err != nil {
			t.Errorf("killed at %s: %v", at, err)
			continue
		}
		was := strings.HasSuffix(before[name], string(text)) || strings.HasSuffix(installed[name], string(text))
		if !was && !bytes.HasSuffix(text, []byte("\n")) {
			t.Errorf("killed at %s: %s is cut:\n%s", at, name, text)
		}
	}
}
