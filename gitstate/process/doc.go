// Package process runs the git program, and finds the git processes that others run in a repository. If git writes, it brings the new
// objects and refs to the disk before the call returns (see the mode Write); git before 2.36 does so only for objects. Before git creates
// lock files, this package lists them in a mark file (see package guard), so that they can be cleared if git is killed. Some git processes
// keep running and answer one question after another.
package process
