// Package builtin models git's merge of two sides with one base: clean, conflict, or cannot tell.
//
// It is for a git older than 2.38 (October 2022), which has no merge that writes nothing,
// and for a clone that lacks objects on which git insists.
// The last widely used system with an older git is Ubuntu 22.04, whose standard support ends in 2027:
// from July 2027 on this package can be removed, and a merge that git cannot do is then reported as such.
package builtin
