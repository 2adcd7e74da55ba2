// Package guard records in a mark file which lock files, temporary files and partly written objects our process or its
// git may leave behind. If the process is killed, the next writer reads the mark file and clears the leftovers. A mark
// file is locked while its process or a child process uses it; an unlocked mark file shows that nobody writes the
// listed files any more. The package never starts git.
package guard
