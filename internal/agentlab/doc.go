// Package agentlab runs real coding agents in a throw-away home folder, against a model on loopback that answers from a script.
// It shows what the hooks of each agent report, and whether its work can be continued. Without the programs it has nothing to run.
package agentlab
