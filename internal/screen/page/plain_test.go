package page

import (
	"bytes"
	"strings"
	"testing"
)

func TestPlain_passesOnTextAlone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ pieces, want string }{
		{"a\nb\n", "a\nb\n"},
		{"\x1b]0;title\a|\x1b[31mred\x1b[0m\n", "]0;titlered\n"},
		{"gr\xc3|\xbcn", "grün"},
		{"\xe2|\x82|\xac", "€"},
		{"\xff\xfe|\x00ok", "ok"},
		{"a\x1b|[3|1mred\x1b[0|m\n", "ared\n"},
		{"a\x1b|7b\x1b|[2J", "a7b[2J"},
		{"100%\r\n", "100%\n"},
	} {
		var out bytes.Buffer
		p := &Plain{W: &out}
		for piece := range strings.SplitSeq(c.pieces, "|") {
			if n, err := p.Write([]byte(piece)); n != len(piece) || err != nil {
				t.Fatal(n, err)
			}
		}
		if out.String() != c.want {
			t.Errorf("%q became %q, want %q", c.pieces, out.String(), c.want)
		}
	}
}
