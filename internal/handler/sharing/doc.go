// Package sharing shares runs through a remote, and tries what a remote must be able to do for that.
package sharing
