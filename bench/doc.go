// Package bench compares the speed of the program with that of git itself. Both are measured in the same run, taking turns,
// so that the speed of the machine and its other load matter little.
//
// The package has no product code: 'make bench' runs its tests with -measure and prints the table.
// Without that flag the tests check only what needs no clock; 'go test' never fails because of a measured time.
package bench
