package gitops

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/sources"
)

// Source finds git's own operations. Its zero value is ready to use.
type Source struct{ Procs proc.Table }

// Name returns the name of the source in keys and settings.
func (Source) Name() string { return Name }

// These are the codes of the warnings about git's operations.
const (
	DoubtLost       = "commit-would-be-lost" // git's own command to continue would leave out a commit
	DoubtAsked      = "step-would-be-missed" // git would skip a stop or a new message that the user asked for, or may skip a command
	DoubtUnclear    = "operation-in-doubt"   // the evidence about the operation is contradictory or unreadable
	DoubtUnresolved = "unresolved-path"      // a file has a conflict that somebody must resolve
	DoubtLocks      = "stale-lock"           // lock files were left, usually by a process that is gone
	DoubtUnseen     = "liveness-unknown"     // processes cannot be seen, so somebody may be working on the operation
)

// Find finds the unfinished operations of git.
func (s Source) Find(ctx context.Context, v *sources.View) ([]sources.Found, error) {
	all, err := All(ctx, v.Repo, s.Procs, v.Registered)
	if err != nil {
		return nil, err
	}
	out := make([]sources.Found, 0, len(all))
	for i := range all {
		out = append(out, all[i].found(v.Repo.GitDir))
	}
	return out, nil
}

// found converts an operation into a sources.Found. The argument "here" is the git directory of the current worktree.
func (s *State) found(here string) sources.Found {
	f := sources.Found{
		Source: Name, ID: s.ID(), Name: s.Title(), Headline: s.Headline(), Home: s.Tree.WorkTree, Root: s.Dir,
		Status: string(s.Stop), State: s.sharedState(), Cause: s.cause(), Active: s.Since, From: "git's own files",
		Worktree: s.Tree.WorkTree, Branch: s.Branch, Tasks: s.tasks(), Doubts: s.doubts(),
		Protocol: s.protocol(here),
	}
	if s.Op == ongoing.NotesMerge { // a notes merge changes a notes ref and no branch
		f.Branch = ""
	}
	for _, w := range s.Workers {
		f.PIDs = append(f.PIDs, w.PID)
	}
	for i, t := range f.Tasks {
		if t.State == checkpoint.Active {
			f.Point = sources.Point{Task: f.Tasks[i].ID, Title: t.Title, Reason: s.Crash.Why}
		}
	}
	for _, w := range s.Ways() {
		f.Alternatives = append(f.Alternatives, sources.Alternative{Name: w.Name, Text: w.Text})
		if w.Name == Continue {
			f.Command = s.Command(w, here)
		}
	}
	return f
}

// sharedState converts the state of the operation into a sources.State. An operation that stopped because the user wanted it, such as a
// bisect, is Paused.
func (s *State) sharedState() sources.State {
	switch {
	case s.Life == proc.Alive:
		return sources.Running
	case s.Stop == ongoing.StopEdit, s.Stop == ongoing.StopBreak, s.Stop == ongoing.StopQuestion:
		return sources.Paused
	}
	return sources.Interrupted
}

// Title returns a name for the operation, such as "rebase topic".
func (s *State) Title() string {
	name := string(s.Op)
	switch s.Op {
	case ongoing.StaleLock:
		name = "stale lock"
	case ongoing.HalfWorktree:
		return "unfinished worktree " + Where(s.Tree)
	case ongoing.NotesMerge:
		name = "merge of notes"
	}
	if branch := short(s.Branch); branch != "" && s.Op != ongoing.StaleLock {
		return name + " " + branch
	}
	return name
}

func short(ref refs.Name) string {
	for _, prefix := range []string{"refs/heads/", "refs/notes/"} {
		if name, ok := strings.CutPrefix(string(ref), prefix); ok {
			return name
		}
	}
	return string(ref)
}

