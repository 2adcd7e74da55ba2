// Package yamldoc reads YAML, and changes single values of it in place. It is not part of package textdoc, because the YAML library takes a
// while to initialize. The hooks of coding agents use textdoc but no YAML, so they do not have to wait for that library.
package yamldoc
