// Package tasks knows of a plan what is done, whether that is still valid, what comes next, and what may be run.
package tasks
