// Package lease decides who may work on a shared run. It also decides how to continue after a push that was refused or got no answer. For
// that it looks at the journal lines that the remote has after the push. Its functions are pure: they use neither a clock nor the network.
package lease
