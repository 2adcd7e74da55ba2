package past

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"testing"
)

// FuzzLoose checks that an object is read as it was written, and that reading a damaged file does not crash.
func FuzzLoose(f *testing.F) {
	f.Add([]byte("text\n"), "blob", 5, 3, byte(1))
	f.Add([]byte{}, "tree", 0, 0, byte(0))
	f.Add([]byte("x"), "commit\x00", 1<<40, 9, byte(255))
	f.Fuzz(func(t *testing.T, data []byte, kind string, size, at int, flip byte) {
		var packed bytes.Buffer
		z := zlib.NewWriter(&packed)
		fmt.Fprintf(z, "%s %d\x00", kind, size)
		_, _ = z.Write(data)
		_ = z.Close()
		gotKind, got, err := readLoose(bytes.NewReader(packed.Bytes()))
		known := kind == "blob" || kind == "tree" || kind == "commit" || kind == "tag"
		if known && size == len(data) && (err != nil || gotKind != kind || !bytes.Equal(got, data)) {
			t.Fatalf("%s %q is read as %s %q, %v", kind, data, gotKind, got, err)
		}
		if err == nil && len(got) != size {
			t.Fatalf("%d bytes, and the object says %d", len(got), size)
		}
		raw := packed.Bytes()
		if at >= 0 && at < len(raw) && flip != 0 {
			raw[at] ^= flip
			_, _, _ = readLoose(bytes.NewReader(raw))
		}
		_, _, _ = readLoose(bytes.NewReader(data))
	})
}

func TestReadLoose_refusesWhatIsNotWhole(t *testing.T) {
	t.Parallel()
	pack := func(text string) []byte {
		var out bytes.Buffer
		z := zlib.NewWriter(&out)
		_, _ = io.WriteString(z, text)
		_ = z.Close()
		return out.Bytes()
	}
	whole := pack("blob 5\x00hello")
	kind, data, err := readLoose(bytes.NewReader(whole))
	if kind != "blob" || string(data) != "hello" || err != nil {
		t.Errorf("got %s %q, %v", kind, data, err)
	}
	for name, bad := range map[string][]byte{
		"too short": pack("blob 6\x00hello"), "too long": pack("blob 4\x00hello"), "no kind": pack("blub 5\x00hello"),
		"no size": pack("blob x\x00hello"), "huge": pack("blob 99999999999999\x00hello"), "negative": pack("blob -1\x00hello"),
		"cut off": whole[:len(whole)-6], "no zlib": []byte("blob 5\x00hello"), "nothing": nil,
	} {
		if kind, data, err := readLoose(bytes.NewReader(bad)); err == nil {
			t.Errorf("%s: read as %s %q", name, kind, data)
		}
	}
}
