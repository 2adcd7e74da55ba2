// Package agentlab runs real coding agents in a throw-away home folder, with a model on loopback that answers from a script. It shows what
// the hooks of each agent report, and whether the agent's work can be continued. The tests run only on Unix, and only if the variable
// AGENTS names a folder for the programs of the agents.
package agentlab
