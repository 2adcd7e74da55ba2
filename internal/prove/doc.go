// Package prove kills the program at its system calls that write, makes these calls fail, or lets several processes work at the same time.
// Then a checker reads the repository with plain git and without our code.
//
// The package contains only tests. Everyday tests run a sample. The program in the folder "run" tries more, and adds up the trials of all
// its executions:
//
//	make prove BUDGET=2h SUITES=A,B
package prove
