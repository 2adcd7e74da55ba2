// Package store reads objects through one git process that keeps running, and small new objects from their own files. It writes a few
// small objects as loose object files, and passes all others to git. Both ways are durable.
package store
