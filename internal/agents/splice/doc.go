// Package splice adds entries to settings files of other programs, in JSON and TOML, and takes them out again.
//
// An edit only inserts bytes: comments, order, indentation and line ends of the rest stay as they are, so that taking the same bytes
// out restores the file exactly. The package works on text and touches no files. It refuses text that it does not fully understand.
package splice
