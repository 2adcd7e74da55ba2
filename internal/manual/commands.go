package manual

import "sync"

// stayHere is a part of the description of flags that otherwise clean the worktree.
const stayHere = "\nIn a run that was started with\n.Fl -here ,\nuncommitted files stay as they are."

// Most of these flags belong to several commands. Some commands describe a flag in other words.
var (
	runFlag = Flag{Name: "run", Value: "run", Help: "the run to act on"}
	owner   = Flag{Name: "owner", Value: "pid", Help: "the process that does the work",
		More: "The process that does the work, if it is not the one that calls git resume."}
	noVerify = Flag{Name: "no-verify", Help: "skip the commit hooks",
		More: "Skip the pre-commit and commit-msg hooks when committing."}
	keepGoing = Flag{Name: "keep-going", Help: "continue with other tasks after a failure",
		More: `After a task has failed, continue with the tasks that do not need it.
What the failed task left uncommitted is put into a snapshot first.` + stayHere + `
If it is given when the run is started, it also counts when the run is continued.`}
	jobs = Flag{Name: "jobs", Also: []string{"j"}, Value: "number", Help: "how many tasks may run at the same time",
		More: `How many tasks may run at the same time.
Each task works in a worktree of its own, with copies of the ignored files that the plan's
.Ic setup
command made.
Ignored files that a task makes stay in that worktree, so tasks that hand such files to
each other need
.Fl -jobs Cm 1 .
The default is the number that was given when the run was started, then the plan's
.Ic jobs ,
then the setting
.Ic resume.jobs ,
then 1.
Git before 2.38 cannot merge the results: with such a git, only 1 is accepted.`}
	verbose = Flag{Name: "verbose", Also: []string{"v"}, Help: "show the output of tasks",
		More: "Show the output of tasks as it comes."}
	timeout = Flag{Name: "timeout", Value: "duration", Help: "how long the command may take",
		More: `How long a single command may take, such as
.Ql 90s
or
.Ql 2h .
After that, all of its processes are stopped and the command counts as failed.`}
	retry = Flag{Name: "retry", Help: "run an interrupted task again, from a clean tree",
		More: `Run an interrupted task again, from a clean tree.
Its changes are kept in a snapshot.
In a run that was started with
.Fl -here ,
files that were uncommitted before the task stay as they were then.`}
	keep = Flag{Name: "keep", Help: "run an interrupted task again, on top of its changes",
		More: "Run an interrupted task again, on top of its changes."}
	yes    = Flag{Name: "yes", Also: []string{"y"}, Help: "do not ask"}
	dryRun = Flag{Name: "dry-run", Also: []string{"n"}, Help: "only show what would be done"}
	force  = Flag{Name: "force", Help: "discard even with data in ignored files, or if in use",
		More: `Discard the run even if ignored files look like data, an operation is in progress, or
processes are working in the worktree.`}
	atWork = Flag{Name: "force", Help: "do it even if somebody may be working on it",
		More: `Change work that another system started even if somebody may be working on it.
Without this option, git-resume asks.
Without a terminal, or with
.Fl -yes ,
it refuses
.Pq exit code 13 .`}
	merged = Flag{Name: "merged", Help: "discard all runs that are finished and merged",
		More: "Discard every run that is finished and merged into its base, and whose worktree has no uncommitted changes and no ignored files that look like data."}
	jsonFlag = Flag{Name: "json", Help: "print JSON"}
	name     = Flag{Name: "name", Value: "name", Help: "name of the run", More: "The name of the run; its id is made from it."}
	newFlag  = Flag{Name: "new", Help: "start another run although one of this name is open"}
	takeover = Flag{Name: "takeover", Help: "report although the last worker cannot be checked",
		More: `Report even if another worker may still be alive on a machine that cannot be
checked from here.
This needs
.Fl -run .`}
	add = Flag{Name: "add", Help: "add a task that the run does not have",
		More: "Add the task if the run does not have it; without this option, an unknown task is refused."}
	title   = Flag{Name: "title", Value: "text", Help: "title of a new task"}
	message = Flag{Name: "message", Also: []string{"m"}, Value: "text", Help: "the reason to record"}
	subject = Flag{Name: "message", Also: []string{"m"}, Value: "text", Help: "subject of the commit",
		More: `The subject of the commit; the default is the task's title.`}
)

