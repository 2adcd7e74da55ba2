// Package textdoc reads documents that people and programs write by hand: JSON, YAML and Markdown.
//
// A JSON or YAML text becomes a tree of [Value]s with line numbers. No schema is needed. A Markdown text becomes lines, sections, tables and
// checkboxes; code blocks and comments are left out. Single values can be changed in place, and every other byte stays as it is.
// The depth and the number of parts are limited, because the texts come from repositories that may be hostile.
// The package does not access files, and knows nothing about plans or other systems.
package textdoc
