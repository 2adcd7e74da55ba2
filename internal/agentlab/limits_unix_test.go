//go:build unix

package agentlab

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/agents"
)

// onlyAgent returns the agent with a name. It skips the test if the agent's program cannot be installed.
func onlyAgent(t *testing.T, name string) agents.Agent {
	t.Helper()
	for _, a := range installed(t) {
		if a.Name == name {
			return a
		}
	}
	t.Skipf("%s is not here", name)
	return agents.Agent{}
}

// refusal returns a function for the field "limit" of a step. The model's answer has the given body. If the argument "after" is greater
// than 0, the answer also has the header Retry-After.
func refusal(after time.Duration, body any) func(http.Header) any {
	return func(h http.Header) any {
		if after > 0 {
			h.Set("Retry-After", fmt.Sprint(int(after.Seconds())))
		}
		return body
	}
}

// handsOver sets the configuration so that git resume continues a run by starting the agent again.
func (l *lab) handsOver() {
	l.Helper()
	l.must("git", "config", "resume.handoff", "agent")
	l.must("git", "config", "resume."+l.agent.Name+".args", strings.Join(freely[l.agent.Name], " "))
}

// Copilot CLI reports the end of a limit only as a part of its error message. The command status must show this end as approximate, and
// --auto must not continue the run before it.
func TestAgents_limitInASentence(t *testing.T) {
	turns := reported()
	turns[0][len(turns[0])-1] = step{refuse: http.StatusTooManyRequests, limit: refusal(2*time.Hour, object{"error": object{
		"code": "user_weekly_rate_limited", "message": "Sorry, you have exceeded your weekly rate limit. Please try again in 2 hours.", "type": "rate_limit",
	}})}
	l := newLab(t, onlyAgent(t, "copilot"), turns...)
	l.must("git-resume", "agents", "install", "copilot", "--yes")
	l.must("git-resume", "start", "--here", "--name", "job", "--task", "add-schema", "--task", "update-signup")
	said, _ := l.session("Do the job")
	out := l.shown("at the limit", "status")
	if !strings.HasPrefix(out, "limited") || !strings.Contains(out, "until ") || !strings.Contains(out, "weekly limit, approximate") {
		t.Errorf("status does not know the limit:\n%s\nthe session said:\n%s", out, said)
	}
	l.handsOver()
	if out, code := l.try("git-resume", "job", "--auto"); code != 13 || l.model.saw("# Continue run") {
		t.Errorf("before the end of the limit, --auto ended with %d:\n%s", code, out)
	}
}

// OpenCode itself waits for the end of a limit and then continues. While it waits, --auto must not continue the run.
func TestAgents_limitWaitedFor(t *testing.T) {
	// A limit counts only if at least a minute of it is left when it is reported, and OpenCode's first steps take some seconds.
	const wait = 75 * time.Second
	turns, rest := work()[:1], work()[1]
	last := len(turns[0]) - 1
	turns[0][last] = step{refuse: http.StatusTooManyRequests, limit: refusal(wait, object{"error": object{
		"type": "rate_limit_exceeded", "code": "rate_limit_exceeded", "message": "Rate limit reached. Please try again later.",
	}}), say: rest[0].say, shell: rest[0].shell}
	turns[0] = append(turns[0], rest[1:]...)
	l := newLab(t, onlyAgent(t, "opencode"), turns...)
	l.must("git-resume", "agents", "install", "opencode", "--yes")
	l.must("git-resume", "start", "--here", "--name", "job")
	agent := l.begin("Do the job")
	l.until("the limit", func() bool {
		out, _ := l.try("git-resume", "status")
		return strings.Contains(out, "opencode is still running")
	})
	l.model.lift(0, last)
	if out := l.shown("while it waits", "status"); !strings.Contains(out, "until ") {
		t.Errorf("status does not know when the limit ends:\n%s", out)
	}
	l.handsOver()
	out, code := l.try("git-resume", "job", "--auto")
	t.Logf("git resume job --auto (exit code %d):\n%s", code, out)
	if code != 13 || l.model.saw("# Continue run") {
		t.Error("an agent that waits by itself was not left alone")
	}
	if code := l.left(agent); code != 0 {
		t.Errorf("the agent ended with %d", code)
	}
	if out := l.shown("afterwards", "status", "--all"); !strings.Contains(out, "finished") {
		t.Errorf("after the limit, status says:\n%s", out)
	}
}

