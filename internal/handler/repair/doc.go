// Package repair brings git's own interrupted operations to an end.
package repair
