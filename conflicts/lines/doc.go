// Package lines compares texts line by line, as git's merge does. It finds the changes between two texts,
// merges three texts, and finds the position of a line in an older text.
//
// It knows nothing about repositories.
package lines
