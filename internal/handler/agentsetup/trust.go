package agentsetup

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/git-resume/git-resume/internal/agents"
)

// trust finds out whether an agent runs our hooks.
func (s *Setup) trust(ctx context.Context, st *Standing) {
	switch {
	case st.Agent.Trust == agents.TrustFolder, st.Name == "copilot" && s.Place.Project != "":
		st.Trust = TrustByFolder
	case st.Agent.Trust == agents.TrustNone:
		st.Trust = TrustNotNeeded
	case st.Installed == Absent || st.Path == "":
	default:
		st.Untrusted, st.TrustErr = s.askCodex(ctx, st.Agent)
		st.Trust = TrustGiven
		if st.TrustErr != nil {
			st.Trust = TrustUnknown
		} else if len(st.Untrusted) > 0 {
			st.Trust = TrustMissing
		}
	}
}

// trustLimit is how long Codex may take to list its hooks.
const trustLimit = 10 * time.Second

// askCodex asks Codex which of our hooks it does not trust. Only Codex knows, because its own rules decide.
func (s *Setup) askCodex(ctx context.Context, a agents.Agent) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, trustLimit)
	defer cancel()
	child, err := s.program(a, "app-server").Start(ctx)
	if err != nil {
		return nil, err
	}
	defer func() {
		_ = child.In.Close() // closing the input also ends a process that codex has started, which Kill does not reach
		child.Kill()
	}()
	for _, m := range []any{
		map[string]any{"id": 1, "method": "initialize", "params": map[string]any{"clientInfo": map[string]string{"name": "git-resume", "title": "git resume", "version": "1"}}},
		map[string]any{"method": "initialized"},
		map[string]any{"id": 2, "method": "hooks/list", "params": map[string]any{"cwds": []string{s.Dir}}},
	} {
		text, err := json.Marshal(m)
		if err != nil {
			return nil, err
		}
		if _, err := child.In.Write(append(text, '\n')); err != nil {
			return nil, err
		}
	}
	return untrusted(child.Out)
}

// maxAnswer limits how much of Codex's answer is read.
const maxAnswer = 4 << 20

// untrusted reads the answers of Codex and returns the events of our hooks that it does not trust.
func untrusted(from io.Reader) (events []string, err error) {
	lines := bufio.NewScanner(io.LimitReader(from, maxAnswer))
	lines.Buffer(nil, maxAnswer)
	for lines.Scan() {
		var answer struct {
			ID     int
			Error  *struct{ Message string }
			Result struct {
				Data []struct {
					Hooks []struct{ EventName, Command, TrustStatus string }
				}
			}
		}
		if json.Unmarshal(lines.Bytes(), &answer) != nil || answer.ID != 2 {
			continue
		}
		if answer.Error != nil {
			return nil, fmt.Errorf("codex app-server: %s", answer.Error.Message)
		}
		ours := 0
		for _, d := range answer.Result.Data {
			for _, h := range d.Hooks {
				if !agents.IsCommand(h.Command) {
					continue
				}
				if ours++; h.TrustStatus != "trusted" {
					events = append(events, h.EventName)
				}
			}
		}
		if ours == 0 {
			return nil, errors.New("codex lists no hook of git-resume")
		}
		return events, nil
	}
	return nil, errors.Join(errors.New("codex app-server did not answer"), lines.Err())
}
