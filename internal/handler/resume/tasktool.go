package resume

import (
	"cmp"
	"context"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/gitstate/settings"
	"github.com/git-resume/git-resume/internal/agents"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/crew"
	"github.com/git-resume/git-resume/internal/drivers"
	"github.com/git-resume/git-resume/internal/plan"
)

// taskGiver gives each task without a command to the tool that the user has configured. Each task has a worktree of its own.
type taskGiver struct {
	resumer *Resumer
	cfg     *settings.Config
	handOff HandOff
	source  string
	// command is the user's command. It is empty if the tasks are given to sessions of an agent.
	command string
	agent   agents.Agent
}

// TaskTool returns the tool for tasks that have no command. The tool is used if several tasks may run at the same time. TaskTool returns
// nil for other systems' work, and if the user has configured no tool. If sessions of a coding agent are configured but cannot be started,
// the second result says why.
func (e *Resumer) TaskTool(ctx context.Context, m *candidate.Summary, h HandOff) (tool TaskTool, not *NotHanded) {
	if m.Found != nil || h.TaskBrief == nil {
		return nil, nil
	}
	cfg, err := e.Repo.Settings.Config(ctx)
	if err != nil {
		return nil, nil
	}
	t := &taskGiver{resumer: e, cfg: cfg, handOff: h, source: m.Source(), command: handOffCommand(cfg, m.Source())}
	if t.command != toAgent {
		if t.command == "" {
			return nil, nil
		}
		return t.forTask, nil
	}
	name, _ := cfg.Get("resume.agent")
	if by := m.Run.Agent; by != nil {
		name = cmp.Or(name, by.Agent)
	}
	if name = cmp.Or(name, e.Agent); name == "" {
		return nil, &NotHanded{Why: NoSession}
	}
	t.command = ""
	if t.agent, _ = agents.Lookup(name); t.agent.Name == "" {
		return nil, &NotHanded{Why: NotTried, Agent: name}
	}
	c, ok := t.agent.Continuation()
	switch {
	case !ok || c.Fresh == "":
		return nil, &NotHanded{Why: NotTried, Agent: t.agent.Title}
	case !e.onPath(t.agent):
		return nil, &NotHanded{Why: NotFound, Agent: t.agent.Title}
	}
	return t.forTask, nil
}

// forTask returns the command that does a task in the worktree dir. It is the user's own command, or a command that starts an agent. If
// the agent has a session that worked on the task there and can be continued, that session is continued. Otherwise the agent starts a
// new session.
func (t *taskGiver) forTask(j *journal.Journal, task plan.Task, at checkpoint.Place, dir string) crew.Tool {
	r := &j.Run
	brief := strings.ReplaceAll(t.handOff.TaskBrief(j, checkpoint.TaskID(task.ID), dir), "\x00", "")
	values := map[string]string{
		"GIT_RESUME_DIR": dir, "GIT_RESUME_RUN": string(r.ID), "GIT_RESUME_SOURCE": t.source, "GIT_RESUME_TASK": task.ID,
		"GIT_RESUME_BRIEF": strings.ToValidUTF8(brief[:min(len(brief), maxBrief)], ""),
	}
	command := t.command
	if command == "" {
		var session string
		command, session = t.session(r, checkpoint.TaskID(task.ID), at, dir)
		values["GIT_RESUME_AGENT"], values["GIT_RESUME_AGENT_ID"] = t.agent.Name, session
	}
	out := crew.Tool{Shell: Expand(command)}
	for _, p := range placeholders {
		out.Env = append(out.Env, p.variable+"="+values[p.variable])
	}
	return out
}

// session returns the command that continues or starts an agent's session for a task. The result "session" is the id of the continued
// session, or empty for a new one.
func (t *taskGiver) session(r *checkpoint.Run, id checkpoint.TaskID, at checkpoint.Place, dir string) (command, session string) {
	c, _ := t.agent.Continuation()
	command = c.Fresh
	if s := r.Task(id); s != nil && s.Attempts > 0 && s.Place == at.N {
		k := drivers.In(t.resumer.Site).At(at.Admin, s.Started)
		if k != nil && k.Agent == t.agent.Name && agents.IsSession(k.ID) && t.resumer.obstacle(t.agent, c, k, dir) == "" {
			command, session = c.Alone, k.ID
		}
	}
	return withArgs(t.cfg, t.agent, command), session
}
