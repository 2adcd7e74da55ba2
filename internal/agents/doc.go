// Package agents contains facts about coding agents: where each agent keeps its settings, which hooks it has, how its files are written,
// and which format the payload of its hooks has.
//
// The package reads and writes no files of agents. It has only tables, and functions that work on texts.
package agents
