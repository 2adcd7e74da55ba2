// Package store reads objects through one git process that keeps running, and small new objects from loose object files. It writes a few
// small objects as loose object files itself, and lets git write all others. Both ways of writing are durable.
package store
