package main

import (
	"time"

	"github.com/urfave/cli/v2"

	"github.com/git-resume/git-resume/internal/conversation"
)

// waitAtMost is how long "wait" waits if the user does not say how long.
const waitAtMost = 24 * time.Hour

// waiting builds the command "wait".
type waiting struct{ of commands }

func (cs waiting) wait() *cli.Command {
	return cs.of.command("wait", []cli.Flag{runFlag(), timeoutFlag()}, func(c *cli.Context) error {
		run, err := oneRun(c, "wait [RUN]")
		if err != nil {
			return err
		}
		most, err := timeLimit(c)
		if err != nil {
			return err
		}
		if most == 0 {
			most = waitAtMost
		}
		open := func() (*conversation.Talk, error) { return cs.of.call.talk(c) }
		return conversation.Wait(cs.of.call.ctx, conversation.WaitRequest{Run: run, Most: most, Open: open, Close: cs.of.call.close})
	})
}
