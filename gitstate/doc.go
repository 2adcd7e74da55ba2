// Package gitstate answers questions about a git repository, mostly by asking git. A Repo is one worktree of one
// repository; its parts are in subpackages. Little of go-git is used, because go-git cannot open every kind of
// repository and does not write safely. The package reports facts: it gives no advice and knows nothing about runs.
package gitstate
