// Package anywhere lets several clones work on one shared run while machines die and sleep and the network fails, and then checks what the
// server accepted.
//
// The server is git's own, and logs every move of a ref. A proxy loses, cuts, delays and delays for longer than anybody waits. Workers are
// killed, stopped and woken. A checker that uses none of our code walks through the log of the server.
//
// The package contains only tests. Everyday tests run a sample:
//
//	make prove BUDGET=2h SUITES=I
package anywhere
