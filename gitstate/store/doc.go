// Package store reads objects through one git process that stays, and passes new objects to git, which writes them durably.
package store
