// Package agents holds what is known about coding agents: where each keeps its settings, which hooks it has, how its files are written,
// and how the payload of its hooks looks.
//
// Everything here is a table or a pure function. The package reads and writes no files.
package agents
