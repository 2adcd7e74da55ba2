// Package textdoc reads documents that people and programs write by hand: JSON, YAML and Markdown.
//
// A JSON or YAML text becomes a tree of [Value]s with lines, whatever its schema; a Markdown text becomes lines, sections, tables and
// checkboxes, without what stands in code blocks and comments. Single values can be changed in place, and every other byte stays as it is.
// Reading is bounded in depth and in the number of parts, because the texts come from repositories that nobody vouches for.
// The package knows no file, no plan and no other system: it turns bytes into values, and bytes with an edit into bytes.
package textdoc
