// Package screen finds the words: every sentence, table, hint, JSON and porcelain form that people and programs see.
//
// It decides nothing and asks git nothing. What comes from a repository is stripped of control characters
// before it reaches a terminal. Human text may change; porcelain and JSON are versioned.
package screen
