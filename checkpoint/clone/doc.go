// Package clone distinguishes this clone from all other copies of the repository, by its id and by the keys with which its users sign.
package clone
