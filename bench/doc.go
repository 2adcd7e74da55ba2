// Package bench measures the program against git itself, in the same run and in turns,
// so that neither the machine nor what else it does matters much.
//
// It has no code of its own: 'make bench' runs its tests with -measure and prints the table.
// Without that flag the tests here prove only what needs no clock; no figure ever fails 'go test'.
package bench
