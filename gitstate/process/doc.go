// Package process runs the git program, and finds the git processes that others run in a repository.
//
// A writing call is durable before it returns, and its locks are marked before git takes them.
// While we execute commands for the user, some git processes stay and answer one question after another.
package process
