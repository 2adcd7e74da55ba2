// Package locate finds the repository of a folder as git would, from the file system alone.
//
// It also knows the environment that names a repository, and reads the few settings that say where its work tree is.
package locate
