// Package prove kills the program and checks what is left.
//
// A tracer stops every process of a command at each system call that writes, and kills one or all of them, or makes the call fail.
// A checker then asks plain git, and none of our code, what the repository contains:
// the program must report the same, nothing acknowledged may be missing, and repeating the command must succeed.
// The package holds only tests and exports nothing.
//
// A sample runs with the other tests. The program in the folder run runs everything, and counts and sums the trials over many runs:
//
//	make prove BUDGET=2h SUITES=A,B
package prove
