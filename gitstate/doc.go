// Package gitstate is everything that is asked of git.
//
// The git program alone touches a repository: it reads objects (one long-lived "cat-file --batch"),
// writes them, and moves refs by compare-and-swap. While commands are executed,
// the processes that compare trees and move refs stay too.
// go-git serves as the object model over the bytes that git read;
// it never opens a repository, for it cannot open every kind and writes unsafely.
// A few files (HEAD, loose refs, packed-refs, the commit-graph) are read directly,
// so that finding out that there is nothing to do starts no process, and a common ancestor is found without one.
//
// The package states facts and gives no advice; it knows nothing of runs.
package gitstate
