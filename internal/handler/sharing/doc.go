// Package sharing shares runs through a remote.
package sharing
