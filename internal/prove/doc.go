// Package prove kills the program and looks at what is left.
//
// A tracer stops every process of a command at each call that writes, and kills one of them or all, or lets the call fail.
// A checker then asks plain git, and none of our code, what the repository holds:
// the program must tell the same, nothing acknowledged may be missing, and the command repeated must succeed.
// The package holds tests alone and exports nothing.
//
// A sample runs with the other tests. The whole is run, counted and summed up over many runs by the program in the folder run:
//
//	make prove BUDGET=2h SUITES=A,B
package prove
