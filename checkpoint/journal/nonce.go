package journal

import (
	"crypto/rand"
	"encoding/hex"
)

// NewNonce returns a random name for this process. It is so long that no other process gets the same name by accident.
func NewNonce() string {
	var b [5]byte
	_, _ = rand.Read(b[:]) // rand.Read never fails
	return hex.EncodeToString(b[:])
}
