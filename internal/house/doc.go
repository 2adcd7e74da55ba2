// Package house tests the structure of the source code. It checks which packages and libraries each package imports. It checks which
// packages start processes or read the clock, and it limits the length of functions.
//
// The package contains only tests, and no other package imports it. A new package of this project must first get a number in the map
// heights.
package house
