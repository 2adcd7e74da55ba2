package checkpoint

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

// Key signs what this user writes in this clone. Without the key, a signed text can be copied elsewhere, but no new text can be signed.
type Key struct {
	secret []byte
	// clone is the id of the clone. SignLine and Seal sign it together with the data.
	clone string
}

// NewKey makes a key for one clone from a secret.
func NewKey(secret []byte, clone string) *Key { return &Key{secret, clone} }

// macSize is the length of a signature: 128 bits.
const macSize = 16

// Sign returns a signature over the parts. The first part is the kind of the signed data.
func (k *Key) Sign(parts ...string) string {
	mac := hmac.New(sha256.New, k.secret)
	for i, p := range parts {
		if i > 0 {
			mac.Write([]byte{0})
		}
		mac.Write([]byte(p))
	}
	return hex.EncodeToString(mac.Sum(nil)[:macSize])
}

// Signed reports whether mac is the signature over the parts, made with this key. For a nil key it returns false.
func (k *Key) Signed(mac string, parts ...string) bool {
	return k != nil && hmac.Equal([]byte(mac), []byte(k.Sign(parts...)))
}

// Seal signs data that a clone keeps for itself. domain is the kind of the data.
func (k *Key) Seal(domain string, parts ...string) string {
	return k.Sign(append([]string{domain, k.clone}, parts...)...)
}

// Sealed reports whether mac is the signature that Seal makes with this key for the same domain and parts.
func (k *Key) Sealed(mac, domain string, parts ...string) bool {
	return k != nil && k.Signed(mac, append([]string{domain, k.clone}, parts...)...)
}

// lineDomain is signed together with every line, so that a signature for other data is never valid for a line.
const lineDomain = "git-resume line 1"

// The signature is the last field of a line, in exactly this form.
const (
	macOpen  = `,"mac":"`
	macClose = `"}`
	macLen   = len(macOpen) + 2*macSize + len(macClose)
)

// SignLine adds the signature to an encoded line. The line must end with "}" and a newline.
func (k *Key) SignLine(run RunID, line []byte) []byte {
	body := string(line[:len(line)-len("}\n")])
	return []byte(body + macOpen + k.Sign(lineDomain, string(run), k.clone, body) + macClose + "\n")
}

// Wrote reports whether a stored line was written with this key for this run. It checks the stored bytes and never
// decodes and encodes them again.
func (k *Key) Wrote(run RunID, text string) bool {
	if k == nil {
		return false
	}
	text = trimBlanks(text)
	cut := len(text) - macLen
	if cut < 1 || text[cut:cut+len(macOpen)] != macOpen || text[len(text)-len(macClose):] != macClose {
		return false
	}
	mac := text[cut+len(macOpen) : len(text)-len(macClose)]
	return k.Signed(mac, lineDomain, string(run), k.clone, text[:cut])
}
