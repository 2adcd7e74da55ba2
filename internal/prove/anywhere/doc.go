// Package anywhere lets several clones work on one shared run while machines die or sleep and the network fails. Then a checker that uses
// none of our code reads the log of the server.
//
// The package contains only tests. Everyday tests run a sample. The long proof is:
//
//	make prove BUDGET=2h SUITES=I
package anywhere
