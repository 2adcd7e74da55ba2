// Package conflicts finds out where a run will conflict with the changes of other people, before its work continues. Usually
// git itself decides, by a merge in a temporary object store. If git cannot do this, for example because it is too old, the
// builtin engine decides. If the builtin engine is not sure, it reports a conflict. The package writes nothing into the
// repository.
package conflicts
