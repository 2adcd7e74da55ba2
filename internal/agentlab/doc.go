// Package agentlab runs real coding agents in a throw-away home folder, with a model on loopback that answers from a script. It shows what
// the hooks of each agent report, and whether its work can be continued. If the programs of the agents are not installed, the tests are
// skipped.
package agentlab
