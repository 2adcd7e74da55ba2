// Package store reads objects through one git process that stays, and hands new ones to git, which writes them durably.
package store
