// Package prove kills the program at its system calls that write, makes these calls fail, or lets several processes work at the same time.
// Then a checker reads the repository with plain git and without our code.
//
// The package contains only tests. Everyday tests run a sample of the trials. The program in the folder "run" makes many more. It counts
// them together with the trials of its earlier executions:
//
//	make prove BUDGET=2h SUITES=A,B
package prove
