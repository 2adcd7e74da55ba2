// Package adopt records other systems' work in a journal, and changes those systems' files in a way that can be undone.
package adopt