// cause returns a short remark about the most important fact, to be shown in lists, such as "1 commit would be lost".
func (s *State) cause() string {
	switch {
	case s.Life == proc.Alive && len(s.Workers) > 0:
		return fmt.Sprintf("process %d", s.Workers[0].PID)
	case s.Life == proc.Alive:
		return "git is at work"
	case s.Crash.Loses():
		return "1 commit would be lost"
	case s.Crash.Repair == RepairRewind:
		return "an edit or reword that you asked for would be skipped"
	case s.Crash.Repair == RepairDoubt:
		return "in doubt"
	case s.Op == ongoing.StaleLock:
		return countOf(len(s.Files), "lock file", "lock files") + s.ofWhom()
	case len(s.Unmerged) > 0:
		return countOf(len(s.Unmerged), "path is unresolved", "paths are unresolved")
	case s.Found:
		return "found, but not ended"
	case s.Op == ongoing.Bisect && s.Left > 0:
		return countOf(s.Left, "commit left", "commits left")
	}
	return stopTexts[s.Stop]
}

// ofWhom says whose lock files these are. If it is not known that their process is dead, the text says that it may be running.
func (s *State) ofWhom() string {
	if s.Life == proc.Dead {
		return " of a dead process"
	}
	return ", possibly of a running process"
}

var stopTexts = map[ongoing.Stop]string{
	ongoing.StopEdit: "stopped to edit a commit", ongoing.StopBreak: "stopped at a 'break' line", ongoing.StopReword: "stopped to reword a commit", ongoing.StopExec: "stopped at an 'exec' line",
	ongoing.StopStarting: "killed while it started", ongoing.StopTorn: "killed while it started", ongoing.StopPatch: "stopped at a patch", ongoing.StopList: "killed while its todo list was edited",
	ongoing.StopEmptyPatch: "an empty patch", ongoing.StopMidway: "killed", ongoing.StopReady: "no conflicts left to resolve",
	ongoing.StopClearing: "only the removal of its state files is left",
	ongoing.StopQuestion: "good or bad?", ongoing.StopLeft: "left behind",
}

