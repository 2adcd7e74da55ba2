// Package handler puts together all that a user can do.
//
// The rooms below it print nothing and ask nothing: what happened comes back as values, what went wrong as typed errors,
// and the report room finds the words.
package handler
