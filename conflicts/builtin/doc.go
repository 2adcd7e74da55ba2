// Package builtin models git's merge of two sides with one base. It is used if the caller chooses it, if git is older than 2.38 and cannot
// merge without writing into the repository, or if git fails, for example because a partial clone does not have all objects. The last
// widely used system with a git before 2.38 is Ubuntu 22.04, which is maintained until June 2027. After that this package can be removed
// with its subfolder.
package builtin
