package agentsetup

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/git-resume/git-resume/internal/agents"
	"github.com/git-resume/git-resume/internal/agents/splice"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// Installation says how completely git-resume is installed for an agent.
type Installation string

const (
	Absent Installation = "absent"
	Whole  Installation = "whole"
	Partly Installation = "partly"
	// Unreadable means that a file cannot be read, or that its content is not understood.
	Unreadable Installation = "unreadable"
)

// Trusted says whether an agent runs our hooks, as far as this depends on its user's trust.
type Trusted string

const (
	TrustNotNeeded Trusted = "not-needed"
	TrustGiven     Trusted = "given"
	TrustMissing   Trusted = "missing"
	TrustByFolder  Trusted = "by-folder"
	TrustUnknown   Trusted = "unknown"
)

// Switched says whether the task list of an agent is on.
type Switched string

const (
	SwitchedOn      Switched = "on"
	SwitchedOff     Switched = "off"
	SwitchedNoNeed  Switched = "always"
	SwitchedUnread  Switched = "database"
	SwitchedUnknown Switched = "unknown"
)

// Standing describes one agent: its program, what is installed for it, and whether its hooks work.
type Standing struct {
	agents.Agent
	// Path is where the program is; empty if it was not found. Version is empty if it is not known.
	Path, Version string
	Installed     Installation
	// Lacks names what is wrong with a partial installation: the paths of our own files that are missing or changed, and the events that
	// have no hook of ours.
	Lacks []string
	// Err says why a file is unreadable; nil if none is.
	Err   error
	Trust Trusted
	// Untrusted names the events whose hooks the agent does not run until its user trusts them. TrustErr says why that is not known.
	Untrusted []string
	TrustErr  error
	Tasks     Switched
	// Heard is when a hook of the agent last called us, or zero if no call is recorded.
	Heard time.Time
	// Probed is the result of a session that was started to try the hooks, or nil if none was started.
	Probed *Probed
}

// Silent reports whether everything is installed and nothing seems wrong, but no call of a hook is recorded, and no trial was made.
func (s Standing) Silent() bool {
	return s.Installed == Whole && !s.Dead() && s.Heard.IsZero() && s.Probed == nil
}

// Dead reports whether an installation is incomplete, unreadable, or known not to work.
func (s Standing) Dead() bool {
	return s.Installed == Partly || s.Installed == Unreadable || s.Installed == Whole && (s.Path == "" || s.Trust == TrustMissing || s.Probed != nil && !s.Probed.Called)
}

// OnPath reports whether a hook would find git-resume.
func (s *Setup) OnPath() bool { return proc.Command{Name: "git-resume", Env: s.Env}.IsInstalled() }

// Inspect describes each of the agents. The agents are inspected at the same time.
func (s *Setup) Inspect(ctx context.Context, list []agents.Agent) []Standing {
	out := make([]Standing, len(list))
	var wait sync.WaitGroup
	for i, a := range list {
		wait.Go(func() { out[i] = s.standing(ctx, a) })
	}
	wait.Wait()
	return out
}

// Versions returns the version of each agent, or "" where it is not known.
func (s *Setup) Versions(ctx context.Context, list []agents.Agent) map[string]string {
	out := map[string]string{}
	for _, st := range s.versions(ctx, list) {
		out[st.Name] = st.Version
	}
	return out
}

func (s *Setup) versions(ctx context.Context, list []agents.Agent) []Standing {
	out := make([]Standing, len(list))
	var wait sync.WaitGroup
	for i, a := range list {
		wait.Go(func() { out[i] = Standing{Agent: a, Version: s.version(ctx, a)} })
	}
	wait.Wait()
	return out
}

func (s *Setup) standing(ctx context.Context, a agents.Agent) Standing {
	st := Standing{Agent: a, Installed: Absent, Trust: TrustUnknown, Tasks: SwitchedUnknown}
	if cmd := s.program(a); cmd.IsInstalled() {
		st.Path = cmd.Path()
	}
	st.Heard = s.heard(a.Name)
	if a.Support != agents.Installed {
		return st
	}
	st.Version = s.version(ctx, a)
	s.installed(&st)
	s.trust(ctx, &st)
	st.Tasks = s.switched(a)
	return st
}

