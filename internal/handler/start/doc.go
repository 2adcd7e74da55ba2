// Package start begins runs.
package start
