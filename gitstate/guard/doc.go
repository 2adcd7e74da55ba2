// Package guard marks what our process is about to write in a repository. If the process is killed, its mark proves
// that nobody uses what it left: git's lock files, temporary files and folders, and partly written objects.
//
// A mark is a file that is locked as long as its process, or a child of it, lives. The next writer clears away
// what is named by marks that nobody holds any more. The package lies below gitstate and knows a folder, not a repository.
package guard
