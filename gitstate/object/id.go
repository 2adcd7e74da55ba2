package object

import "strings"

// ID is the id of an object in hexadecimal; empty means none.
type ID string

// Short is the abbreviated id that we show to people.
func (o ID) Short() string { return string(o[:min(7, len(o))]) }

// IsID reports whether s has the form of an object id, SHA-1 or SHA-256.
func IsID(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	return strings.Trim(s, "0123456789abcdef") == ""
}
