// Package builtin models git's merge of two sides with one base. It is used if the caller chooses it, and if git cannot merge. Git before
// 2.38 cannot merge without writing into the repository, and newer versions can fail too, for example if a partial clone lacks objects.
// The last widely used system with a git before 2.38 is Ubuntu 22.04, which is maintained until June 2027. After that, this package and
// its subfolder can be removed.
package builtin
