// Package remote reads and moves refs of a git server. A move is a compare-and-swap: it happens only if each ref still is what the caller
// saw, and its outcome is never guessed.
package remote
