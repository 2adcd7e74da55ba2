package agentsetup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-resume/git-resume/internal/agents"
	"github.com/git-resume/git-resume/internal/proc"
)

// Probed is the result of a session that was started only to see whether it calls git-resume.
type Probed struct {
	// Called is true if a hook called git-resume.
	Called bool
	// Err says why no hook called git-resume; nil if one did.
	Err error
}

// probeLimit is how long a session may take until its first hook. Some agents take half a minute to start for the first time.
const probeLimit = time.Minute

// SilentError says that a session called no hook. Said is the last line that the agent printed, or how the agent ended.
type SilentError struct {
	Limit time.Duration
	Ended bool
	Said  string
}

func (e *SilentError) Error() string {
	if e.Ended {
		return fmt.Sprintf("the session ended without calling git-resume: %s", e.Said)
	}
	return fmt.Sprintf("the session did not call git-resume within %s: %s", e.Limit, e.Said)
}

// Probe starts a session of each completely installed agent for which a trial is defined, and waits for the first call of a hook. The
// session has a temporary home folder with the same hooks, and reaches no model.
func (s *Setup) Probe(ctx context.Context, list []Standing) {
	var wait sync.WaitGroup
	for i := range list {
		st := &list[i]
		trial, ok := st.Trial()
		if !ok || st.Path == "" || st.Installed != Whole {
			continue
		}
		wait.Go(func() {
			st.Probed = &Probed{}
			st.Probed.Called, st.Probed.Err = s.probe(ctx, *st, trial)
		})
	}
	wait.Wait()
}

func (s *Setup) probe(ctx context.Context, st Standing, trial agents.Trial) (called bool, err error) {
	dir, err := os.MkdirTemp("", "git-resume-probe-")
	if err != nil {
		return false, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // if this fails, files are left only in the system's folder for temporary files
	there, err := rehearsal(s.Env, dir, st, trial)
	if err != nil {
		return false, err
	}
	ctx, stop := context.WithTimeout(ctx, probeLimit)
	defer stop()
	ended := make(chan string, 1)
	go func() {
		out, err := there.program(st.Agent, trial.Args...).Run(ctx)
		ended <- lastLine(slices.Concat(out.Stdout, []byte("\n"), out.Stderr), err)
	}()
	const pause = 50 * time.Millisecond
	for {
		heard := func() bool { return !there.heard(st.Name).IsZero() }
		select {
		case said := <-ended:
			if heard() {
				return true, nil
			}
			return false, &SilentError{Limit: probeLimit, Ended: ctx.Err() == nil, Said: said}
		case <-time.After(pause):
			if heard() {
				stop()
				<-ended
				return true, nil
			}
		}
	}
}

// rehearsal makes a home folder in which the agent has our hooks, and nothing of the user's own settings.
func rehearsal(env []string, dir string, st Standing, trial agents.Trial) (*Setup, error) {
	home, work := filepath.Join(dir, "home"), filepath.Join(dir, "work")
	for path, text := range trial.Files {
		path = filepath.Join(home, filepath.FromSlash(path))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			return nil, err
		}
	}
	if err := os.MkdirAll(work, 0o700); err != nil {
		return nil, err
	}
	there := &Setup{Place: agents.Place{Home: home}, State: filepath.Join(home, ".local", "state", "git-resume"), Dir: work}
	there.Env = append(slices.DeleteFunc(slices.Clone(env), isOfAgent), trial.Env...)
	there.Env = append(there.Env, "HOME="+home, "USERPROFILE="+home, "NO_PROXY=*", "GIT_CONFIG_GLOBAL="+os.DevNull)
	p, err := there.PlanInstall([]agents.Agent{st.Agent}, map[string]string{st.Name: st.Version}, false)
	if err != nil {
		return nil, err
	}
	return there, there.Apply(p)
}

// isOfAgent reports whether a variable can say where an agent finds its settings, its model or its key, or how it reaches the network.
func isOfAgent(variable string) bool {
	name, _, _ := strings.Cut(strings.ToUpper(variable), "=")
	for _, prefix := range []string{
		"HOME", "USERPROFILE", "XDG_", "CLAUDE", "ANTHROPIC", "CODEX", "OPENAI", "GEMINI", "GOOGLE", "QWEN", "COPILOT", "GITHUB_TOKEN", "GH_TOKEN", "OPENCODE",
		"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "GIT_CONFIG_GLOBAL", "GIT_RESUME_", "AI_AGENT",
	} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// lastLine returns the last line that an agent printed, or how the agent ended if it printed nothing.
func lastLine(text []byte, err error) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	var exit *proc.ExitError
	switch {
	case last != "":
		return last
	case errors.As(err, &exit):
		exit.Stderr = ""
		return exit.Error()
	case err != nil:
		return err.Error()
	}
	return "it printed nothing"
}
