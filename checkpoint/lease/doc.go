// Package lease decides who may work on a shared run. It also decides what to do after a push that was refused or got no answer, from the
// journal lines that the remote has after the push. Its functions are pure: they use neither a clock nor the network.
package lease
