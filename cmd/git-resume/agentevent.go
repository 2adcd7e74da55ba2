package main

import (
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/git-resume/git-resume/gitstate/locate"
	facts "github.com/git-resume/git-resume/internal/agents"
)

// agentEventWord is the command that the hooks of coding agents call.
const agentEventWord = "agent-event"

// eventLimit is the longest time that a hook may take. An agent waits for its hooks.
const eventLimit = 900 * time.Millisecond

// agentEvent handles the event of a coding agent. It prints nothing and always ends with code 0, because a hook that fails or prints
// something can stop an agent or make it loop. Recognized events are not recorded yet.
func agentEvent(args []string, in io.Reader) {
	// First of all, signals are ignored: agents send them to their hooks when they end, which is when an event matters most.
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	time.AfterFunc(eventLimit, func() { os.Exit(0) })
	defer func() { _ = recover() }() // not even a bug may disturb an agent
	text, err := io.ReadAll(io.LimitReader(in, facts.MaxPayload+1))
	if err != nil {
		return
	}
	_, _ = io.Copy(io.Discard, in) // an agent that cannot write all of its payload may report an error
	dir, err := os.Getwd()
	if err != nil {
		return
	}
	if _, err := locate.Find(dir, os.Environ()); err != nil {
		return
	}
	name := ""
	if len(args) > 0 {
		name = args[0]
	}
	_, _ = facts.Recognize(text, name, os.Getenv)
}
