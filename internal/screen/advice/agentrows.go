package advice

import (
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/handler/agentsetup"
)

// agentRows has the rows for errors about the files of coding agents.
func agentRows() []row {
	return []row{
		rowFor(exit.Failed, fixedLines[*agentsetup.ChangedError]("repeat the command; it then shows what it would change in the file as it is now")),
		rowFor(exit.Usage, fixedLines[*agentsetup.UnknownError]("see the state of all agents with 'git resume agents'")),
		rowFor(exit.Failed, fixedLines[*agentsetup.NoAgentError]("name the agent, as in 'git resume agents install claude'")),
	}
}
