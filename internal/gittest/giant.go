package gittest

import (
	"bytes"
	"compress/flate"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/adler32"
	"io"
	"os"
	"path/filepath"
)

// Giant stores an object that begins with a text and continues with many zero bytes.
// On disk it takes only a thousandth of its size. Giant writes the file itself, because git would compress it slowly.
func (r *Repo) Giant(kind, text string, zeros int64) string {
	r.T.Helper()
	head := fmt.Sprintf("%s %d\x00%s", kind, int64(len(text))+zeros, text)
	sum := sha1.New()
	_, _ = io.WriteString(sum, head)
	for left := zeros; left > 0; left -= int64(len(someZeros)) {
		sum.Write(someZeros[:min(left, int64(len(someZeros)))])
	}
	id := hex.EncodeToString(sum.Sum(nil))
	r.Loose(id, deflated(head, zeros))
	return id
}

// Loose stores bytes as the file of an object, even if the object id does not fit these bytes.
func (r *Repo) Loose(id string, packed []byte) {
	r.T.Helper()
	path := filepath.Join(r.Git("rev-parse", "--git-common-dir"), "objects", id[:2], id[2:])
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.Dir, path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.T.Fatal(err)
	}
	if err := os.WriteFile(path, packed, 0o444); err != nil {
		r.T.Fatal(err)
	}
}

// Deflated compresses a text followed by the given number of zero bytes, in the format of git's object files.
func Deflated(text string, zeros int64) []byte { return deflated(text, zeros) }

var someZeros = make([]byte, 1<<20)

// deflated compresses a block of zeros once and repeats the result. This is valid because a compressed block refers to nothing before it.
func deflated(text string, zeros int64) []byte {
	out := bytes.NewBuffer([]byte{0x78, 0x01})
	part := func(data []byte) []byte {
		var b bytes.Buffer
		w, _ := flate.NewWriter(&b, flate.BestCompression) // NewWriter fails only for an invalid level
		_, _ = w.Write(data)                               // a write to memory cannot fail
		_ = w.Flush()
		return b.Bytes()
	}
	out.Write(part([]byte(text)))
	whole := part(someZeros)
	for range zeros / int64(len(someZeros)) {
		out.Write(whole)
	}
	out.Write(part(someZeros[:zeros%int64(len(someZeros))]))
	out.Write([]byte{0x01, 0x00, 0x00, 0xff, 0xff}) // an empty block ends the compressed data
	sum := adler32.Checksum([]byte(text))
	low, high := uint64(sum&0xffff), uint64(sum>>16) // Adler-32 has two halves of 16 bits; a zero byte keeps the low half and adds it to the high half
	high = (high + uint64(zeros)%65521*low) % 65521
	_ = binary.Write(out, binary.BigEndian, uint32(high<<16|low))
	return out.Bytes()
}

// Packed is an object for Pack: either a whole object or a delta against another object.
type Packed struct {
	Kind string
	// The field Text, followed by the given number of zero bytes, is the content of the object or of the delta.
	Text  string
	Zeros int64
	// Base is the object to which a delta is applied.
	Base string
}

// Pack stores objects in a pack file, as a fetch would, unchanged and in the given order.
func (r *Repo) Pack(objects ...Packed) {
	r.T.Helper()
	var out bytes.Buffer
	out.WriteString("PACK")
	_ = binary.Write(&out, binary.BigEndian, [2]uint32{2, uint32(len(objects))})
	for _, o := range objects {
		kind := map[string]byte{"commit": 1, "tree": 2, "blob": 3, "tag": 4, "delta": 7}[o.Kind]
		size := uint64(len(o.Text)) + uint64(o.Zeros)
		first := kind<<4 | byte(size&15)
		rest := binary.AppendUvarint(nil, size>>4)
		if size>>4 == 0 {
			rest = nil
		} else {
			first |= 0x80
		}
		out.Write(append([]byte{first}, rest...))
		if o.Kind == "delta" {
			base, _ := hex.DecodeString(o.Base)
			out.Write(base)
		}
		out.Write(deflated(o.Text, o.Zeros))
	}
	sum := sha1.Sum(out.Bytes())
	out.Write(sum[:])
	r.Pipe(out.String(), "index-pack", "--stdin", "--fix-thin")
}

// Repeating returns a delta that repeats the first bytes of its base the given number of times.
func Repeating(base, first, times int64) string {
	out := binary.AppendUvarint(nil, uint64(base))
	out = binary.AppendUvarint(out, uint64(first*times))
	for range times {
		out = append(out, 0x80|0x10|0x20|0x40, byte(first), byte(first>>8), byte(first>>16))
	}
	return string(out)
}
