// Package process runs the git program, and finds the git processes that others run in a repository. In a call in mode
// Write, git brings its objects and refs to the disk before the call returns; git before 2.36 does so only for objects.
// Before git creates lock files, the mark file of package guard lists them, so that they can be cleared if git is
// killed. Some git processes keep running and answer one question after another.
package process
