// Package tasks finds out which tasks of a plan are done and still valid, which task is next, and which commands may run.
package tasks
