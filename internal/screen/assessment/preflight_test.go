package assessment

import (
	"bytes"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/screen/page"
)

// A path that is too long is cut, and the words beside it stay.
func TestCheckRow_cutsAPathAlone(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long-name-", 6)
	var out bytes.Buffer
	s := page.Page{Out: &out, Terminal: true}
	checkRow(s, "info", "uncommitted", "some/"+long+"/"+long+", b; saved in a snapshot")
	for line := range strings.Lines(out.String()) {
		if len([]rune(line)) > page.Usual+1 || strings.Contains(line, "saved") && !strings.Contains(line, "b; saved in a snapshot") {
			t.Errorf("%s", out.String())
		}
	}
}
