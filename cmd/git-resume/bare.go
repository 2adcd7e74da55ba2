package main

import (
	"io"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/outcome"
	"github.com/git-resume/git-resume/internal/staging"
)

// bare prints what git-resume has to say about a single command: for example that it runs again, and how it ended. The command itself
// prints its own output.
type bare struct{ p *program }

func (bare) Begins(int, int, plan.Task, int) {}

func (b bare) Again(_ checkpoint.TaskID, why string) {
	b.p.Screen().Note("running the command again: %s", quote.Clean(why))
}

func (b bare) Ends(_, _ int, _ plan.Task, out *execution.Outcome) {
	outcome.Single(b.p.Screen(), out)
}

func (b bare) SetAside(x staging.SetAside) { outcome.SetAside(b.p.Screen(), x) }

func (b bare) Streams() (out, err io.Writer) { return b.p.stream(), b.p.err }
