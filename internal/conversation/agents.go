package conversation

import (
	"slices"

	"github.com/git-resume/git-resume/internal/agents"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/handler/agentsetup"
	screen "github.com/git-resume/git-resume/internal/screen/agentsetup"
	"github.com/git-resume/git-resume/internal/screen/prompt"
)

// AgentRequest is what the user wants to do with coding agents.
type AgentRequest struct {
	Setup *agentsetup.Setup
	Names []string
	// Tasks is true if the user asked to switch on the task lists of agents.
	Tasks bool
}

// InstallAgents shows what would be written for agents, asks, and writes it. For some agents it only prints what users can do themselves.
func InstallAgents(t *Talk, r AgentRequest) error {
	list, err := agentsetup.Named(r.Names)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		if list = r.Setup.Found(); len(list) == 0 {
			return &agentsetup.NoAgentError{}
		}
	}
	s := t.Person.Screen()
	for _, a := range list {
		if a.Support != agents.Installed {
			screen.Text(s, a, a.Snippets(r.Setup.Place))
		}
	}
	if list = slices.DeleteFunc(list, func(a agents.Agent) bool { return a.Support != agents.Installed }); len(list) == 0 {
		return nil
	}
	versions := r.Setup.Versions(t.Context, list)
	if err := t.askTasks(&r, list); err != nil {
		return err
	}
	p, err := r.Setup.PlanInstall(list, versions, r.Tasks)
	if err != nil {
		return err
	}
	return t.changeFiles(r, p, list, true)
}

// UninstallAgents shows what would be taken out, asks, and takes it out.
func UninstallAgents(t *Talk, r AgentRequest) error {
	list, err := agentsetup.Named(r.Names)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		list = agents.All
	}
	p, err := r.Setup.PlanUninstall(list)
	if err != nil {
		return err
	}
	return t.changeFiles(r, p, list, false)
}

// Without --tasks, askTasks asks whether to switch task lists on. With --yes, --dry-run or no terminal it leaves them off.
func (t *Talk) askTasks(r *AgentRequest, list []agents.Agent) error {
	off := r.Setup.Off(list)
	if r.Tasks || len(off) == 0 || r.Setup.Place.Project != "" {
		return nil
	}
	if !t.Person.CanAnswer() || t.Options.Yes || t.Options.DryRun {
		screen.TasksLeftOff(t.Person.Screen(), off)
		return nil
	}
	q := question{
		kind: askTaskLists, text: screen.TasksQuestion(off), def: "o", no: leaves, diff: difference{none: "the change is shown before it is made"},
		keys: []prompt.Key{{Name: "s", Also: []string{"y", "yes"}, Does: "switch the task lists on, until 'git resume agents uninstall' removes everything"}, {Name: "o", Also: []string{"n", "no"}, Does: "leave the task lists off, and install the rest"}},
	}
	reply, err := t.put(q)
	r.Tasks = err == nil && reply.key == "s"
	return err
}

// changeFiles shows how an installation or removal would change settings files, asks, and changes them.
func (t *Talk) changeFiles(r AgentRequest, p agentsetup.Plan, list []agents.Agent, installing bool) error {
	s := t.Person.Screen()
	screen.Plan(s, p)
	screen.Refused(s, p)
	refused := error(nil)
	if len(p.Refused()) > 0 {
		refused = exit.Code(exit.Failed)
	}
	if p.Empty() {
		if refused == nil {
			screen.NothingToDo(s, installing)
		}
		if !t.Options.DryRun {
			if err := r.Setup.Apply(p); err != nil { // no settings file needs a change, but the record of what is installed may need one
				return err
			}
		}
		return refused
	}
	if t.Options.DryRun {
		return refused
	}
	kind, text, does := askInstallAgents, "Make these changes?", "write these files"
	if !installing {
		kind, text, does = askUninstallAgents, "Remove this?", "take it out of these files"
	}
	if err := t.confirm(yesNo(kind, text, does, difference{none: "the changes are shown above"})); err != nil {
		return err
	}
	if err := r.Setup.Apply(p); err != nil {
		return err
	}
	screen.Done(s, installing, list)
	return refused
}
