package manual

// Flags that mean the same wherever they are accepted.
var (
	runFlag = Flag{Name: "run", Value: "run", Help: "the run that is meant"}
	owner   = Flag{Name: "owner", Value: "pid", Help: "the process that reports",
		More: "The process that reports, where it is not the one that calls."}
	noVerify = Flag{Name: "no-verify", Help: "skip the hooks of commits",
		More: "Skip the pre-commit and commit-msg hooks of the commits that are made."}
	keepGoing = Flag{Name: "keep-going", Help: "go on with other tasks when one failed",
		More: "Go on with the tasks that do not need one that failed."}
	verbose = Flag{Name: "verbose", Also: []string{"v"}, Help: "show the output of tasks",
		More: "Show the output of tasks as it comes."}
	timeout = Flag{Name: "timeout", Value: "duration", Help: "how long the command may take",
		More: `How long a single command may take, such as
.Ql 90s
or
.Ql 2h ;
then all of its processes are ended, and it has failed.`}
	retry = Flag{Name: "retry", Help: "run a cut-off task again from a clean tree",
		More: `Run a task that was cut off again, from a clean tree; what it left is kept in a
snapshot.`}
	keep = Flag{Name: "keep", Help: "run a cut-off task again on top of what it left",
		More: "Run a task that was cut off again, on top of what it left."}
	yes    = Flag{Name: "yes", Also: []string{"y"}, Help: "do not ask"}
	dryRun = Flag{Name: "dry-run", Also: []string{"n"}, Help: "only show what would be done"}
	force  = Flag{Name: "force", Help: "in spite of data, operations and processes",
		More: `Drop it although ignored files look like data, an operation is under way, or
processes work in the worktree.`}
	atWork = Flag{Name: "force", Help: "although somebody may be at work on it",
		More: `Do it although somebody may be at work on what another system began; without a
terminal, and with
.Fl -yes ,
that is refused otherwise
.Pq exit code 13 .`}
	merged = Flag{Name: "merged", Help: "drop all that are finished and merged",
		More: "Drop every run that is finished, clean and contained in its base."}
	jsonFlag = Flag{Name: "json", Help: "print JSON"}
	name     = Flag{Name: "name", Value: "name", Help: "name of the run", More: "The run's name; its id is made from it."}
	newFlag  = Flag{Name: "new", Help: "begin beside open work of the same name"}
	takeover = Flag{Name: "takeover", Help: "report although the last driver cannot be checked",
		More: `Report although another driver may be alive where it cannot be checked from
here; it needs
.Fl -run .`}
	add = Flag{Name: "add", Help: "add a task that the run does not have",
		More: "Add the task if the run does not have it; otherwise an unknown task is refused."}
	title   = Flag{Name: "title", Value: "text", Help: "title of a new task"}
	message = Flag{Name: "message", Also: []string{"m"}, Value: "text", Help: "the reason that is recorded"}
	subject = Flag{Name: "message", Also: []string{"m"}, Value: "text", Help: "subject of the commit",
		More: `The subject of the commit; without it, the task's title.`}
)

// with is a flag with other words, where a command means something else by it.
func with(f Flag, help, more string) Flag {
	f.Help, f.More = help, more
	return f
}

