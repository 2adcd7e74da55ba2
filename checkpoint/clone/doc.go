// Package clone distinguishes this copy of a repository from every other one: by its name, and by the keys with which its users sign.
package clone
