// Package process runs the git program, and finds the git processes that others run in a repository.
//
// A writing call returns only after its data is on the disk. Its locks are marked before git creates them. While we execute commands for
// the user, some git processes keep running and answer one question after another.
package process
