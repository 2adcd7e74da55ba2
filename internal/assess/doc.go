// Package assess finds out what is true about work that could be continued, and decides what to do about it.
// Decide is a pure function.
package assess
