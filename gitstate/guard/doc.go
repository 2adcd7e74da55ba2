// Package guard records in a mark file which files our process is about to write in a repository. If the process is killed, the next
// writer reads the mark file and clears the leftovers: git's lock files, temporary files and folders, and partly written objects.
//
// A mark file stays locked as long as its process or a child process lives. So an unlocked mark file shows that its writer is dead.
// Package gitstate is built on this package, which works on any folder and knows nothing about repositories.
package guard
