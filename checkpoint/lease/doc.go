// Package lease decides who may work on a shared run, and what a look at the remote means for a push whose answer is missing or was no. Its
// functions are pure: they see lines, and neither a clock nor a network.
package lease
