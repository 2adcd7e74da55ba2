// Package tasks finds out what is done in a plan, whether it is still valid, what comes next, and which commands may run.
package tasks
