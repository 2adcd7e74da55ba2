// Package files manages the files that a clone stores below .git/resume, outside of its refs. They list for example the open and closed
// runs, and the changes that people made. Files that are needed after a crash are written to the disk before anything depends on them.
package files
