// Package clone distinguishes this clone from all other copies of the repository. It stores an id for the clone, and the
// keys with which its users sign.
package clone
