// Package process runs the git program, and finds the git processes that others run in a repository. A call in mode
// Write returns only after its objects and refs are on the disk. Before git creates lock files, the mark file of
// package guard lists them, so that they can be cleared if git is killed. Some git processes keep running and answer
// one question after another.
package process
