package page

import (
	"bytes"
	"strings"
	"testing"
)

func TestEdits_showChangesInsideLongLines(t *testing.T) {
	long := strings.Repeat("word ", 30)
	for _, c := range []struct{ was, now, want string }{
		{"status: a", "status: b", "- status: a"},
		{long + "a " + long, long + "b " + long, "[-a-]{+b+}"},
		{long + strings.Repeat("\t", 90) + "a", long + strings.Repeat("\t", 90) + "b", "[-a-]{+b+}"},
		{"a" + strings.Repeat("\t", 90), "b" + strings.Repeat("\t", 90), ""},
		{"", long, "+ word"},
	} {
		var out bytes.Buffer
		(Page{Out: &out, Err: &out, Columns: 80, Terminal: true}).Changed([]byte(c.was+"\n"), []byte(c.now+"\n"))
		if !strings.Contains(strings.ReplaceAll(out.String(), "\n           ~ ", ""), c.want) {
			t.Errorf("%q -> %q:\n%s", c.was, c.now, out.String())
		}
	}
}
