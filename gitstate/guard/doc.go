// Package guard marks what our process is about to write in a repository. If the process is killed, its mark file lists the leftovers that
// nobody uses any more: git's lock files, temporary files and folders, and partly written objects.
//
// A mark file stays locked as long as its process or a child process lives. The next writer clears the leftovers that unlocked mark files
// name. Package gitstate is built on this package, which knows only a folder, not a repository.
package guard
