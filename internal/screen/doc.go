// Package screen is the parent of the packages that make every sentence, table, hint, JSON and porcelain form.
// The package itself shows errors, hooks and checks.
//
// These packages decide nothing and ask git nothing. A screen is a function that is given a page, which is a small value; the packages
// share nothing through it. Text from a repository is stripped of control characters before it reaches a terminal.
// Human text may change; porcelain and JSON are versioned.
package screen
