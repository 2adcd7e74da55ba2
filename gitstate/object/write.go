package object

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"hash/adler32"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Hasher computes object ids with the hash function of one repository.
type Hasher struct{ sha256 bool }

// NewHasher returns a Hasher for SHA-256 or, if sha256 is false, for SHA-1.
func NewHasher(sha256 bool) Hasher { return Hasher{sha256: sha256} }

func (h Hasher) new() hash.Hash {
	if h.sha256 {
		return sha256.New()
	}
	return sha1.New()
}

// ID returns the id that git gives to an object.
func (h Hasher) ID(kind string, data []byte) ID {
	sum := h.new()
	fmt.Fprintf(sum, "%s %d\x00", kind, len(data))
	sum.Write(data)
	return ID(hex.EncodeToString(sum.Sum(nil)))
}

// IDOf returns the id of an object that is read from a stream. It fails if the length of the stream differs from the given size.
func (h Hasher) IDOf(kind string, size int64, from io.Reader) (ID, error) {
	sum := h.new()
	fmt.Fprintf(sum, "%s %d\x00", kind, size)
	n, err := io.Copy(sum, from)
	if err == nil && n != size {
		err = io.ErrUnexpectedEOF
	}
	return ID(hex.EncodeToString(sum.Sum(nil))), err
}

// Zero returns the id that means "no object" when a ref is updated.
func (h Hasher) Zero() ID {
	return ID(bytes.Repeat([]byte("0"), 2*h.new().Size()))
}

// TreeData returns a tree as git stores it, with the entries in git's order.
func TreeData(entries []Entry) []byte {
	key := func(e Entry) string {
		if e.Mode == ModeDir {
			return e.Name + "/"
		}
		return e.Name
	}
	sorted := slices.SortedFunc(slices.Values(entries), func(a, b Entry) int { return cmp.Compare(key(a), key(b)) })
	var buf bytes.Buffer
	for _, e := range sorted {
		raw, _ := hex.DecodeString(string(e.ID))
		buf.WriteString(strconv.FormatUint(uint64(e.Mode), 8))
		buf.WriteByte(' ')
		buf.WriteString(e.Name)
		buf.WriteByte(0)
		buf.Write(raw)
	}
	return buf.Bytes()
}

// Pending collects objects that will be written together.
type Pending struct {
	// Objects are in the order in which they were added.
	Objects []Object
	hash    Hasher
	seen    map[ID]bool
}

// NewPending returns an empty collection.
func NewPending(h Hasher) *Pending { return &Pending{hash: h, seen: map[ID]bool{}} }

// Add adds an object to the collection and returns its id.
func (p *Pending) Add(kind string, data []byte) ID {
	id := p.hash.ID(kind, data)
	if !p.seen[id] {
		p.seen[id] = true
		p.Objects = append(p.Objects, Object{ID: id, Type: kind, Data: data})
	}
	return id
}

// AddTree adds all tree objects for the given files, which are keyed by path. It returns the id of the top tree.
func (p *Pending) AddTree(files map[string]Version) ID {
	below := map[string]map[string]Version{}
	var entries []Entry
	for path, v := range files {
		dir, rest, deep := strings.Cut(path, "/")
		if !deep {
			entries = append(entries, Entry{Name: path, Mode: v.Mode, ID: v.ID})
			continue
		}
		if below[dir] == nil {
			below[dir] = map[string]Version{}
		}
		below[dir][rest] = v
	}
	for dir, sub := range below {
		entries = append(entries, Entry{Name: dir, Mode: ModeDir, ID: p.AddTree(sub)})
	}
	return p.Add("tree", TreeData(entries))
}

// packTypes are the numbers of the object types in the pack format.
var packTypes = map[string]byte{"commit": 1, "tree": 2, "blob": 3, "tag": 4}

// Pack returns the collection as a pack, the format in which git sends objects. The given function compresses one object and appends the
// result to the buffer.
func (p *Pending) Pack(deflate func(*bytes.Buffer, []byte)) ([]byte, error) {
	var buf bytes.Buffer
	buf.WriteString("PACK")
	_ = binary.Write(&buf, binary.BigEndian, [2]uint32{2, uint32(len(p.Objects))})
	for _, o := range p.Objects {
		kind, ok := packTypes[o.Type]
		if !ok {
			return nil, fmt.Errorf("pack object: unknown kind %q", o.Type)
		}
		packHeader(&buf, kind, len(o.Data))
		deflate(&buf, o.Data)
	}
	sum := p.hash.new()
	sum.Write(buf.Bytes())
	buf.Write(sum.Sum(nil))
	return buf.Bytes(), nil
}

// Compressor returns a function that compresses one object after another. The function reuses zlib's tables, because these are large.
func Compressor() func(*bytes.Buffer, []byte) {
	z := zlib.NewWriter(nil)
	return func(buf *bytes.Buffer, data []byte) {
		z.Reset(buf)
		_, _ = z.Write(data) // a write to memory cannot fail
		_ = z.Close()
	}
}

// Wrap writes data in zlib format without compressing it, in stored blocks (RFC 1950, RFC 1951). The zlib package would first clear a
// megabyte of tables, even for a few lines of data.
func Wrap(buf *bytes.Buffer, data []byte) {
	buf.Write([]byte{0x78, 0x01})
	for rest := data; ; {
		block := rest[:min(len(rest), math.MaxUint16)]
		rest = rest[len(block):]
		last := byte(0)
		if len(rest) == 0 {
			last = 1
		}
		size := uint16(len(block))
		buf.WriteByte(last)
		_ = binary.Write(buf, binary.LittleEndian, [2]uint16{size, ^size})
		buf.Write(block)
		if last == 1 {
			break
		}
	}
	_ = binary.Write(buf, binary.BigEndian, adler32.Checksum(data))
}

// packHeader writes type and size. The first byte has the type and four bits of the size, each further byte has seven bits of the size.
func packHeader(buf *bytes.Buffer, kind byte, size int) {
	b := kind<<4 | byte(size&15)
	for size >>= 4; size > 0; size >>= 7 {
		buf.WriteByte(b | 0x80)
		b = byte(size & 0x7f)
	}
	buf.WriteByte(b)
}
