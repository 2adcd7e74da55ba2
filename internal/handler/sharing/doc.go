// Package sharing shares runs through a remote, and tests whether a remote can do everything that this needs.
package sharing
