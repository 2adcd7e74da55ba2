package plan

import (
	"strings"
	"testing"
)

func TestOrder_keepsPlanOrderWhereNeedsAllow(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, tasks, want string }{
		{"no needs", "c a b", "c a b"},
		{"needs in order", "a b:a c:b", "a b c"},
		{"a later need", "a:c b c", "b c a"},
		{"diamond", "d:b,c b:a c:a a", "a b c d"},
		{"unknown need", "a:zz b", "a b"},
		{"the same need twice", "b:a,a a", "a b"},
		{"cycle last", "a:b b:a c", "c a b"},
		{"self need last", "a:a b", "b a"},
		{"equal ids", "a:b a b", "a b a"},
	} {
		var p Plan
		for _, f := range strings.Fields(row.tasks) {
			id, needs, _ := strings.Cut(f, ":")
			p.Tasks = append(p.Tasks, Task{ID: id, Needs: strings.FieldsFunc(needs, func(r rune) bool { return r == ',' })})
		}
		var got []string
		for _, task := range p.Order() {
			got = append(got, task.ID)
		}
		if strings.Join(got, " ") != row.want {
			t.Errorf("%s: %v, want %s", row.name, got, row.want)
		}
	}
}
