// Package guard marks what a process of ours is about to write in a repository, so that what it leaves when it is killed
// is known to be nobody's: git's lock files, temporary files and folders, and the parts of objects.
//
// A mark is a file that is locked for as long as its process, or a child of it, lives. Whoever writes next clears away
// what marks name that nobody holds any more. It is used below gitstate and knows a folder, not a repository.
package guard
