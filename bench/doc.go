// Package bench compares the speed of the program with the speed of git. 'make bench' runs its tests with -measure, lets the program and
// git take turns, and prints a table. 'go test' alone never fails because of a measured time.
package bench
