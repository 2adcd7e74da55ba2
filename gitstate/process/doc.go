// Package process runs the git program, and knows the git processes that others run in a repository.
//
// A writing call is durable before it returns, and the locks that it takes are marked first.
// While commands are executed, some processes stay and answer one question after the other.
package process
