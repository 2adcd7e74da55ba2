// Package handler puts together everything that a user can do.
//
// The packages below it print nothing and ask nothing: they return results as values and failures as typed errors,
// and internal/screen turns both into words.
package handler
