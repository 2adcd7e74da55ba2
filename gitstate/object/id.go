package object

import "strings"

// ID is the hexadecimal id of an object. An empty ID means that there is no object.
type ID string

// Short returns the abbreviated id that we show to people.
func (o ID) Short() string { return string(o[:min(7, len(o))]) }

// IsID reports whether s has the form of an object id, SHA-1 or SHA-256.
func IsID(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	return strings.Trim(s, "0123456789abcdef") == ""
}
