// Package house tests the structure of the source code.
// For each package it checks which other packages and libraries it may import, and whether it may start processes or read the clock.
// It also limits the length of functions.
//
// The package contains only tests, and no other package imports it.
// A new package of this project must first get a height in the table heights.
package house
