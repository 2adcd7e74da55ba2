// Package agents holds what is known about coding agents: where each keeps its settings, which hooks it has, how its files are written,
// and how the payload of its hooks looks.
//
// It reads and writes no files of agents: it has only tables and functions on texts.
package agents
