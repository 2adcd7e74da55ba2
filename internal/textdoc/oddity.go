package textdoc

// Oddity is something that YAML allows and that makes a document hard to read. For example, it can expand a short text into a huge one,
// or hide which value belongs to which key.
type Oddity byte

// These are the oddities that a YAML document can have. An oddity is reported with its line and with its text there, such as the name of an
// anchor.
const (
	OddAlias Oddity = iota
	OddAnchor
	OddMerge
	OddTag
	OddKey     // a key that is not a scalar
	OddControl // a control character
	OddSecond  // a second document in the same file
	OddDepth   // more levels or values than the bounds allow
)
