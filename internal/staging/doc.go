// Package staging creates the worktrees of runs, saves their uncommitted files, and removes files that are no longer needed.
package staging
