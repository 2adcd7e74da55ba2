// Package gitstate answers questions about a git repository, mostly by asking git.
//
// Only the git program moves refs, and it writes objects, except for a few small loose objects that we write as git does. go-git is only
// used for names and modes, and to interpret bytes, because it cannot open every kind of repository and does not write safely. We read a
// few files directly (HEAD, loose refs, packed-refs, the index, the commit-graph, small loose objects), because this is faster than asking
// git. All other objects are read by git.
//
// A Repo is one worktree of one repository. Each part of it has a subpackage: locate finds the repository, process runs git there, guard
// records the files that git is about to write, and settings, refs and store read and write the rest. Package object defines ids, commits
// and trees. The packages past and ongoing are built on top of Repo.
//
// These packages only report facts. They give no advice and know nothing about runs.
package gitstate
