// Package staging creates the worktrees of runs, saves their uncommitted files, and removes what is no longer needed.
package staging
