package assess

import (
	"fmt"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate/object"
)

func FuzzChangers(f *testing.F) {
	f.Add("A U Thor", "dir/file", 3, 4)
	f.Add("\x1b[31m", "a\tb", -1, 0)
	f.Add("a\x02b", "x", 1, 1)
	f.Fuzz(func(t *testing.T, author, path string, added, deleted int) {
		if strings.ContainsAny(author, "\n\x01\x02") || strings.ContainsAny(path, "\n\x01") || path == "" {
			_ = parseChangers(author + path) // this must not panic
			return
		}
		id := strings.Repeat("a", 40)
		log := fmt.Sprintf("\x01%s\x02%s\x02%d\n\n%d\t%d\t%s\n\x01%s\x02someone else\x021\n\n1\t1\t%s\n", id, author, 1700000000, added, deleted, path, strings.Repeat("b", 40), path)
		c := parseChangers(log)[path]
		if c == nil || c.Author != author || c.Commit != object.ID(id) || c.When.Unix() != 1700000000 || c.Added != added+1 || c.Deleted != deleted+1 {
			t.Fatalf("%q gave %+v", log, c)
		}
	})
}
