// Package repair continues, skips or aborts git's own interrupted operations.
package repair
