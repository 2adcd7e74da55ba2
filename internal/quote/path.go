package quote

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Path quotes a path in the style of git, if it contains special characters. If high is true, it also quotes characters above ASCII.
func Path(s string, high bool) string {
	plain := true
	var b strings.Builder
	b.WriteByte('"')
	for i, n := 0, 0; i < len(s); i += n {
		var r rune
		r, n = utf8.DecodeRuneInString(s[i:])
		was := b.Len()
		switch c := s[i : i+n]; {
		case r == '"' || r == '\\':
			b.WriteString(`\` + c)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case Hidden(r), r == utf8.RuneError && n == 1, high && r > '~':
			for _, c := range []byte(c) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		default:
			b.WriteString(c)
		}
		plain = plain && b.Len() == was+n
	}
	if plain {
		return s
	}
	return b.String() + `"`
}
