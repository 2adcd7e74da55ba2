package manual

// pushFlags are the options of "git resume push".
func pushFlags() []Flag {
	return []Flag{
		runFlag,
		{Name: "to", Value: "remote", Help: "the remote, which must be named the first time", More: `The remote.
It must be named the first time.
From then on the run is bound to it, and nothing of the run is sent to another one.`},
		{Name: "rebind", Help: "bind the run to another remote", More: `Bind the run to the remote that
.Fl -to
names, although it is bound to another one.`},
		{Name: "restore", Help: "put back what the remote has lost", More: `Put back what the remote had before and has lost, for example because it was restored from a backup.`},
		withHelp(dryRun, "only show what readers of the remote will see", "Only show what everybody who can read the remote will see of the run."),
	}
}
