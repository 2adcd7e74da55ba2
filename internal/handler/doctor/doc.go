// Package doctor looks for problems in the records of runs and in what surrounds them.
package doctor
