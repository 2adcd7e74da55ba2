package resume

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/flock"
	"github.com/git-resume/git-resume/internal/plan"
)

// UntrustedError says that nobody on this machine has approved a command.
type UntrustedError struct {
	Run      checkpoint.RunID
	Task     checkpoint.TaskID
	Commands []string
}

func (e *UntrustedError) Error() string {
	return fmt.Sprintf("the command of task '%s' was not approved on this machine", e.Task)
}

// TrustMode says whether commands are approved or only shown.
type TrustMode int

// The modes.
const (
	LookOnly TrustMode = iota
	Approve
)

// commandsOf lists the exact texts that a plan would run.
func commandsOf(p plan.Plan) []string {
	var out []string
	add := func(text string) {
		if text != "" && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	add(p.Setup)
	for _, t := range p.Tasks {
		add(t.Run)
		add(t.Verify)
	}
	return out
}

func (e *Engine) trustPath() string { return e.Repo.CommonPath("resume", "trusted") }

// trusted reads the hashes of the command texts that were approved here.
func (e *Engine) trusted() (map[string]bool, error) {
	text, err := gitstate.ReadUpTo(e.trustPath(), 16<<20)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("read what was approved: %w", err)
	}
	return parseTrusted(string(text)), nil
}

// parseTrusted reads one hash on each line.
func parseTrusted(text string) map[string]bool {
	out := map[string]bool{}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			out[line] = true
		}
	}
	return out
}

// approve adds command texts to what the user of this machine has approved.
func (e *Engine) approve(commands []string) error {
	if len(commands) == 0 {
		return nil
	}
	lock, err := flock.WaitFor(e.trustPath()+".lock", time.Minute)
	if err != nil {
		return fmt.Errorf("approve commands: %w", err)
	}
	defer func() { _ = lock.Release() }()
	have, err := e.trusted()
	if err != nil {
		return err
	}
	for _, c := range commands {
		have[execution.Hash(c, nil)] = true
	}
	lines := make([]string, 0, len(have))
	for h := range have {
		lines = append(lines, h)
	}
	slices.Sort(lines)
	return gitstate.WriteFile(e.trustPath(), []byte(strings.Join(lines, "\n")+"\n"))
}

// approved refuses a plan of which a command was not approved on this machine: nothing of it runs then.
func (e *Engine) approved(id checkpoint.RunID, p plan.Plan) error {
	missing, err := e.needsApproval(p)
	if err != nil || len(missing) == 0 {
		return err
	}
	out := &UntrustedError{Run: id, Task: SetupTask, Commands: missing}
	for _, t := range p.Tasks {
		if slices.Contains(missing, t.Run) || slices.Contains(missing, t.Verify) {
			out.Task = checkpoint.TaskID(t.ID)
			break
		}
	}
	return out
}

// needsApproval lists those of a plan's commands that nobody here has approved.
func (e *Engine) needsApproval(p plan.Plan) ([]string, error) {
	have, err := e.trusted()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(commandsOf(p), func(c string) bool { return have[execution.Hash(c, nil)] }), nil
}

// Trust approves the commands of a run's plan on this machine and gives those that were new;
// with LookOnly it only gives them.
func (e *Engine) Trust(ctx context.Context, run string, mode TrustMode) (*checkpoint.Run, []string, error) {
	id, err := e.Resolve(ctx, run)
	if err != nil {
		return nil, nil, err
	}
	j, err := e.Store.Load(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	p, err := e.planOf(ctx, &j.Run)
	if err != nil {
		return nil, nil, err
	}
	missing, err := e.needsApproval(p)
	if err != nil {
		return nil, nil, err
	}
	if mode == LookOnly {
		return &j.Run, missing, nil
	}
	return &j.Run, missing, e.approve(missing)
}
