// Package assess tells what is true of work that could be continued, and decides what follows from it.
// Decide is pure.
package assess
