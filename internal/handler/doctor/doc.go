// Package doctor looks for problems in the records of runs, and in the worktrees, settings and git version that runs depend on.
package doctor