func countOf(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// tasks returns the steps that are listed in git's files about the operation.
func (s *State) tasks() []sources.Task {
	switch {
	case s.Stop == ongoing.StopClearing:
		return nil // git has started to delete its lists, so they may be incomplete
	case s.Dir == "rebase-apply":
		return numbered(s.Step, s.Of, s.Subject)
	case len(s.Done)+len(s.Todo) == 0:
		return nil
	}
	var out []sources.Task
	for i, c := range s.Done {
		t := taskOf(c, checkpoint.Done)
		if i == len(s.Done)-1 && s.Stop != ongoing.StopBreak {
			t.State = checkpoint.Active
		}
		out = append(out, t)
	}
	if s.Crash.Unlisted {
		for i := range out {
			out[i].State = checkpoint.Done
		}
		out = append(out, taskOf(s.Crash.Command, checkpoint.Active))
	}
	for i, c := range s.Todo {
		t := taskOf(c, checkpoint.Pending)
		if i == 0 && len(s.Done) == 0 {
			t.State = checkpoint.Active
		}
		out = append(out, t)
	}
	return withOwnIDs(out)
}

// withOwnIDs gives each task an id of its own, because a list often has several lines without a commit, such as "exec".
func withOwnIDs(tasks []sources.Task) []sources.Task {
	taken := map[string]int{}
	for i := range tasks {
		t := &tasks[i]
		if taken[t.ID]++; taken[t.ID] > 1 {
			t.ID += fmt.Sprintf("-%d", taken[t.ID])
		}
	}
	return tasks
}

func taskOf(c ongoing.Command, state checkpoint.TaskState) sources.Task {
	t := sources.Task{ID: c.Name, Title: strings.TrimPrefix(c.Arg, "# "), State: state, Raw: c.Name, Commit: object.ID(c.Commit)}
	if len(c.Commit) >= 7 {
		t.ID = c.Commit[:7]
	}
	return t
}

func numbered(step, of int, subject string) []sources.Task {
	const most = 10000
	var out []sources.Task
	for i := 1; i <= min(of, most); i++ {
		t := sources.Task{ID: fmt.Sprint(i), State: checkpoint.Pending}
		switch {
		case i < step:
			t.State = checkpoint.Done
		case i == step:
			t.State, t.Title = checkpoint.Active, subject
		}
		out = append(out, t)
	}
	return out
}

func (s *State) doubts() []sources.Doubt {
	var out []sources.Doubt
	add := func(code string, severity conflicts.Severity, path, format string, args ...any) {
		out = append(out, sources.Doubt{Code: code, Severity: severity, Text: fmt.Sprintf(format, args...), Path: path})
	}
	if s.Life == proc.Alive {
		return nil
	}
	if s.Life == proc.Unknown {
		add(DoubtUnseen, conflicts.Warning, "", "it cannot be checked from here whether somebody is working on it")
	}
	switch c := s.Crash; {
	case c.Loses():
		add(DoubtLost, conflicts.Warning, "", "%q would lose commit %s (%s) and report success", s.plainContinue(), c.Lost.ID.Short(), c.Lost.Subject())
	case c.Repair == RepairPutBack:
		add(DoubtAsked, conflicts.Warning, "", "it is not known whether %q was carried out; continuing repeats it", c.Command.Line)
	case c.Repair == RepairRewind:
		add(DoubtAsked, conflicts.Warning, "", "%s %s: %q would skip the %s", c.Lost.ID.Short(), c.Lost.Subject(), s.plainContinue(), c.Command.Name)
	case c.Repair == RepairDoubt:
		add(DoubtUnclear, conflicts.Blocking, "", "%s", c.Why)
	}
	for _, path := range s.Unmerged {
		add(DoubtUnresolved, conflicts.Blocking, path, "is not resolved")
	}
	if s.Op != ongoing.StaleLock && len(s.Files) > 0 && s.Op != ongoing.FilterBranch {
		add(DoubtLocks, conflicts.Info, "", "%s%s will be moved aside", countOf(len(s.Files), "lock file", "lock files"), s.ofWhom())
	}
	return out
}

func (s *State) plainContinue() string { return "git " + strings.Join(s.Ongoing.Ways.Continue, " ") }

// protocol returns the data from git's files and the commands of the actions as a map. Its keys stay the same in all versions of
// git-resume.
func (s *State) protocol(here string) map[string]any {
	p := map[string]any{"operation": string(s.Op), "stop": string(s.Stop)}
	put := func(key string, value any, is bool) {
		if is {
			p[key] = value
		}
	}
	put("step", s.Step, s.Step > 0)
	put("of", s.Of, s.Of > 0)
	put("left", s.Left, s.Left > 0)
	put("onto", string(s.Onto), s.Onto != "")
	put("orig_head", string(s.Orig), s.Orig != "")
	put("commit", s.Commit, s.Commit != "")
	put("unmerged", s.Unmerged, len(s.Unmerged) > 0)
	put("autostash", string(s.Autostash), s.Autostash != "")
	put("files", s.Files, len(s.Files) > 0)
	put("lost", string(s.Crash.Lost.ID), s.Crash.Loses())
	put("mend", string(s.Crash.Repair), s.Crash.Repair != "")
	commands := map[string]any{}
	for _, w := range s.Ways() {
		commands[w.Name] = s.Command(w, here)
	}
	put("commands", commands, len(commands) > 0)
	return p
}

// Command returns the command line with which the user chooses this action. Usually it is a shell command or git's own command. It is a git
// resume command only if git's own command cannot carry out the action or would lose something.
func (s *State) Command(w Way, here string) string {
	ours := quote.Command("git resume %s", s.Key())
	mended := s.Crash.Repair == RepairNothing || s.Crash.Repair == RepairSkip || s.Crash.Repair == RepairFinish && s.Op == ongoing.Merge
	switch {
	case len(w.Shell) > 0:
		return shellLine(w.Shell)
	case w.Name == Continue && (!mended || s.Unnoted || len(s.Files) > 0):
		return ours
	// Git itself cannot carry out the action: lock files are in its way, it does not know the branch, or it has no such command.
	case len(s.Files) > 0, w.Name == PutBack, len(w.Git) == 0, s.Unnoted && w.Name != Quit:
		return quote.Command("git resume %s --choose %s", s.Key(), w.Name)
	}
	var lines []string
	for _, args := range w.Git {
		line := []string{"git"}
		if s.Tree.GitDir != here && s.Op != ongoing.HalfWorktree {
			line = append(line, "-C", s.Tree.WorkTree)
		}
		lines = append(lines, shellLine(append(line, args...)))
	}
	return strings.Join(lines, " && ")
}

// Key identifies the operation among the work of all sources.
func (s *State) Key() string { return Name + ":" + s.ID() }

func shellLine(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quote.Word(w)
	}
	return strings.Join(quoted, " ")
}
