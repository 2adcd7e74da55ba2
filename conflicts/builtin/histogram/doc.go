// Package histogram merges three texts line by line, as git's merge does. It compares them with git's histogram algorithm, because the
// result of a merge depends on which lines are paired.
//
// Only the builtin engine needs it, so it can go together with that engine.
package histogram
