// Package conflicts finds out where a run will conflict with the changes of other people, before its work continues. Usually
// git itself decides, by a merge in a temporary object store. The builtin engine replaces git versions that cannot do this;
// if it cannot tell, that counts as a conflict. The package writes nothing into the repository.
package conflicts
