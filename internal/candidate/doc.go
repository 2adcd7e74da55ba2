// Package candidate finds work that can be continued (runs and the work of other systems) and resolves the names that people give it.
// It defines the types in which findings are reported, but it judges nothing.
package candidate