// Gemini CLI reports no limit to its hooks: it prints an error, and its session ends in the middle of the turn. The run must then count as
// interrupted, and --auto must continue it.
func TestAgents_limitPrinted(t *testing.T) {
	turns := work()
	turns[0][len(turns[0])-1] = step{refuse: http.StatusTooManyRequests, limit: refusal(0, object{"error": object{
		"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "You exceeded your current quota, please check your plan and billing details. Please retry in 7200s.",
		"details": []object{
			{"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": []object{{
				"quotaMetric": "generativelanguage.googleapis.com/generate_requests_per_model_per_day", "quotaId": "GenerateRequestsPerDayPerProjectPerModel", "quotaValue": "100",
			}}},
			{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7200s"},
		},
	}})}
	l := newLab(t, onlyAgent(t, "gemini"), turns...)
	l.must("git-resume", "agents", "install", "gemini", "--yes")
	l.must("git-resume", "start", "--here", "--name", "job")
	said, code := l.session("Do the job")
	t.Logf("the session ended with %d", code)
	if code != 1 && code != agents.QuotaCode || !strings.Contains(said, "429") {
		t.Errorf("the session ended with %d:\n%s", code, said)
	}
	if out := l.shown("at the limit", "status"); !strings.HasPrefix(out, "interrupted") || strings.Contains(out, "until") {
		t.Errorf("status says:\n%s", out)
	}
	if out := l.must("git-resume", "log", "job"); !strings.Contains(out, "turn.ended      cut") {
		t.Errorf("the log says:\n%s", out)
	}
	l.handsOver()
	l.shown("git resume job --auto", "job", "--auto")
	if out := l.shown("afterwards", "status", "--all"); !strings.Contains(out, "finished") {
		t.Errorf("the run was not finished when the limit was over:\n%s", out)
	}
}

// Qwen Code retries again and again at a limit, without calling a hook. The run must count as running until Qwen Code is killed.
func TestAgents_limitUntold(t *testing.T) {
	turns := work()
	turns[0][len(turns[0])-1] = step{refuse: http.StatusTooManyRequests, limit: refusal(2*time.Hour, object{"error": object{
		"type": "insufficient_quota", "code": "insufficient_quota", "message": "You exceeded your current quota, please check your plan and billing details.",
	}})}
	l := newLab(t, onlyAgent(t, "qwen"), turns...)
	l.must("git-resume", "agents", "install", "qwen", "--tasks", "--yes")
	l.must("git-resume", "start", "--here", "--name", "job")
	agent := l.begin("Do the job")
	l.until("the limit", func() bool { return l.model.refusals() > 1 })
	if out := l.shown("at the limit", "status"); !strings.HasPrefix(out, "running") {
		t.Errorf("status says:\n%s", out)
	}
	kill(agent)
	l.until("the end of its other processes", func() bool {
		out, _ := l.try("git-resume", "status")
		return !strings.HasPrefix(out, "running")
	})
	if out := l.shown("after kill -9", "status"); !strings.HasPrefix(out, "interrupted") || strings.Contains(out, "until") {
		t.Errorf("status says:\n%s", out)
	}
}

func TestAgents_secondSession(t *testing.T) {
	for _, a := range installed(t) {
		t.Run(a.Name, func(t *testing.T) {
			turns, tasks := jobFor(a)
			l := newLab(t, a, turns...)
			l.must("git-resume", "agents", "install", a.Name, "--tasks", "--yes")
			l.must("git-resume", append([]string{"start", "--here", "--name", "job"}, tasks...)...)
			l.begin("Do the job")
			l.until("the second task", func() bool { return l.has("signup.go") && l.model.stalled() })
			first := l.events()[0].Session
			second := l.begin("Do the job")
			l.until("the second session", func() bool {
				for _, e := range l.events() {
					if e.Session != first && e.Name != "SessionStart" && e.Name != "session.created" && e.Name != "sessionStart" {
						return true
					}
				}
				return false
			})
			l.handsOver()
			out, code := l.try("git-resume", "job", "--preflight", "-n")
			t.Logf("git resume job --preflight (exit code %d):\n%s", code, out)
			if !strings.Contains(out, "another agent's session is open in the same worktree: "+a.Name) {
				t.Error("the second session is no finding")
			}
			if out, code := l.try("git-resume", "job", "--auto"); code != 13 || l.model.saw("# Continue run") {
				t.Errorf("--auto ended with %d:\n%s", code, out)
			}
			kill(second)
			l.until("the end of the second session", func() bool {
				out, _ := l.try("git-resume", "job", "--preflight", "-n")
				return !strings.Contains(out, "another agent's session")
			})
		})
	}
}
