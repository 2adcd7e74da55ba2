// Package past answers questions about commits, such as common ancestors, differences, who changed a file, and the
// result of a merge.
package past
