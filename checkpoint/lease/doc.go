// Package lease decides who may work on a shared run. It also decides what to do after a push that was refused or got no answer. For that
// it uses the lines that the remote then has. Its functions are pure: they use neither a clock nor the network.
package lease
