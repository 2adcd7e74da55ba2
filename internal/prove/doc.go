// Package prove kills the program at every possible moment and checks what is left.
//
// A tracer stops every process of a command at each system call that writes. It kills one or all of them, or makes the call fail.
// A checker then asks plain git, and none of our code, what the repository contains. The program must report the same,
// nothing that it acknowledged may be missing, and repeating the command must succeed.
// The package holds only tests and exports nothing.
//
// A sample runs with the other tests. The program in the folder run tries everything, and counts the trials of many runs:
//
//	make prove BUDGET=2h SUITES=A,B
package prove
