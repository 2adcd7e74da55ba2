// Package textdoc reads documents that people and programs write: JSON and Markdown, and together with package yamldoc
// also YAML. Single values of a JSON text can be changed in place. The depth and the number of parts are limited,
// because the texts come from repositories that may be hostile. The package does not access files.
package textdoc
