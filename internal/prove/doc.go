// Package prove kills the program at every possible moment and checks the repository afterwards.
//
// A tracer stops each process of a command at every system call that writes. It kills one or all processes, or makes the call fail.
// Then a checker reads the repository with plain git and without our code.
// The program must report the same state, acknowledged results must not be lost, and the repeated command must succeed.
//
// The package contains only tests. Everyday tests run a sample.
// The program in the folder run tries all moments, and adds up the trials of many runs:
//
//	make prove BUDGET=2h SUITES=A,B
package prove
