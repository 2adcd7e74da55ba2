// Package start starts runs.
package start