// withHelp returns a copy of the flag with another description, for a command in which the flag has another meaning.
func withHelp(f Flag, help, more string) Flag {
	f.Help, f.More = help, more
	return f
}

func underHeading(heading string, f Flag) Flag {
	f.Under = heading
	return f
}

// Commands describes "git resume" itself and all commands that people call, in the order of the manual.
var Commands = sync.OnceValue(func() []Command {
	return []Command{
		{Name: "", Forms: []string{"[OPTION]... [RUN]", "COMMAND [ARGUMENT]...", "--discard [RUN]"}, Summary: "continue interrupted work", Flags: rootFlags()},
		{Name: "start", Shelf: EveryDay, Forms: []string{"start PLAN", "start --name NAME [--task TASK]..."}, Summary: "start a run", Flags: startFlags()},
		{Name: "run", Shelf: Reporting, Forms: []string{"run [--name NAME] [--staging] [--new] -- COMMAND..."}, Summary: "run one command so that it can be resumed", Flags: []Flag{
			withHelp(name, "name of the run", "The name of the run; the default is the name of the program that is run."),
			{Name: "staging", Help: "work in a new worktree", More: "Work in a new worktree, on a new branch."},
			withHelp(newFlag, "start another run although one of this name is open", ""),
			timeout, keepGoing, noVerify, verbose,
		}},
		{Name: "pause", Shelf: Reporting, Forms: []string{"pause [RUN]"}, Summary: "pause a run", Flags: []Flag{message, runFlag}},
		{Name: "answer", Shelf: Reporting, Forms: []string{"answer TASK ANSWER", "answer TASK --text TEXT"}, Summary: "answer a question", Flags: []Flag{
			{Name: "text", Value: "text", Help: "an answer of your own", More: `Store this text as the answer even if it is not one of the question's options.`}, atWork, runFlag,
		}},
		{Name: "finish", Shelf: Reporting, Forms: []string{"finish [RUN]"}, Summary: "end a run", Flags: []Flag{runFlag}},
		{Name: "wait", Shelf: Reporting, Forms: []string{"wait [RUN]"}, Summary: "wait for an agent's limit to end, then continue", Flags: []Flag{
			withHelp(timeout, "how long to wait at most (24h)", `How long to wait at most, such as
.Ql 90m
or
.Ql 200h ;
the default is 24 hours.
If the agent's limit ends later than that, the command ends at once.`), runFlag,
		}},
		{Name: "trust", Shelf: SettingUp, Forms: []string{"trust RUN"}, Summary: "approve the commands of a run", Flags: []Flag{
			withHelp(dryRun, "only show the commands", ""), withHelp(yes, "approve without asking", ""),
			{Name: "expect", Value: "hash", Help: "approve only if the commands have this hash", More: `Approve without asking, but only if the commands have this hash, which
.Fl -dry-run
prints.`},
			runFlag,
		}},
		{Name: "task", Shelf: Reporting, Forms: []string{"task add|start|done|fail|block|skip|reset TASK", "task run TASK -- COMMAND..."}, Summary: "report on a task", Group: true},
		{Name: "task add", Forms: []string{"task add TASK [--title TEXT]"}, Summary: "add a task to the run", Flags: []Flag{title, runFlag, owner, takeover}},
		{Name: "task start", Forms: []string{"task start TASK"}, Summary: "report that a task has started", Flags: []Flag{add, title, runFlag, owner, takeover}},
		{Name: "task done", Forms: []string{"task done TASK [PATH]..."}, Summary: "report that a task is done; commit its changes", Flags: []Flag{subject, noVerify, add, title, runFlag, owner, takeover}},
		{Name: "task fail", Forms: []string{"task fail TASK"}, Summary: "report that a task has failed", Flags: []Flag{
			message,
			{Name: "cause", Value: "cause", Help: "why it failed, in one word", More: `Why it failed, in one word, such as
.Ql quota .`},
			{Name: "until", Value: "time", Help: "when to try again (2h, 6pm)", More: `When it is worth trying again: how long from now
.Pq 2h, 90m ,
a clock time
.Pq 18:00 ,
or a date and time
.Pq 2026-11-14T10:42:07Z .`},
			{Name: "exit-code", Value: "code", Help: "exit code of the task"},
			runFlag, owner, takeover,
		}},
		{Name: "task block", Forms: []string{"task block TASK --ask TEXT [--option ANSWER]..."}, Summary: "report that a task needs an answer", Flags: []Flag{
			{Name: "ask", Value: "text", Help: "the question"},
			{Name: "option", Value: "answer", Many: true, Help: "an answer to choose from", More: "An answer to choose from; may be given several times."},
			message, add, title, runFlag, owner, takeover,
		}},
		{Name: "task skip", Forms: []string{"task skip TASK"}, Summary: "skip a task", Flags: []Flag{message, runFlag, owner, takeover}},
		{Name: "task reset", Forms: []string{"task reset TASK"}, Summary: "report that a task must be done again", Flags: []Flag{message, runFlag, owner, takeover}},
		{Name: "task run", Forms: []string{"task run TASK [--verify COMMAND] -- COMMAND..."}, Summary: "run the command of a task, unless it is done", Flags: []Flag{
			{Name: "verify", Value: "command", Help: "a command that checks whether the task is done",
				More: "A command that checks whether the task is done. The command is run if the task was interrupted or is recorded as done. If the command fails, the task runs again."},
			retry, keep, timeout, subject, noVerify, add, title, runFlag, owner, takeover,
		}},
		{Name: "checkpoint", Shelf: Reporting, Forms: []string{"checkpoint", "checkpoint --commit [PATH]..."}, Summary: "save uncommitted work in a snapshot", Flags: []Flag{
			{Name: "commit", Help: "commit the work so far", More: "Commit the work as a part of the active task, instead of saving a snapshot."},
			withHelp(message, "subject of the commit, or of the snapshot", `The subject of the commit, or a text that is recorded with the snapshot.
If nothing has changed since the newest snapshot, the text is recorded with that one. Without uncommitted changes, it is not recorded.`), noVerify, runFlag, owner,
		}},
		{Name: "status", Shelf: EveryDay, Forms: []string{"status [RUN [TASK]]"}, Summary: "show interrupted work", Flags: statusFlags()},
		{Name: "log", Shelf: Looking, Forms: []string{"log [RUN [TASK]]"}, Summary: "show the history of a run", Flags: []Flag{
			{Name: "raw", Help: "print the events as they are stored"},
			{Name: "follow", Also: []string{"f"}, Help: "print what is added, until the run or task ends", More: `Print what is added to the history of the run,
or to the output of the task, until it has ended.`}, runFlag,
		}},
		{Name: "review", Shelf: EveryDay, Forms: []string{"review [RUN]"}, Summary: "show what a run changed", Flags: []Flag{
			{Name: "patch", Also: []string{"p"}, Help: "show the changes as a patch"},
			{Name: "md", Help: "print the review as Markdown", More: "Print the review as Markdown, for the description of a pull request."},
			runFlag,
		}},
		{Name: "merge", Shelf: EveryDay, Forms: []string{"merge [RUN]"}, Summary: "merge a run into its base", Flags: []Flag{
			{Name: "squash", Help: "add all changes as a single commit", More: `Add all changes of the run to the base as a single commit.
Its message lists the tasks.
A squash that would have conflicts is refused
.Pq exit code 12 ,
and changes nothing.`},
			{Name: "despite-conflicts", Help: "start the merge even if it stops at conflicts", More: `Start the merge even if it will have conflicts, so that they can be resolved where the base is checked out.
Without this option, such a merge is refused
.Pq exit code 12
and changes nothing; at a terminal, the program asks.`},
			withHelp(message, "subject of the commit", "The subject of the commit; the list of tasks follows it."),
			{Name: "strip", Help: "merge without the run's trailers", More: "Leave the trailers of the run out of the commits that are merged."},
			withHelp(yes, "merge an unfinished run without asking", `Merge what an unfinished run has done so far, without asking.
Without this option, that is refused
.Pq exit code 11
if there is no terminal.`), atWork, runFlag,
		}},
		{Name: "conflicts", Shelf: Looking, Forms: []string{"conflicts [--base BASE] OURS THEIRS"}, Summary: "check whether two commits would merge cleanly", Flags: []Flag{
			{Name: "base", Value: "commit", Help: "the base of the merge", More: "The base of the merge; the default is the merge base of the two commits."},
			{Name: "engine", Value: "engine", Help: "the engine that merges: git or builtin", More: `Which engine merges:
.Cm git
or
.Cm builtin .
The default is git if it is new enough.`},
			jsonFlag,
		}},
		{Name: "discard", Shelf: EveryDay, Forms: []string{"discard [RUN]"}, Summary: "discard a run (can be undone)", Flags: []Flag{
			yes, withHelp(dryRun, "only show what would be done", "Only show what would be discarded, kept and lost."), force, merged, runFlag,
		}},
		{Name: "undo", Shelf: EveryDay, Forms: []string{"undo [RUN | NUMBER]"}, Summary: "undo your last change", Flags: []Flag{
			withHelp(dryRun, "only show what would be undone", ""), withHelp(yes, "undo without asking", ""),
			{Name: "list", Help: "list what could be undone", More: "List what could be undone, the newest first: number, time, change, run, and who asked for it. The number of a change stays the same."},
			{Name: "redo", Help: "redo what the last undo undid", More: "Redo what the last undo undid, if nothing else was changed since. Repeat the command to redo what earlier undos undid."},
			runFlag,
		}},
		{Name: "hide", Shelf: Looking, Forms: []string{"hide NAME...", "hide --old", "hide --list", "hide --undo [NAME]..."}, Summary: "stop showing other systems' work", Flags: []Flag{
			{Name: "old", Help: "hide work that is too old to be listed without --all", More: `Hide all work of other systems if the last activity in that work is older than
.Va resume.stale ,
unless somebody is working on it.`},
			{Name: "list", Help: "list what is hidden", More: "List what is hidden in this clone."},
			{Name: "undo", Help: "show hidden work again", More: `Show the named work again, or, without a name, all work that was hidden by its name.
Patterns that you wrote into
.Va resume.ignore
stay, and still hide what they match.`},
			withHelp(dryRun, "only show what would be done", ""),
		}},
		{Name: "snapshots", Shelf: Looking, Forms: []string{"snapshots [RUN | OPERATION]"}, Summary: "list the snapshots of uncommitted work", Flags: []Flag{runFlag}},
		{Name: "diff", Shelf: Looking, Forms: []string{"diff SNAPSHOT [PATH]..."}, Summary: "show the changes in a snapshot"},
		{Name: "restore", Shelf: Looking, Forms: []string{"restore SNAPSHOT [PATH]..."}, Summary: "bring the files of a snapshot back", Flags: []Flag{
			{Name: "to", Value: "dir", Help: "write the files into this new folder", More: `Write the files into this new folder, and change nothing else.
Without paths, all files are written, including those that were not changed.`},
			{Name: "into-worktree", Help: "restore the files in the worktree that they are from", More: `Make the files in the worktree as they were in the snapshot, without asking,
unless another commit is checked out now.
The uncommitted changes that are there now are saved in another snapshot first.`},
			withHelp(dryRun, "only show what would be restored", ""), withHelp(yes, "restore the files in the worktree without asking", `Restore the files in the worktree without asking, even if another commit is checked out now.`),
		}},
		{Name: "hooks", Shelf: SettingUp, Forms: []string{"hooks install|uninstall|status"}, Summary: "install, check or remove the hook", Flags: hookFlags()},
		{Name: "agents", Shelf: SettingUp, Forms: []string{"agents [--project]", "agents install [--tasks] [--project] [-n | -y] [AGENT]...", "agents uninstall [--project] [-n | -y] [AGENT]...", "agents check [--probe | --project] [AGENT]..."},
			Summary: "show, install or remove the hooks of coding agents", Flags: []Flag{
				{Name: "project", Help: "use the settings in this worktree, not in your home", More: `Use the settings files of this worktree instead of your own.
If you commit these files, everybody who works on the project has the hooks.`},
				{Name: "tasks", Help: "also switch on the agents' built-in task lists", More: `Also switch on the task lists that are built into the agents, where they are off.
Without this option,
.Cm install
asks; with
.Fl -yes ,
or without a terminal, they stay off.`},
				{Name: "probe", Help: "start a session of each agent to try its hooks", More: `With
.Cm check ,
start a session of each agent whose hooks are installed, and wait until a hook has run git-resume.
The session has a home folder of its own with the same hooks, and no model, so it costs nothing.`},
				dryRun, yes,
			}},
		{Name: "push", Shelf: Elsewhere, Forms: []string{"push [RUN] [--to REMOTE]"}, Summary: "share a run through a remote, or send what is new", Flags: pushFlags()},
		{Name: "pull", Shelf: Elsewhere, Forms: []string{"pull [RUN] [--from REMOTE]"}, Summary: "get shared runs from a remote", Flags: []Flag{
			runFlag, {Name: "from", Value: "remote", Help: "the remote"},
		}},
		{Name: "work", Shelf: Elsewhere, Forms: []string{"work [RUN] --remote REMOTE [--plan FILE] [--for DURATION]"}, Summary: "let this machine work on a shared run", Flags: workFlags()},
		{Name: "unshare", Shelf: Elsewhere, Forms: []string{"unshare RUN"}, Summary: "remove a run from its remote", Flags: []Flag{runFlag}},
		{Name: "parked", Shelf: Elsewhere, Forms: []string{"parked [RUN]"}, Summary: "show work that was done without the lease (right to work)", Flags: []Flag{runFlag}},
		{Name: "doctor", Shelf: SettingUp, Forms: []string{"doctor [--fix]", "doctor --purge"}, Summary: "check the installation and the runs", Flags: []Flag{
			{Name: "fix", Help: "repair what can be repaired safely", More: `Repair what can be repaired safely.
Runs that were discarded longer ago than
.Va resume.keepDiscarded
are deleted permanently; nothing else that somebody may need is deleted.`},
			{Name: "purge", Help: "remove git-resume's records and work from here", More: `Remove the following from this repository, after showing it and asking:
all records, notes and snapshots, the worktrees and branches of runs, the hook, the setting
.Va resume.ignore ,
and the folder
.Pa .git/resume .
This cannot be undone.
Trailers in commits, other settings and hooks of coding agents stay.
The purge is refused while anybody works on a run
.Pq exit code 13 .
If the purge is killed, run the command again to finish it.`},
			withHelp(yes, "purge without asking", ""),
			{Name: "force", Help: "also purge commits and files that are nowhere else", More: `With
.Fl Fl purge ,
also remove commits that are on no other branch, and uncommitted files.`},
		}},
		{Name: "demo", Shelf: SettingUp, Forms: []string{"demo [--explain]", "demo rebase"}, Summary: "try git-resume in a throw-away repository", Flags: []Flag{
			{Name: "explain", Help: "explain each step", More: "Explain what happens at each step, and show it with git's own commands."},
		}},
		{Name: "version", Shelf: SettingUp, Forms: []string{"version"}, Summary: "show the version"},
	}
})

