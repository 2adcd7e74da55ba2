// Package store reads objects through one git process that keeps running, and small new objects from their own files. New objects are
// passed to git, which writes them durably.
package store
