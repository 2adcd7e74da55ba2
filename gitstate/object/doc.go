// Package object defines ids, commits and trees, and the formats in which git stores and sends them.
//
// It only reads and makes bytes in memory, and opens no file. From go-git it uses only the file modes.
package object