func rootFlags() []Flag {
	return []Flag{
		{Name: "auto", Under: AskingLess, Also: []string{"auto-continue"}, Help: "continue without asking if that is safe",
			More: `Do not ask.
Continue the most recent work that was interrupted or has failed and that can be
continued safely.`},
		{Name: "mode", Value: "mode", Help: "interactive, auto or preflight", More: `How to continue:
.Cm interactive ,
.Cm auto
or
.Cm preflight .
The default is the mode that was given when the run was started, then the setting
.Va resume.mode .`},
		{Name: "even-idle", Help: "also take a run whose worker shows no activity", More: `With
.Fl -auto ,
also take a run whose worker is alive but shows no activity.`},
		{Name: "preflight", Under: AskingLess, Help: "show a full report first, then ask", More: "Show the full report first, and continue only after you have confirmed it."},
		{Name: "print", Under: AskingLess, Help: "only print what to do next", More: "Print what to do next without starting anything."},
		underHeading(AskingLess, withHelp(dryRun, "only show what would be done", "Show what was found and what would be done, without starting anything.")),
		underHeading(AskingLess, withHelp(yes, "do not ask", "Continue despite warnings, without asking.\nConflicts, changes of an interrupted task and commits from elsewhere still stop the command.")),
		{Name: "choose", Under: AskingLess, Value: "name", Help: "take one of the offered choices, by its name", More: `Take one of the choices that are offered for this work, by its name;
.Nm git Cm resume status Fl -json
lists them.
What it changes is shown first and must be confirmed.
If the choice concerns one part of the work, name the part with
.Fl -from .
At a terminal, you are asked for the part.`},
		{Name: "answer", Under: AskingLess, Value: "text", Help: "the answer for '--choose answer'", More: `The answer that
.Fl -choose Cm answer
stores.`},
		{Name: "from", Under: WhereToContinue, Value: "task", Help: "continue at this task; do all later ones again", More: `Continue at this task, and do it and all later ones again.
Uncommitted changes are put into a snapshot first.` + stayHere + `
A finished run is opened again.`},
		{Name: "skip", Under: WhereToContinue, Value: "task", Optional: true, Help: "skip the next task", More: `Skip the next task.
What it left uncommitted is put into a snapshot first.` + stayHere + `
If the named task is already skipped, the run continues after it.
In a script, name the task, so that the command can be repeated after it was killed.
Without a name, the command is refused
.Pq exit code 11
if an earlier command skipped a task and was killed before it reported that.`},
		{Name: "restart", Under: WhereToContinue, Help: "start again from the first task", More: "Start again from the first task; earlier work is kept."},
		underHeading(InterruptedTask, retry), underHeading(InterruptedTask, keep),
		{Name: "mark-done", Under: InterruptedTask, Value: "task", Optional: true, Help: "accept the changes of an interrupted task as its result",
			More: `Accept the changes of an interrupted task as its result.
The record then says that nobody observed the end of the task.
The task may be named, as with
.Fl -skip .`},
		{Name: "update", Under: WhereToContinue, Help: "bring the new commits of the base into the run first", More: `Bring the new commits of the base into the run first
.Pq Va resume.update .`},
		{Name: "despite-conflicts", Under: WhereToContinue, Help: "continue on the old base", More: "Continue on the old base; the conflicts are recorded and remain to be resolved when the run is merged."},
		{Name: "plan", Under: WhereToContinue, Value: "file", Help: "use this version of the plan file", More: "Use this plan file instead of the version that the run has read."},
		{Name: "takeover", Under: WhereToContinue, Help: "continue although the last worker cannot be checked",
			More: `Continue a run whose last worker was on a machine that cannot be checked from here.
If the run is shared, take the lease from its holder; what the holder sends later does not become part of the run.
It needs the name of the run, and cannot be used with
.Fl -auto .`},
		{Name: "offline", Help: "continue a shared run without asking its remote", More: `Continue a shared run without the lease and without the network.
What is done is recorded here.
If somebody else gets the lease before the work is sent, the work is kept, but is not part of the run
.Pq see Xr git-resume-push 1 .`},
		jobs, forFlag, untilFlag, underHeading(AskingLess, keepGoing), noVerify, underHeading(AskingLess, verbose), runFlag,
		{Name: "discard", Help: "discard a run (can be undone)", More: `Discard the run, as
.Cm discard
does
.Pq see Xr git-resume-discard 1 .`},
		withHelp(force, "continue even if somebody may be working on it; with --discard: even with data in ignored files, or if in use", `Continue or change what another system started even if somebody may be working on
it.
Without this option you are asked; if there is no terminal or
.Fl -yes
is given, the command is refused instead
.Pq exit code 13 .
With
.Fl -discard :
discard it even if ignored files look like data, an operation is in progress, or
processes are working in the worktree.`),
		withHelp(merged, "with --discard: all runs that are finished and merged", `With
.Fl -discard :
discard every run that is finished and merged into its base, and whose worktree has no uncommitted changes and no ignored files that look like data.`),
	}
}
