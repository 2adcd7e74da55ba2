// Package house holds the shape of the source tree: which room may see which, who may start processes or read the clock,
// where a library may live, and how long a function may be.
//
// It is a test and nothing else; it exports nothing, and no room knows of it.
// A new room fails the test until it is given its height there.
package house
