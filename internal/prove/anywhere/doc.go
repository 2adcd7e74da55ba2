// Package anywhere lets several clones work on one shared run while machines die or sleep and the network fails. Then it checks what the
// server accepted.
//
// The server is git's own, and logs every change of a ref. Between the clones and the server, a proxy loses, cuts or delays requests and
// answers, some for longer than the clones wait. Workers are killed, stopped and continued. A checker that uses none of our code reads the
// log of the server.
//
// The package contains only tests. Everyday tests run a sample. The long proof is:
//
//	make prove BUDGET=2h SUITES=I
package anywhere
