// Package object is the object model: ids, commits, trees, and the forms in which git stores and sends them.
//
// It interprets bytes that others have read and opens no file; from go-git it uses only the modes of files.
package object
