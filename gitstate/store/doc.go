// Package store reads objects through one git process that keeps running. New objects are passed to git, which writes them durably.
package store
