// Package exchange brings the record of a run to the remote that it is bound to, and back. What comes from there is checked before anything
// believes it, and nothing that comes from there is executed, moves a branch or writes a file here.
package exchange
