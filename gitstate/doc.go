// Package gitstate asks git everything that we need to know of a repository.
//
// Only the git program touches a repository: it reads objects, writes them, and moves refs by compare-and-swap.
// go-git serves as the object model for the bytes that git has read;
// it never opens a repository, because it cannot open every kind and writes unsafely.
// We read a few files directly (HEAD, loose refs, packed-refs, the commit-graph),
// so that it takes no process to find that there is nothing to do, or to find a common ancestor.
//
// A Repo is one worktree of one repository. It names its parts, and each part has a package below:
// where the repository lies (locate), the git program that runs there (process) under marks (guard), its settings, refs and
// objects (store, using the model in object). The packages past and ongoing build on a Repo and ask it.
//
// These packages state facts and give no advice; they know nothing of runs.
package gitstate
