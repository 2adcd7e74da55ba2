// Package clash defines the types with which an engine describes the result of a merge.
// It also contains the knowledge about conflicts that both engines share.
package clash
