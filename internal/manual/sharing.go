package manual

func pushFlags() []Flag {
	return []Flag{
		runFlag,
		{Name: "to", Value: "remote", Help: "the remote, which must be named the first time", More: `The remote.
It must be named the first time.
From then on the run is bound to this remote, and nothing of the run is sent to any other remote.`},
		{Name: "rebind", Help: "bind the run to another remote", More: `Bind the run to the remote that
.Fl -to
names, although the run is bound to another remote.
A run is shared only through the remote that it is bound to.`},
		{Name: "restore", Help: "put back what the remote has lost", More: `Put back what the remote had before and has lost, for example because it was restored from a backup.`},
		wipFlag("Send the uncommitted work of the run too, this time only: one new snapshot, and no earlier snapshots.", "If files look like secrets, or are too large, the command sends nothing, not even the run."),
		withHelp(dryRun, "only show what readers of the remote will see", "Only show what everybody who can read the remote will see of the run."),
	}
}

// wipFlag describes the flag --wip of a command. The sentence "refused" says what is not sent if files look like secrets or are too large.
func wipFlag(more, refused string) Flag {
	return Flag{Name: "wip", Help: "send uncommitted work too", More: more + "\n" + refused}
}

func workFlags() []Flag {
	return []Flag{
		runFlag,
		{Name: "remote", Value: "remote", Help: "the remote at which the run is shared"},
		{Name: "plan", Value: "file", Help: "approve the commands of this plan file", More: `Approve the commands of this plan file.
If the run has commands that are not in this file, nothing is executed
.Pq exit code 11 .
Without this option, the commands must have been approved in this clone before.`},
		forFlag,
		{Name: "seat", Value: "name", Help: "name of the job slot in which this worker runs", More: `The name that the scheduler gives to the slot in which this worker runs, such as a job and its index.
A new worker with the same name takes over from the previous one.
Without this option, the names that Slurm, GitHub Actions, GitLab CI, Buildkite and indexed jobs of Kubernetes give in the environment are used.`},
		{Name: "incarnation", Value: "number", Help: "number of this worker; newer ones have higher numbers", More: `The number of this worker among the workers that were started with the same
.Fl -seat .
A newer worker has a higher number.
A worker does not take over from one with a higher number.
Without this option, the number that the scheduler gives in the environment is used, if there is one.`},
		{Name: "takeover", Help: "take the lease from its holder", More: `Take the right to work on the run from the machine that has it.
Use it only if you know that the other machine has stopped working on the run; what the other machine sends later does not become part of the run.`},
		{Name: "wait", Help: "wait while somebody else works on the run"},
		wipFlag(`Put uncommitted work that the remote has into the worktree, and let an interrupted task run again on top of it, as with
.Fl -keep .
At the end, send the uncommitted work in the worktree as one snapshot; earlier snapshots are not sent.`, "If files look like secrets, or are too large, only commits and the record are sent."),
		keepGoing, noVerify, verbose,
	}
}
