// Package assess finds out the state of work that could be continued, and decides what to do with it.
// The function Decide is pure: its result depends only on its arguments.
package assess
