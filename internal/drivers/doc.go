// Package drivers connects the sessions of coding agents with the runs of a repository: which session works on a run, whether it is alive,
// and what its reports change in the journal.
package drivers
