// Package staging gives runs their worktrees, saves what is in them and tidies up what is no longer needed.
package staging
