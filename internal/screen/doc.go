// Package screen and its subpackages produce the output of the program: text for people, JSON and porcelain. They only format values that
// they receive, and do not call git. Text for people may change between versions, but JSON and porcelain have version numbers.
package screen
