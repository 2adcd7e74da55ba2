package main

import (
	"context"
	"io"

	"github.com/git-resume/git-resume/cmd/git-resume/early"
	"github.com/git-resume/git-resume/cmd/git-resume/early/record"
	facts "github.com/git-resume/git-resume/internal/agents"
	"github.com/git-resume/git-resume/internal/handler"
	"github.com/git-resume/git-resume/internal/screen/brief"
)

// agentEvent records what a hook of a coding agent reports, if package record could not do so alone. If the agent's session starts or was
// compacted, agentEvent prints the context for the agent. Otherwise it prints nothing.
func agentEvent(call *record.Call, out io.Writer) {
	defer early.Silence()
	_, _ = out.Write(hear(call))
}

// hear records the report of a hook, and returns the text that the hook prints for the agent. It returns nil if there is nothing to print.
func hear(call *record.Call) []byte {
	defer call.Site.Repo.Close()
	h, err := call.Hear(context.Background(), handler.New(call.Site).Listening)
	if err != nil || !h.Ask || h.Run == nil {
		return nil
	}
	return facts.Answer(call.Report.Agent, brief.Context(h.Run, h.Path, h.Other, early.Now()))
}