// installed compares the files of an agent with what we would write.
func (s *Setup) installed(st *Standing) {
	have, want := 0, 0
	for _, p := range st.Pieces(s.Place, st.Version, false) {
		f, err := s.read(p.Path, !p.Shared())
		if err != nil {
			st.Installed, st.Err = Unreadable, err
			return
		}
		want++
		switch missing, err := lacks(p, f); {
		case err != nil:
			st.Installed, st.Err = Unreadable, refusal(p.Path, err)
			return
		case len(missing) == 0:
			have++
		default:
			st.Lacks = append(st.Lacks, missing...)
		}
	}
	switch {
	case have == want:
		st.Installed = Whole
	case have > 0 && !s.onlySkill(st, have):
		st.Installed = Partly
	case s.anyEntry(st):
		st.Installed = Partly
	default:
		st.Lacks = nil
	}
}

// onlySkill reports whether the file of the skill is the only one of our files that exists. All agents except Claude share this file, so
// perhaps it was installed for another agent. The result is false for Claude.
func (s *Setup) onlySkill(st *Standing, have int) bool {
	return have == 1 && !containsPath(st.Lacks, "SKILL.md") && st.Name != "claude"
}

func containsPath(list []string, name string) bool {
	for _, l := range list {
		if filepath.Base(l) == name {
			return true
		}
	}
	return false
}

// anyEntry reports whether a shared file has at least one of our hooks.
func (s *Setup) anyEntry(st *Standing) bool {
	for _, p := range st.Pieces(s.Place, st.Version, false) {
		if f, err := s.read(p.Path, false); p.Shared() && err == nil && strings.Contains(string(f.data), "git-resume agent-event") {
			return true
		}
	}
	return false
}

// lacks says what is missing from an installed file. For a file of our own that is missing or differs, it returns the path. For a shared
// file, it returns the events that do not have our hooks.
func lacks(p agents.Piece, f file) (missing []string, err error) {
	if !p.Shared() {
		if !f.exists || string(f.data) != string(p.Own) {
			return []string{p.Path}, nil
		}
		return nil, nil
	}
	_, edits, err := splice.AddJSON(f.data, p.Format, p.Entries)
	for _, e := range edits {
		if len(e.Path) > 1 && e.List && e.Text != "," {
			missing = append(missing, e.Path[len(e.Path)-1])
		}
	}
	return missing, err
}

// switched reports whether the task list of an agent is switched on in the user's settings.
func (s *Setup) switched(a agents.Agent) Switched {
	switch a.Tasks {
	case agents.TasksOn:
		return SwitchedNoNeed
	case agents.TasksUnreadable:
		return SwitchedUnread
	case agents.TasksUnknown:
		return SwitchedUnknown
	}
	user := s.Place
	user.Project = ""
	p, _ := a.Switch(user) // the cases above returned for every agent without a switch
	f, err := s.read(p.Path, false)
	if err != nil {
		return SwitchedUnknown
	}
	on := false
	if p.Setting != nil {
		value, err := splice.TOMLValue(f.data, *p.Setting)
		if err != nil {
			return SwitchedUnknown
		}
		on = value == p.Setting.Value
	} else if value, err := splice.JSONValue(f.data, p.Format, p.Entries[0].Path); err == nil {
		on = value == p.Entries[0].Value
	} else {
		return SwitchedUnknown
	}
	if on {
		return SwitchedOn
	}
	return SwitchedOff
}

// Off returns the names of the agents whose task lists can be switched on and are off.
func (s *Setup) Off(list []agents.Agent) (names []string) {
	for _, a := range list {
		if a.Support == agents.Installed && s.switched(a) == SwitchedOff {
			names = append(names, a.Name)
		}
	}
	return names
}

var versionForm = textdoc.NewForm(`\d+\.\d+\.\d+`)

// askLimit is how long an agent's program may take to print its version.
const askLimit = 5 * time.Second

// version returns the version of an agent's program, or "" if it is not known. The file package.json is read first, because starting the
// program takes much longer.
func (s *Setup) version(ctx context.Context, a agents.Agent) string {
	cmd := s.program(a, "--version")
	if !cmd.IsInstalled() {
		return ""
	}
	if v := packageVersion(cmd.Path(), a.Package); v != "" {
		return v
	}
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	out, err := cmd.Run(ctx)
	if err != nil {
		return ""
	}
	return versionForm.FindString(string(out.Stdout))
}

// packageVersion returns the version of the npm package to which a program belongs. It returns "" if no package with this name is found.
func packageVersion(program, name string) string {
	at, err := filepath.EvalSymlinks(program)
	for range 4 {
		if err != nil || name == "" {
			return ""
		}
		at = filepath.Dir(at)
		text, readErr := os.ReadFile(filepath.Join(at, "package.json"))
		if readErr != nil {
			continue
		}
		var p struct{ Name, Version string }
		if json.Unmarshal(text, &p) == nil && p.Name == name {
			return versionForm.FindString(p.Version)
		}
	}
	return ""
}
