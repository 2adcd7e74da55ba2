// Package doctor looks for what is wrong with the record and its surroundings.
package doctor
