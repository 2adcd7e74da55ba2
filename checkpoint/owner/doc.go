// Package owner says who works on a run, and makes sure that only one process does: with locks that living processes hold,
// and with claims in the journal that stop an earlier owner that was only asleep.
package owner
