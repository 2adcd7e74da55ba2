// Package signal compares 'git resume status' with what people found to be true of real repositories. 'make signal DIR=folder' clones
// each repository of truth.tsv at the commit that was judged, and prints the rows that are false or missing. The product does not use it.
package signal
