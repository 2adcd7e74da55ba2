// Package screen and its subpackages produce all output: text for people, JSON and porcelain.
// They only format values that they receive, and never call git. Text from a repository is printed without control characters.
// Text for people may change between versions, but JSON and porcelain have version numbers.
package screen
