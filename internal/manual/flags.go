package manual

func startFlags() []Flag {
	return []Flag{
		name,
		{Name: "task", Value: "task", Many: true, Help: "a task: 'TITLE' or 'ID: TITLE'", More: `Add a task: its title, or
.Ql id: title .
May be given several times, in the order of the work.`},
		{Name: "base", Value: "branch", Help: "the branch to start from and to merge into at the end"},
		{Name: "here", Help: "work in this worktree", More: "Work in this worktree and on this branch, instead of in a new worktree."},
		{Name: "take", Help: "take uncommitted changes along", More: "Copy the uncommitted changes of this worktree into the new one."},
		newFlag,
		{Name: "auto", Help: "continue the open run of this name if there is one", More: `If a run of this name is open, continue that run.
Otherwise start a new run, and record automatic mode for it.
In automatic mode, the run is later continued without asking, where that is safe.`},
		{Name: "mode", Value: "mode", Help: "interactive, auto or preflight",
			More: "How the run is to be continued later; this is recorded."},
		owner, jobs, forFlag, untilFlag, keepGoing, noVerify, verbose,
	}
}

// forFlag and untilFlag limit how long tasks are executed.
var (
	forFlag = Flag{Name: "for", Value: "duration", Help: "how long to work, such as 5h30m", More: `How long to work, such as
.Ql 90m
or
.Ql 5h30m .
A task that is still running then is stopped as with Ctrl-C.
If work is left, the exit code is 18.`}
	untilFlag = Flag{Name: "until", Value: "time", Help: "when to stop, such as 18:00", More: `When to stop, as
.Ql 18:00
or
.Ql 2026-11-17 18:00 ,
in local time.
Otherwise like
.Fl -for .`}
)

func statusFlags() []Flag {
	return []Flag{
		{Name: "all", Help: "also show closed runs and work that is not listed", More: `Also show closed runs
.Pq merged, discarded or replaced ,
hidden work, and other systems' work that is not listed because it is old, finished or
not started.
Without
.Fl -json
and
.Fl -porcelain ,
also show how much disk space git-resume uses.`},
		{Name: "check", Help: "also show what changed since the run stopped", More: `Also show what was changed by others since the run stopped, and whether it can be
continued.`},
		{Name: "timeline", Help: "show when each task was worked on", More: "Show when each task of a run was worked on."},
		{Name: "watch", Help: "print the status again whenever it changes", More: `Print the status again whenever it changes, in any of the formats.
At a terminal, if tasks of one run are running, each of them has a line with its time and
the last line of its output, and another line says how many tasks are done.
With a run, stop when it is finished.`},
		{Name: "json", Help: "print JSON", More: `Print JSON: one object with
.Ql schema
and
.Ql runs .
New keys may be added; the number of the schema increases when a key is removed or
changes its meaning.`},
		{Name: "porcelain", Value: "v1", Optional: true, Help: "print lines for scripts", More: `Print lines for scripts
.Pq see Sx PORCELAIN FORMAT .`},
		{Name: "z", Help: "end records with NUL", More: `End the records of
.Fl -porcelain
with NUL instead of a newline, and leave paths unquoted.`},
		{Name: "prompt", Help: "one short word for a shell prompt", More: `Print one word for a shell prompt about the work in this worktree or on this
branch, such as
.Ql stopped ,
or nothing.
The exit code is always 0.`},
		{Name: "exit-code", Help: "exit 10 if work is interrupted, waiting or failed", More: "Exit with 10 if listed work is interrupted, waiting or failed, otherwise with 0."},
		runFlag,
	}
}

func hookFlags() []Flag {
	return []Flag{
		{Name: "local", Help: "for this repository", More: "For this repository; this is the default."},
		{Name: "global", Help: "for all repositories of this user", More: `For all repositories of this user.
This needs git 2.54 or newer, or a folder that
.Va core.hooksPath
names in the global settings.`},
		{Name: "manager", Help: "add the hook to the hook manager's file", More: `Add the lines to the file of husky, lefthook or overcommit, whichever manages the
hooks here, instead of only showing them.
This option fails if no hook manager is found, or if the hook is installed in another way.`},
	}
}
