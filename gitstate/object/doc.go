// Package object is the object model: ids, commits, trees, and the forms in which git stores and sends them.
//
// It reads bytes that others have read and opens nothing; go-git serves it for the modes of files.
package object