// Commands are git resume itself and all that people call, in the order in which they meet them.
var Commands = []Command{
	{Name: "", Forms: []string{"[RUN]", "COMMAND [ARGUMENT]...", "--discard [RUN]"}, Summary: "continue interrupted work", Flags: rootFlags},
	{Name: "start", Forms: []string{"start PLAN", "start --name NAME [--task TASK]..."}, Summary: "begin a run", Flags: startFlags},
	{Name: "run", Forms: []string{"run [--name NAME] [--staging] [--new] -- COMMAND..."}, Summary: "run one command, resumably", Flags: []Flag{
		with(name, "name of the run", "The run's name; without it, that of the command."),
		{Name: "staging", Help: "work in a worktree of its own", More: "Work in a worktree and on a branch of its own."},
		with(newFlag, "begin beside open work of the same name", "Begin another run, although one of this name is open."),
		timeout, keepGoing, noVerify, verbose,
	}},
	{Name: "pause", Forms: []string{"pause [RUN]"}, Summary: "stop a run on purpose", Flags: []Flag{message, runFlag}},
	{Name: "answer", Forms: []string{"answer TASK ANSWER", "answer TASK --text TEXT"}, Summary: "answer a question", Flags: []Flag{
		{Name: "text", Value: "text", Help: "an answer of your own", More: `Store this text as the answer, although it is none of the options of the
question.`}, atWork, runFlag,
	}},
	{Name: "finish", Forms: []string{"finish [RUN]"}, Summary: "end a run", Flags: []Flag{runFlag}},
	{Name: "trust", Forms: []string{"trust RUN", "trust --all-here"}, Summary: "approve the commands of a run", Flags: []Flag{
		with(dryRun, "only show the commands", ""), with(yes, "approve without asking", ""),
		{Name: "expect", Value: "hash", Help: "approve only what has this hash", More: `Approve, without asking, only if what is shown has this hash,
which
.Fl -dry-run
prints.`},
		{Name: "all-here", Help: "take over all runs that an older version recorded here", More: `Take over all open runs that an older version recorded in this clone,
after showing them and asking once.`},
		runFlag,
	}},
	{Name: "task", Forms: []string{"task start|done|fail|block|skip|reset TASK", "task run TASK -- COMMAND..."}, Summary: "report about a task", Group: true},
	{Name: "task start", Forms: []string{"task start TASK"}, Summary: "a task begins", Flags: []Flag{add, title, runFlag, owner, takeover}},
	{Name: "task done", Forms: []string{"task done TASK [PATH]..."}, Summary: "a task is done; commits its changes", Flags: []Flag{subject, noVerify, add, title, runFlag, owner, takeover}},
	{Name: "task fail", Forms: []string{"task fail TASK"}, Summary: "a task failed", Flags: []Flag{
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
	{Name: "task block", Forms: []string{"task block TASK --ask TEXT [--option ANSWER]..."}, Summary: "a task needs an answer", Flags: []Flag{
		{Name: "ask", Value: "text", Help: "the question"},
		{Name: "option", Value: "answer", Many: true, Help: "an answer to choose from", More: "An answer to choose from; may be given several times."},
		message, add, title, runFlag, owner, takeover,
	}},
	{Name: "task skip", Forms: []string{"task skip TASK"}, Summary: "a task is left out", Flags: []Flag{message, runFlag, owner, takeover}},
	{Name: "task reset", Forms: []string{"task reset TASK"}, Summary: "a task is open again", Flags: []Flag{message, runFlag, owner, takeover}},
	{Name: "task run", Forms: []string{"task run TASK [--verify COMMAND] -- COMMAND..."}, Summary: "run a task's command once", Flags: []Flag{
		{Name: "verify", Value: "command", Help: "a command that tells whether it is done",
			More: "A command that tells whether a task that was cut off is done."},
		retry, keep, timeout, subject, noVerify, add, title, runFlag, owner, takeover,
	}},
	{Name: "checkpoint", Forms: []string{"checkpoint", "checkpoint --commit [PATH]..."}, Summary: "save unfinished work", Flags: []Flag{
		{Name: "commit", Help: "commit the work so far", More: "Commit it instead, for the active task and marked as partial."},
		with(message, "subject of the commit, or of the snapshot", ""), noVerify, runFlag, owner,
	}},
	{Name: "status", Forms: []string{"status [RUN [TASK]]"}, Summary: "show runs", Flags: statusFlags},
	{Name: "log", Forms: []string{"log [RUN [TASK]]"}, Summary: "show what happened", Flags: []Flag{
		{Name: "raw", Help: "print the events as they are stored"}, runFlag,
	}},
	{Name: "review", Forms: []string{"review [RUN]"}, Summary: "show what a run built", Flags: []Flag{
		{Name: "patch", Also: []string{"p"}, Help: "show the changes themselves"}, runFlag,
	}},
	{Name: "merge", Forms: []string{"merge [RUN]"}, Summary: "merge a run into its base", Flags: []Flag{
		{Name: "strip", Help: "leave the trailers out of the base", More: "Leave the run's trailers out of what comes into the base."},
		with(yes, "merge a run that is not finished without asking", `Merge what is there of a run that is not finished, without asking.
Without a terminal such a run is not merged otherwise
.Pq exit code 11 .`), atWork, runFlag,
	}},
	{Name: "conflicts", Forms: []string{"conflicts [--base BASE] OURS THEIRS"}, Summary: "tell whether two commits would merge", Flags: []Flag{
		{Name: "base", Value: "commit", Help: "the base of the merge", More: "The base of the merge; without it, the merge base of the two."},
		{Name: "engine", Value: "engine", Help: "who merges: git or builtin", More: `Who merges:
.Cm git
or
.Cm builtin .
Without it, git where it is new enough.`},
		jsonFlag,
	}},
	{Name: "discard", Forms: []string{"discard [RUN]"}, Summary: "drop a run, recoverably", Flags: []Flag{
		yes, with(dryRun, "only show what would be done", "Only show what would be dropped, kept and lost."), force, merged, runFlag,
	}},
	{Name: "undo", Forms: []string{"undo [RUN]"}, Summary: "undo the newest change that you made", Flags: []Flag{
		with(dryRun, "only show what would be undone", ""), with(yes, "undo without asking", ""),
		{Name: "list", Help: "list what could be undone", More: "List what could be undone, the newest first."},
		{Name: "redo", Help: "take the last undo back", More: "Take the last undo back, if nothing else was done since; once more takes back the one before it."},
		runFlag,
	}},
	{Name: "hooks", Forms: []string{"hooks install|uninstall|status"}, Summary: "install, check or remove the hook", Flags: hookFlags},
	{Name: "doctor", Forms: []string{"doctor [--fix]"}, Summary: "look after the installation and the runs", Flags: []Flag{
		{Name: "fix", Help: "mend what can be mended", More: `Mend what can be mended without a doubt.
Nothing is deleted that somebody may need.`},
	}},
	{Name: "demo", Forms: []string{"demo [--explain]", "demo rebase"}, Summary: "show it on a throw-away repository", Flags: []Flag{
		{Name: "explain", Help: "tell what happened at each step", More: "Tell what happened at each step, and show it with git's own commands."},
	}},
	{Name: "version", Forms: []string{"version"}, Summary: "say which version this is"},
}

var rootFlags = []Flag{
	{Name: "auto", Also: []string{"auto-continue"}, Help: "do not ask; go on where that is safe",
		More: `Do not ask; take the most recent run that is interrupted or failed, and continue
where that is safe.`},
	{Name: "mode", Value: "mode", Help: "interactive, auto or preflight", More: `Name the mode:
.Cm interactive ,
.Cm auto
or
.Cm preflight .
Where no option does, the mode that was named when the run was started counts,
then the setting
.Va resume.mode .`},
	{Name: "even-idle", Help: "also take a run whose driver is silent", More: `With
.Fl -auto ,
also a run whose driver is alive but silent.`},
	{Name: "preflight", Help: "report before anything is done, and ask", More: "Show the whole report first, and continue only when told to proceed."},
	{Name: "print", Help: "only print what to do next", More: "Print what to do next, and start nothing."},
	with(dryRun, "only show what would be done", "Show what was found, and start nothing."),
	with(yes, "do not ask", "Accept warnings without asking; never conflicts."),
	{Name: "choose", Value: "name", Help: "do one of the alternatives, by its name", More: `Do one of the alternatives of this work, by its name;
.Nm git Cm resume status Fl -json
lists them.
What it changes is shown and confirmed first.
One that concerns a single part of the work is told which by
.Fl -from ;
at a terminal it is asked.`},
	{Name: "answer", Value: "text", Help: "the answer that '--choose answer' gives", More: `The answer that
.Fl -choose Cm answer
stores.`},
	{Name: "from", Value: "task", Help: "go on at this task, and do what follows again", More: `Go on at this task, and do it and what follows again; what is uncommitted is set aside in a snapshot.
A finished run is opened again.`},
	{Name: "skip", Value: "task", Optional: true, Help: "leave the next task out", More: `Leave out the task at which the run stands, or continue without it where it was left out before.
A script names the task: a command that was killed can then be repeated.
Without a name, a command that follows one which was killed after it had skipped a task is refused
.Pq exit code 11 .`},
	{Name: "restart", Help: "begin again from the first task", More: "Begin again from the first task; what was built is kept."},
	retry, keep,
	{Name: "mark-done", Value: "task", Optional: true, Help: "take what a cut-off task left as its result",
		More: `Take what a task that was cut off left as its result, and record that nobody saw
its end.
The task may be named, as with
.Fl -skip .`},
	{Name: "update", Help: "take the base into the run first", More: `Take the base into the run first
.Pq Va resume.update .`},
	{Name: "despite-conflicts", Help: "continue on the old base", More: "Continue on the old base; the conflicts are recorded, and wait for the merge."},
	{Name: "plan", Value: "file", Help: "adopt a changed plan file", More: "Adopt a changed plan."},
	{Name: "takeover", Help: "go on although the last driver cannot be checked",
		More: "Continue a run that was last worked on where it cannot be checked from here."},
	keepGoing, noVerify, verbose, runFlag,
	{Name: "discard", Help: "drop a run, recoverably", More: `Drop the run, as
.Cm discard
does
.Pq see Xr git-resume-discard 1 .`},
	with(force, "although somebody may be at work on it; with --discard: in spite of data, operations, processes", `Continue, or change, what another system began although somebody may be at work on
it; without a terminal, and with
.Fl -yes ,
that is refused otherwise
.Pq exit code 13 .
With
.Fl -discard :
drop it although ignored files look like data, an operation is under way, or
processes work in the worktree.`),
	with(merged, "with --discard: all that are finished and merged", `With
.Fl -discard :
drop every run that is finished, clean and contained in its base.`),
}

var startFlags = []Flag{
	name,
	{Name: "task", Value: "task", Many: true, Help: "a task, as 'ID: TITLE'", More: `Add a task: its title, or
.Ql id: title .
May be given several times, in the order of the work.`},
	{Name: "base", Value: "branch", Help: "where the run goes back to", More: "Where the run goes back to and begins."},
	{Name: "here", Help: "work in this worktree", More: "Work in this worktree and on this branch; no branch and no worktree is made."},
	{Name: "take", Help: "bring uncommitted work along", More: "Bring the uncommitted work of this worktree along into the new one."},
	newFlag,
	{Name: "auto", Help: "go on with open work of the same name", More: `Go on with open work of the same name, and continue the new run in this mode
too.`},
	{Name: "mode", Value: "mode", Help: "interactive, auto or preflight",
		More: "The mode in which the run shall be continued; it is recorded."},
	owner, keepGoing, noVerify, verbose,
}

var statusFlags = []Flag{
	{Name: "all", Help: "also closed runs", More: "Also show runs that are finished or discarded."},
	{Name: "check", Help: "also say what changed underneath", More: `Also say what changed underneath since the run stopped, and whether it could be
continued.`},
	{Name: "timeline", Help: "show when each task was worked on", More: "Show when each task of a run was worked on."},
	{Name: "watch", Help: "show it again whenever it changes", More: `Print the status again whenever it changes, in whichever form; with a run, until
that is over.`},
	{Name: "json", Help: "print JSON", More: `Print JSON: one object with
.Ql schema
and
.Ql runs .
Keys may be added; the schema's number grows when one is removed or changes its
meaning.`},
	{Name: "porcelain", Value: "v1", Optional: true, Help: "print lines for scripts", More: `Print lines for scripts
.Pq see Sx PORCELAIN FORMAT .`},
	{Name: "z", Help: "end records with NUL", More: `End the records of
.Fl -porcelain
with NUL instead of a newline, and leave paths unquoted.`},
	{Name: "prompt", Help: "one short word for a shell prompt", More: `Print one word for a shell's prompt about what lies in this worktree or on this
branch, such as
.Ql stopped ,
or nothing.
It never fails.`},
	{Name: "exit-code", Help: "exit with 10 if something is interrupted", More: "Exit with 10 if a run is interrupted, waiting or failed, else with 0."},
	runFlag,
}

var hookFlags = []Flag{
	{Name: "local", Help: "for this repository", More: "For this repository; this is the default."},
	{Name: "global", Help: "for all repositories of this user", More: `For all repositories of this user; it needs git 2.54, or a folder that
.Va core.hooksPath
names for all of them.`},
	{Name: "manager", Help: "add our lines to the file of the tool that owns the hooks", More: `Where husky, lefthook or overcommit own the hooks, add the lines to their file
instead of only showing them.`},
}
