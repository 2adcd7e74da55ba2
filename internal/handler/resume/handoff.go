package resume

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/clone"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/checkpoint/owner"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/settings"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/sources"
)

// HandOff holds what we pass to a tool that takes over a run.
type HandOff struct {
	// Brief returns the text that describes the state of the run.
	Brief func(*Advanced) string
	// TaskBrief returns the text for the worker who does one task in a worktree of its own.
	TaskBrief      func(j *journal.Journal, task checkpoint.TaskID, dir string) string
	Env            []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	TTY            *os.File
	Signals        <-chan os.Signal
}

// Handed says how the tool ended.
type Handed struct {
	Command string
	Code    int
	// Agent is the coding agent whose session was continued. It is empty if the tool was a command of the user. Turn is what the agent's
	// hooks reported about its last turn, or nil. Silent is true if nothing was recorded while the agent ran. The exit code of an agent
	// does not say whether it finished its turn.
	Agent  string
	Turn   *checkpoint.Turn
	Silent bool
}

// handOffCommand returns the command that the user has configured for runs of this source; empty if there is none.
func handOffCommand(c *settings.Config, source string) string {
	keys := []string{}
	for _, name := range sources.NamesOf(source) {
		keys = append(keys, "resume."+name+".handoff")
	}
	for _, key := range append(keys, "resume.handoff") {
		if v, ok := c.Get(key); ok && strings.TrimSpace(v) != "" {
			return v
		}
	}
	return ""
}

// HandsOff reports whether the user has configured a tool or an agent's session that would take over this run now.
func (e *Resumer) HandsOff(ctx context.Context, a *assess.Assessment) bool {
	if !e.Repo.Settings.Mentions("handoff") { // most people have no setting for hand-offs, and asking git takes long
		return false
	}
	cfg, err := e.Repo.Settings.Config(ctx)
	if err != nil {
		return false
	}
	command, _ := e.handOffTo(cfg, a, a.Tree.Path, false)
	return command != ""
}

// handOffTo returns the command that continues a run in the folder dir, or "" if no tool can be started. If the setting wants an agent's
// session to be continued, but this session cannot be continued, the second result says why.
func (e *Resumer) handOffTo(cfg *settings.Config, a *assess.Assessment, dir string, alone bool) (string, *NotHanded) {
	command := handOffCommand(cfg, a.Summary.Source())
	if command == toAgent {
		return e.sessionCommand(cfg, &a.Summary, dir, alone)
	}
	return command, nil
}

// handOff starts the tool that the user has configured, and waits for its end. Meanwhile the run stays claimed by this process. handOff
// returns false if there is no tool to start.
func (m *continuing) handOff(ctx context.Context) (bool, error) {
	cfg, err := m.Repo.Settings.Config(ctx)
	if err != nil {
		return false, err
	}
	alone := m.c.Mode == assess.Auto || m.c.HandOff.TTY == nil
	command, not := m.resumer.handOffTo(cfg, m.a, m.out.Path, alone)
	if m.c.Offer != nil {
		command, not = m.c.Offer.command, nil
	}
	m.out.NotHanded = not
	if command == "" || m.c.HandOff.Brief == nil {
		return false, nil
	}
	lock, err := owner.LockTask(m.Store, m.out.Journal.Run.ID, 0)
	if err != nil {
		return true, err
	}
	m.out.Handed = &Handed{Command: command}
	since, events := m.Now(), m.out.Journal.Run.Events
	ended, err := m.runTool(command, lock)
	if err != nil {
		return true, fmt.Errorf("'%s', which should continue the run, could not be started: %w", command, err)
	}
	m.out.Handed.Code = codeOf(ended)
	if lock.HeldByOthers() {
		_ = lock.SetAside(m.owner.Claim.Nonce)
	}
	m.out.Journal, err = m.Store.Load(ctx, m.out.Journal.Run.ID)
	if err != nil || m.c.Offer != nil || handOffCommand(cfg, m.a.Summary.Source()) != toAgent { // the person saw how an agent ended that they chose themselves
		return true, err
	}
	h := m.out.Handed
	if err := m.noteQuota(ctx, h.Code); err != nil {
		return true, err
	}
	h.Agent, h.Turn, h.Silent = m.a.Summary.Session.Agent, m.agentTurn(since), m.out.Journal.Run.Events == events
	return true, nil
}

