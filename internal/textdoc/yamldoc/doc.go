// Package yamldoc reads YAML, and changes single values of it in place. It is apart from package textdoc, because the
// YAML library takes a while to initialize, and the hooks of coding agents do not need it.
package yamldoc
