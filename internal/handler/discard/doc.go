// Package discard drops runs so that nothing is lost, and takes back what a person did.
package discard
