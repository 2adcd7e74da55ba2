// Package builtin models git's merge of two sides with one base. Its answer is clean, conflict, or cannot tell.
//
// It is used if git is older than 2.38 (October 2022) and so cannot merge without writing into the repository.
// It is also used in a clone that lacks objects that git needs. The last widely used system with an older git is Ubuntu 22.04,
// whose standard support ends in 2027. From July 2027 on, this package can be removed.
// If git cannot do a merge, the report must then say so.
package builtin
