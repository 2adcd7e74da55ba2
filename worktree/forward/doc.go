// Package forward moves a branch that is checked out forward to a newer commit, together with the files. If the process is killed in
// between, the next move takes back what was written, and nothing else.
package forward
