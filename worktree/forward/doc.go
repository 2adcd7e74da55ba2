// Package forward moves a checked out branch and its files to a newer commit. If the process is killed, the next move first restores the
// files that the killed move has written.
package forward
