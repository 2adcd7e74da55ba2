//go:build unix

package agentlab

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// headless returns the arguments with which an agent answers one prompt and ends, without asking anybody anything.
func headless(agent, prompt string) []string {
	switch agent {
	case "codex":
		return append(append([]string{"exec"}, freely[agent]...), prompt)
	case "opencode":
		return append([]string{"run"}, prompt)
	}
	return append(slices.Clone(freely[agent]), "-p", prompt)
}

// freely has the arguments with which an agent works in the lab without asking anything. OpenCode is missing, because its settings in the
// lab allow everything.
var freely = map[string][]string{
	"claude":  {"--dangerously-skip-permissions"},
	"codex":   {"--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust", "--skip-git-repo-check"},
	"gemini":  {"--yolo", "-m", "gemini-2.5-pro"},
	"qwen":    {"--yolo", "--auth-type", "openai"},
	"copilot": {"--allow-all-tools", "--disable-builtin-mcps", "--log-level", "error"},
}

// configure sets the variables and writes the settings with which an agent asks the model on loopback and does not look for updates.
func (l *lab) configure() {
	l.Helper()
	url := l.model.URL
	switch l.agent.Name {
	case "claude":
		l.env = append(l.env, "ANTHROPIC_BASE_URL="+url, "ANTHROPIC_API_KEY=sk-fake-000", "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "IS_SANDBOX=1",
			"CLAUDE_CONFIG_DIR="+filepath.Join(l.home, ".claude"))
		l.write(filepath.Join(l.home, ".claude", "settings.json"), "{\n  \"includeCoAuthoredBy\": false\n}\n")
	case "codex":
		l.env = append(l.env, "FAKE_KEY=fake", "CODEX_HOME="+filepath.Join(l.home, ".codex"))
		l.write(filepath.Join(l.home, ".codex", "config.toml"), fmt.Sprintf(`model = "gpt-5-codex"
model_provider = "fake"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.fake]
name = "fake"
base_url = "%s/v1"
env_key = "FAKE_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
`, url))
	case "gemini":
		l.env = append(l.env, "GEMINI_API_KEY=fake", "GOOGLE_GEMINI_BASE_URL="+url, "GEMINI_CLI_NO_RELAUNCH=true")
		l.write(filepath.Join(l.home, ".gemini", "settings.json"), `{
  "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}},
  "privacy": {"usageStatisticsEnabled": false},
  "general": {"enableAutoUpdate": false}
}
`)
	case "qwen":
		l.env = append(l.env, "OPENAI_API_KEY=fake-key-0000", "OPENAI_BASE_URL="+url+"/v1", "OPENAI_MODEL=fake-model")
		l.write(filepath.Join(l.home, ".qwen", "settings.json"), `{
  "security": {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": false}},
  "privacy": {"usageStatisticsEnabled": false},
  "general": {"enableAutoUpdate": false}
}
`)
	case "copilot":
		l.env = append(l.env, "COPILOT_OFFLINE=true", "COPILOT_AUTO_UPDATE=false", "COPILOT_PROVIDER_BASE_URL="+url+"/v1", "COPILOT_PROVIDER_API_KEY=fake-key-0000", "COPILOT_MODEL=gpt-4.1",
			"COPILOT_HOME="+filepath.Join(l.home, ".copilot"))
	case "opencode":
		l.env = append(l.env, "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1", "OPENCODE_DISABLE_SHARE=1")
		l.keepModules(filepath.Join(l.home, ".config", "opencode"))
		l.write(filepath.Join(l.home, ".config", "opencode", "opencode.json"), fmt.Sprintf(`{
  "autoupdate": false, "share": "disabled", "model": "fake/fake-model", "small_model": "fake/fake-model", "permission": "allow",
  "provider": {"fake": {"npm": "@ai-sdk/openai-compatible", "name": "Fake", "options": {"baseURL": "%s/v1", "apiKey": "fake"},
    "models": {"fake-model": {"name": "Fake", "tool_call": true, "limit": {"context": 100000, "output": 8000}}}}}
}
`, url))
	}
}

// keepModules copies the packages that an earlier test kept, because OpenCode needs a minute to install them at its first start. If there
// are none, keepModules keeps the packages of this test after the test has succeeded.
func (l *lab) keepModules(config string) {
	l.Helper()
	kept := filepath.Join(folder, "opencode", "config")
	gittest.NoError(l, "make a folder", os.MkdirAll(filepath.Dir(config), 0o755))
	if _, err := os.Stat(kept); err == nil {
		l.must("cp", "-a", kept, config)
		return
	}
	l.Cleanup(func() {
		if _, err := os.Stat(filepath.Join(config, "node_modules")); err == nil && !l.Failed() {
			_ = os.RemoveAll(filepath.Join(config, "plugins")) // our own plugin is not kept, because each test installs it itself
			_ = os.Rename(config, kept)
		}
	})
}

// expected has events that each agent must report in a session that begins, writes a task list, and ends its turn. Qwen Code reports no
// SessionEnd for a session without a terminal.
var expected = map[string][]string{
	"claude":   {"SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"},
	"codex":    {"SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"},
	"gemini":   {"SessionStart", "BeforeAgent", "AfterTool", "AfterAgent", "SessionEnd"},
	"qwen":     {"SessionStart", "UserPromptSubmit", "PostToolUse", "Stop"},
	"copilot":  {"sessionStart", "userPromptSubmitted", "agentStop", "sessionEnd"},
	"opencode": {"session.created", "session.status", "todo.updated", "session.idle"},
}

func TestAgents_hooks(t *testing.T) {
	for _, a := range installed(t) {
		t.Run(a.Name, func(t *testing.T) {
			l := newLab(t, a, []step{
				{say: "I make a plan.", list: []item{{"add schema", active}, {"update signup", pending}}},
				{say: "I write.", shell: "echo one > schema.sql"},
				{say: "Done."},
			})
			l.must("git-resume", "agents", "install", a.Name, "--tasks", "--yes")
			out, code := l.session("Do the job")
			if code != 0 {
				t.Fatalf("the session ended with %d:\n%s", code, out)
			}
			events := l.events()
			for _, want := range expected[a.Name] {
				if !slices.ContainsFunc(events, func(e event) bool { return e.Name == want }) {
					t.Errorf("%s was not reported; these were: %q\n%s", want, names(events), out)
				}
			}
			session := ""
			for _, e := range events {
				if e.Agent != a.Name || e.Dir != l.repo || session != "" && e.Session != session {
					t.Errorf("%s: agent %s, session %s, directory %s; the session before was %s", e.Name, e.Agent, e.Session, e.Dir, session)
				}
				session = e.Session
			}
			l.must("test", "-e", "schema.sql")
			if !l.model.saw("Records long work with several tasks in git") {
				t.Error("the skill did not reach the model")
			}
			uninstalled(l)
		})
	}
}

// uninstalled removes the hooks, and checks that 'agents check' no longer finds them.
func uninstalled(l *lab) {
	l.Helper()
	l.must("git-resume", "agents", "uninstall", l.agent.Name, "--yes")
	if out, _ := l.try("git-resume", "agents", "check", l.agent.Name); !strings.Contains(out, "not installed") {
		l.Errorf("after uninstall, check says:\n%s", out)
	}
}
