// Package gitstate asks git everything that we need to know about a repository.
//
// Only the git program touches a repository: it reads objects, writes them, and moves refs by compare-and-swap. go-git only interprets
// bytes that git has read. It never opens a repository, because it cannot open every kind of repository and does not write safely. We read
// a few files directly (HEAD, loose refs, packed-refs, the commit-graph). So we need no process to see that there is nothing to do, or to
// find a common ancestor.
//
// A Repo is one worktree of one repository. Each of its parts has a subpackage: locate finds the repository, process runs git there, guard
// marks what git writes, and settings, refs and store read and write the rest. Package object defines the object model. The packages past
// and ongoing are built on top of Repo.
//
// These packages only report what they find and give no advice. They know nothing about runs.
package gitstate
