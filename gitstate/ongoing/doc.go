// Package ongoing reads which of git's own operations are under way in a worktree: how far each one is,
// what it waits for, and by which commands it goes on or ends.
package ongoing
