package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-resume/git-resume/cmd/git-resume/early"
	"github.com/git-resume/git-resume/gitstate/locate"
	facts "github.com/git-resume/git-resume/internal/agents"
	"github.com/git-resume/git-resume/internal/agents/heard"
	"github.com/git-resume/git-resume/internal/agents/session"
	"github.com/git-resume/git-resume/internal/conversation"
	"github.com/git-resume/git-resume/internal/drivers"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/handler/agentsetup"
	"github.com/git-resume/git-resume/internal/handler/doctor"
	screen "github.com/git-resume/git-resume/internal/screen/agentsetup"
	"github.com/git-resume/git-resume/internal/sessions"
)

type agentCommands struct{ of commands }

func (cs agentCommands) agents() *cli.Command {
	flags := []cli.Flag{
		&cli.BoolFlag{Name: "project"}, &cli.BoolFlag{Name: "tasks"}, &cli.BoolFlag{Name: "probe"},
		&cli.BoolFlag{Name: "dry-run", Aliases: []string{"n"}}, &cli.BoolFlag{Name: "yes", Aliases: []string{"y"}},
	}
	return cs.of.command("agents", flags, func(c *cli.Context) error {
		verb := c.Args().First()
		act, ok := map[string]func(*cli.Context, *agentsetup.Setup) error{"": cs.list, "install": cs.change, "uninstall": cs.change, "check": cs.check}[verb]
		switch {
		case !ok:
			return unknownBelow("agents", []string{"install", "uninstall", "check"}, c.Args().Slice())
		case verb != "install" && c.Bool("tasks"):
			return exit.Usagef("--tasks can only be used with install")
		case verb != "check" && c.Bool("probe"):
			return exit.Usagef("--probe can only be used with check")
		case c.Bool("probe") && c.Bool("project"):
			return exit.Usagef("--probe and --project cannot be used together")
		case verb != "install" && verb != "uninstall" && (c.Bool("dry-run") || c.Bool("yes")):
			return exit.Usagef("--dry-run and --yes can only be used with install and uninstall")
		}
		s, err := cs.setup(c.Bool("project"))
		if err != nil {
			return err
		}
		return act(c, s)
	})
}

// setup finds the folders of the user and, for --project, the worktree. Without --project no repository is needed.
func (cs agentCommands) setup(project bool) (*agentsetup.Setup, error) {
	dir, err := currentDir()
	if err != nil {
		return nil, err
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, err
	}
	cs.of.call.dir = dir
	s := &agentsetup.Setup{Place: facts.Place{Home: home, Getenv: cs.of.call.getenv}, State: heard.State(home, cs.of.call.getenv), Env: cs.of.call.env, Dir: dir}
	if !project {
		return s, nil
	}
	place, err := locate.Find(dir, cs.of.call.env)
	if err != nil {
		return nil, err
	}
	if s.Place.Project = place.WorkTree; place.WorkTree == "" {
		return nil, exit.Usagef("--project needs a worktree, but the current directory is not in one")
	}
	return s, nil
}

// checks returns a check for each place, the user's own folders and this worktree, where an agent still has hooks of an earlier version.
func (cs agentCommands) checks() (out []doctor.Check) {
	out = append(out, doctor.Check{Name: "sessions", Well: true, Text: cs.readable()})
	for _, project := range []bool{false, true} {
		s, err := cs.setup(project)
		if err != nil {
			continue // there is no home folder, or no worktree
		}
		list, p, err := s.PlanRenewal(cs.of.call.ctx)
		if len(list) == 0 {
			continue
		}
		var names []string
		for _, a := range list {
			names = append(names, a.Name)
		}
		out = append(out, doctor.Check{
			Name: "agents", Text: fmt.Sprintf("the hooks of %s are from an earlier version, and could stop the agent if git-resume crashes; Codex must be told again to trust new hooks", strings.Join(names, ", ")),
			Fix: func(context.Context) error {
				for _, c := range p.Refused() {
					err = errors.Join(err, c.Err)
				}
				return errors.Join(err, s.Apply(p))
			},
		})
	}
	return out
}

// readable says which agents' sessions are found by their own files.
func (cs agentCommands) readable() string {
	if c := cs.of.call.settings("agents"); c != nil && !c.Bool("resume.agents.scan", true) {
		return "not read: resume.agents.scan is off"
	}
	var read, not []string
	understood := sessions.Agents()
	for _, a := range understood {
		read = append(read, a[0]+" (as of "+a[1]+")")
	}
	for _, a := range facts.All {
		if !slices.ContainsFunc(understood, func(u [2]string) bool { return u[0] == a.Name }) {
			not = append(not, a.Name)
		}
	}
	return fmt.Sprintf("found in the files of %s; not in those of %s", strings.Join(read, ", "), strings.Join(not, ", "))
}

func (cs agentCommands) list(_ *cli.Context, s *agentsetup.Setup) error {
	var live []session.Record
	if e, err := cs.of.call.engine(); err == nil { // outside of repositories there are no sessions to show
		live = drivers.Alive(e.Site)
	}
	screen.List(cs.of.call.Screen(), s.Inspect(cs.of.call.ctx, facts.All), live)
	return nil
}

func (cs agentCommands) check(c *cli.Context, s *agentsetup.Setup) error {
	list, err := agentsetup.Named(c.Args().Tail())
	if err != nil {
		return err
	}
	named := len(list) > 0
	if !named {
		list = facts.All
	}
	standing := s.Inspect(cs.of.call.ctx, list)
	if !named {
		standing = slices.DeleteFunc(standing, func(st agentsetup.Standing) bool { return st.Path == "" && st.Installed == agentsetup.Absent })
	}
	if c.Bool("probe") {
		s.Probe(cs.of.call.ctx, standing)
	}
	screen.Check(cs.of.call.Screen(), standing, s.OnPath())
	if !s.OnPath() || slices.ContainsFunc(standing, agentsetup.Standing.Dead) {
		return exit.Code(exit.Failed)
	}
	return nil
}

func (cs agentCommands) change(c *cli.Context, s *agentsetup.Setup) error {
	t := &conversation.Talk{Context: cs.of.call.ctx, Person: cs.of.call, Options: options(c), Clock: early.Now}
	r := conversation.AgentRequest{Setup: s, Names: c.Args().Tail(), Tasks: c.Bool("tasks")}
	if c.Args().First() == "install" {
		return conversation.InstallAgents(t, r)
	}
	return conversation.UninstallAgents(t, r)
}
