// Package screen is the top of the rooms in which every sentence, table, hint, JSON and porcelain form is made; itself it
// tells of errors, hooks and checks.
//
// These rooms decide nothing and ask git nothing. A screen is a function that is given a page, a small value; no room
// sees another through it. What comes from a repository is stripped of control characters before it reaches a terminal.
// Human text may change; porcelain and JSON are versioned.
package screen
