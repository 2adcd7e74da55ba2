// Package checkpoint defines what a run is: its events, the lines that store them, and the state that follows from those lines.
// It is pure; the packages below it store and find runs. The format is specified in docs/FORMAT.md.
//
// Neither this package nor those below it decide whether to continue, create worktrees, or print anything.
package checkpoint
