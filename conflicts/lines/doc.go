// Package lines compares texts line by line. It finds the changes between two texts, and the position of a line in an older text.
//
// It knows nothing about repositories.
package lines
