package sharing

import (
	"bytes"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/screen/page"
)

func TestAnnotate_isOneCommand(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"a\n::error::b", "a\r::add-mask::b", "100%0A::x::y", "a,b:c::d", "\x1b[31m::warning::x", "a\r\nb"} {
		var b bytes.Buffer
		Annotate(page.Page{Err: &b}, Error, text, text)
		line := strings.TrimSuffix(b.String(), "\n")
		if strings.ContainsAny(line, "\r\n\x1b") || !strings.HasPrefix(line, "::error title=") {
			t.Errorf("%q: %q", text, line)
		}
		title, _, _ := strings.Cut(strings.TrimPrefix(line, "::error title="), "::")
		if strings.ContainsAny(title, ":,") {
			t.Errorf("%q: the title is %q", text, title)
		}
		if strings.Contains(text, "%") && !strings.Contains(line, "100%250A") {
			t.Errorf("%q: %q", text, line)
		}
		r := &checkpoint.Run{ID: checkpoint.RunID(text), Tasks: []checkpoint.Task{{ID: checkpoint.TaskID(text + "`|x|<b>"), State: checkpoint.Failed}}}
		sum := Job{Run: r, Remote: text, Ended: "Task '" + text + "<img src=x>' failed."}.Summary()
		if n := strings.Count(sum, "\n| `"); n != 1 || strings.Contains(sum, "<img") || strings.ContainsAny(sum, "\r\x1b") || strings.Contains(sum, "\n::") {
			t.Errorf("%q: %d rows\n%s", text, n, sum)
		}
	}
}
