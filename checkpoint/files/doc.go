// Package files keeps what a clone knows beside its refs: which runs are open or closed here, what was asked and not yet told,
// and what persons did. Files that can be derived again are hints; all others are durable before anything depends on them.
package files
