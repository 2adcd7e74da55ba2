// Package compare compares commits and files.
package compare
