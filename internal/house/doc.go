// Package house checks the shape of the source tree: which room may import which, which rooms may start processes or read the clock,
// which rooms may use a library, and how long a function may be.
//
// It consists of tests only; it exports nothing, and no room imports it.
// A new room fails the test until it is given a height in the table of heights.
package house
