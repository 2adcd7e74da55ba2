//go:build unix

package agentlab

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/agents"
)

// elsewhere has the agents that find a session again after its worktree was moved, and continue it in the new place. The other agents look
// for a session only in its old folder.
var elsewhere = map[string]bool{"claude": true, "codex": true, "copilot": true}

func TestAgents_folders(t *testing.T) {
	for _, a := range installed(t) {
		t.Run(a.Name, func(t *testing.T) {
			l := newLab(t, a, reported()...)
			l.must("git-resume", "agents", "install", a.Name, "--yes")
			l.must("git-resume", "start", "--name", "job", "--task", "add-schema", "--task", "update-signup")
			main, trees := l.repo, l.path("shop.worktrees")
			old := l.onlyMatch(filepath.Join(trees, "job-*"))
			l.repo = old
			killed := l.begin("Do the job")
			l.until("the second task", func() bool { return l.has("signup.go") })
			kill(killed)
			l.repo = main
			moved := filepath.Join(trees, "moved")
			l.must("git", "worktree", "move", "-f", "-f", old, moved)
			l.must("git", "config", "resume.handoff", "agent")
			l.must("git", "config", "resume."+a.Name+".args", strings.Join(freely[a.Name], " "))
			out := l.shown("git resume job --auto", "job", "--auto")
			text, _ := os.ReadFile(filepath.Join(moved, "signup.go"))
			switch {
			case elsewhere[a.Name] && (string(text) != "half\nwhole\n" || !strings.Contains(out, "finished")):
				t.Errorf("the session was not continued in the new place; signup.go has %q", text)
			case !elsewhere[a.Name] && (string(text) != "half\n" || !strings.Contains(out, "is not continued: it began in")):
				t.Errorf("the session was not refused; signup.go has %q", text)
			}
			if _, err := os.Stat(old); err == nil {
				t.Errorf("%s is there again", old)
			}
		})
	}
}

// onlyMatch returns the path that fits a pattern. The test fails unless exactly one path fits.
func (l *lab) onlyMatch(pattern string) string {
	l.Helper()
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) != 1 {
		l.Fatalf("%s fits %q, %v", pattern, found, err)
	}
	return found[0]
}

func TestAgents_limits(t *testing.T) {
	limits := map[string]func(time.Time) func(http.Header) any{"claude": claudeLimit, "codex": codexLimit}
	for _, a := range slices.DeleteFunc(installed(t), func(a agents.Agent) bool { return limits[a.Name] == nil }) {
		t.Run(a.Name, func(t *testing.T) {
			end := time.Now().Add(40 * time.Second).Truncate(time.Second)
			turns := work()
			turns[0][len(turns[0])-1] = step{refuse: http.StatusTooManyRequests, limit: limits[a.Name](end)}
			l := newLab(t, a, turns...)
			// Claude Code tells only users with a subscription when a limit ends. The token stands for a subscription.
			l.env = append(l.env, "CLAUDE_CODE_OAUTH_TOKEN=sk-ant-oat01-fake")
			l.env = slices.DeleteFunc(l.env, func(v string) bool { return strings.HasPrefix(v, "ANTHROPIC_API_KEY=") })
			l.must("git-resume", "agents", "install", a.Name, "--tasks", "--yes")
			l.must("git-resume", "start", "--here", "--name", "job")
			out, _ := l.session("Do the job")
			if out := l.shown("at the limit", "status"); !strings.Contains(out, "limit") {
				t.Fatalf("status does not know the limit:\n%s", out)
			}
			l.must("git", "config", "resume.handoff", "agent")
			l.must("git", "config", "resume."+a.Name+".args", strings.Join(freely[a.Name], " "))
			if out, code := l.try("git-resume", "job", "--auto"); code != 13 || l.model.saw("# Continue run") {
				t.Errorf("before the end of the limit, --auto ended with %d:\n%s", code, out)
			}
			said := l.shown("git resume wait", "wait", "job", "--timeout", "5m")
			if !strings.Contains(said, "finished") || time.Now().Before(end) {
				t.Errorf("the run was not finished after the limit; the session had said:\n%s", out)
			}
		})
	}
}

// claudeLimit returns a function that answers like the server of Claude Code when the limit of five hours is reached.
func claudeLimit(end time.Time) func(http.Header) any {
	return func(h http.Header) any {
		for key, value := range map[string]string{
			"status": "rejected", "reset": fmt.Sprint(end.Unix()), "representative-claim": "five_hour", "5h-status": "rejected", "5h-reset": fmt.Sprint(end.Unix()), "5h-utilization": "1.0",
		} {
			h.Set("Anthropic-Ratelimit-Unified-"+key, value)
		}
		h.Set("X-Should-Retry", "false")
		return object{"type": "error", "error": object{"type": "rate_limit_error", "message": "This request would exceed your limit."}}
	}
}

// codexLimit returns a function that answers like the server of Codex when the limit of five hours is reached.
func codexLimit(end time.Time) func(http.Header) any {
	return func(h http.Header) any {
		for key, value := range map[string]string{"used-percent": "100", "window-minutes": "300", "reset-at": fmt.Sprint(end.Unix())} {
			h.Set("X-Codex-Primary-"+key, value)
		}
		return object{"error": object{"type": "usage_limit_reached", "message": "The usage limit has been reached", "plan_type": "plus", "resets_at": end.Unix()}}
	}
}
