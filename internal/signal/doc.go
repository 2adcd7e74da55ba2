// Package signal compares 'git resume status' with judgements that people made about real repositories. 'make signal DIR=folder' clones
// each repository of truth.tsv at the judged commit, and prints the rows that are wrong or missing. The product does not use this package.
package signal
