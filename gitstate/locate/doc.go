// Package locate finds the repository of a folder as git would, from the file system alone.
//
// It also handles the environment variables that name a repository, and reads the few settings that say where its work tree is.
package locate
