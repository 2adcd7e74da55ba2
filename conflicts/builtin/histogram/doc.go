// Package histogram merges three texts line by line, as git's merge does. It compares them with git's histogram algorithm, because the
// result of a merge depends on which lines are paired.
//
// Only the builtin engine needs this package, so it can be removed together with that engine.
package histogram
