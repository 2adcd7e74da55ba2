// Package gitstate is everything that is asked of git.
//
// The git program alone touches a repository: it reads objects, writes them, and moves refs by compare-and-swap.
// go-git serves as the object model over the bytes that git read;
// it never opens a repository, for it cannot open every kind and writes unsafely.
// A few files (HEAD, loose refs, packed-refs, the commit-graph) are read directly,
// so that finding out that there is nothing to do starts no process, and a common ancestor is found without one.
//
// A Repo is one worktree of one repository. It names its parts, each of which has a room below:
// where it lies (locate), the program that is run there (process) under marks (guard), its settings, refs and
// objects (store, over the model in object). The rooms past and ongoing stand above and ask a Repo.
//
// The rooms state facts and give no advice; they know nothing of runs.
package gitstate
