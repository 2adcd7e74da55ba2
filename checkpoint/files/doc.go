// Package files keeps what a clone knows outside its refs: which runs are open or closed here, which requests are not yet answered,
// and which changes people made. Files that can be derived again are hints; all others are durable before anything depends on them.
package files
