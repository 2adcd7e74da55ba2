// Package house tests the structure and the words of the source code. It contains only tests. A new package of this project must get a
// number in the map "heights".
package house