func (m *continuing) runTool(command string, lock *owner.TaskLock) (proc.Ended, error) {
	h := m.c.HandOff
	name, args := proc.Shell(Expand(command))
	g, err := proc.Command{
		Name: name, Args: args, Dir: m.out.Path, Env: m.toolEnv(), Stdin: h.Stdin, Stdout: h.Stdout, Stderr: h.Stderr,
		TTY: h.TTY, Files: []*os.File{lock.File()},
		// The process id of the tool goes into the lock file. A tool that closes the file loses the lock, and then only the id shows that
		// the tool is still running.
		Hold: func(pid int) {
			if p, ok := m.Procs.Get(pid); ok {
				_ = lock.Name(checkpoint.NewActor(m.Procs.Host(), p, clone.ID(m.Repo)))
			}
		},
	}.StartGroup()
	if err != nil {
		lock.LetGo()
		return proc.Ended{}, err
	}
	lock.LetGo()
	done := make(chan struct{})
	defer close(done)
	go forwardSignals(g, h.Signals, done)
	return g.Wait()
}

// forwardSignals passes the signals that we receive to the tool, which decides what to do.
func forwardSignals(g *proc.Group, signals <-chan os.Signal, done <-chan struct{}) {
	for {
		select {
		case <-done:
			return
		case s := <-signals:
			switch s {
			case os.Interrupt:
				g.Interrupt()
			case syscall.SIGHUP:
				g.Hangup()
			default:
				g.Terminate()
			}
		}
	}
}

func codeOf(e proc.Ended) int {
	if e.Signal != "" {
		return 128
	}
	return e.Code
}

// placeholders maps the placeholders of a command to environment variables, so that text from a repository does not become shell code.
var placeholders = []struct{ name, variable string }{
	{"{dir}", "GIT_RESUME_DIR"}, {"{run}", "GIT_RESUME_RUN"}, {"{task}", "GIT_RESUME_TASK"}, {"{brief}", "GIT_RESUME_BRIEF"},
	{"{name}", "GIT_RESUME_NAME"}, {"{main}", "GIT_RESUME_MAIN"},
	{"{agent}", "GIT_RESUME_AGENT"}, {"{agent_id}", "GIT_RESUME_AGENT_ID"}, {"{source}", "GIT_RESUME_SOURCE"},
}

// maxBrief limits the brief in bytes, because systems limit the length of an environment variable.
const maxBrief = 64 << 10

func (m *continuing) toolEnv() []string {
	env := slices.DeleteFunc(slices.Clone(m.c.HandOff.Env), func(v string) bool {
		key, _, _ := strings.Cut(v, "=")
		return slices.Contains(locate.LocalVars(), key) || strings.HasPrefix(key, "GIT_RESUME_")
	})
	r := &m.out.Journal.Run
	brief := strings.ReplaceAll(m.c.HandOff.Brief(&m.out), "\x00", "")
	values := map[string]string{
		"GIT_RESUME_DIR": m.out.Path, "GIT_RESUME_RUN": string(r.ID), "GIT_RESUME_SOURCE": m.a.Summary.Source(),
		"GIT_RESUME_BRIEF": strings.ToValidUTF8(brief[:min(len(brief), maxBrief)], ""), "GIT_RESUME_OWNER": m.Store.Nonce,
	}
	values["GIT_RESUME_NAME"] = r.Name
	if main, ok := m.Repo.Main(); ok {
		values["GIT_RESUME_MAIN"] = main.WorkTree
	}
	if _, t := r.Current(); t != nil {
		values["GIT_RESUME_TASK"] = string(t.ID)
	}
	if f := m.a.Summary.Found; f != nil {
		values["GIT_RESUME_TASK"], values["GIT_RESUME_AGENT"], values["GIT_RESUME_AGENT_ID"] = f.Point.Task, f.Agent, f.Session
	} else if r.Agent != nil {
		values["GIT_RESUME_AGENT"], values["GIT_RESUME_AGENT_ID"] = r.Agent.Agent, r.Agent.Session
	}
	for _, p := range placeholders {
		env = append(env, p.variable+"="+values[p.variable])
	}
	return append(env, "GIT_RESUME_OWNER="+values["GIT_RESUME_OWNER"])
}

// Expand replaces placeholders with references to variables, quoted so that a value with spaces is not split.
func Expand(command string) string {
	var out strings.Builder
	quote := byte(0)
	for i := 0; i < len(command); {
		if p := placeholderAt(command[i:]); p >= 0 {
			out.WriteString(reference(placeholders[p].variable, quote))
			i += len(placeholders[p].name)
			continue
		}
		c := command[i]
		out.WriteByte(c)
		i++
		switch {
		case c == '\\' && quote != '\'' && i < len(command):
			out.WriteByte(command[i])
			i++
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case c == quote:
			quote = 0
		}
	}
	return out.String()
}

func placeholderAt(text string) int {
	return slices.IndexFunc(placeholders, func(p struct{ name, variable string }) bool { return strings.HasPrefix(text, p.name) })
}

func reference(variable string, quote byte) string {
	switch quote {
	case '"':
		return "${" + variable + "}"
	case '\'':
		return `'"${` + variable + `}"'`
	default:
		return `"${` + variable + `}"`
	}
}
