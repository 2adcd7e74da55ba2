package screen

import (
	"bytes"
	"strings"
	"testing"
)

// A path that is too long is cut, and the words beside it stay.
func TestCheckRow_cutsAPathAlone(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long-name-", 6)
	var out bytes.Buffer
	s := Screen{Out: &out, Terminal: true}
	checkRow(s, "info", "uncommitted", "some/"+long+"/"+long+", b; saved in a snapshot")
	for line := range strings.Lines(out.String()) {
		if len([]rune(line)) > columns+1 || strings.Contains(line, "saved") && !strings.Contains(line, "b; saved in a snapshot") {
			t.Errorf("%s", out.String())
		}
	}
}
