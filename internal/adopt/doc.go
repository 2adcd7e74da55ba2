// Package adopt takes other systems' work into a journal, and changes their files so that it can be undone.
package adopt
