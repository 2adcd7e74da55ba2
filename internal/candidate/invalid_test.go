package candidate

import "testing"

func TestInvalid_String(t *testing.T) {
	for _, c := range []struct {
		invalid Invalid
		want    string
	}{
		{Invalid{Component: "command"}, "its command changed"},
		{Invalid{Component: "inputs", Paths: []string{"a", "b"}}, "its inputs changed: a, b"},
		{Invalid{Component: "outputs", Paths: []string{"1", "2", "3", "4", "5", "6"}}, "its outputs changed: 1, 2, 3, 4, 5 and 1 more"},
		// No paths are given, so it is not known which file changed, and in which task.
		{Invalid{Component: "inputs"}, "an input or output of some task of the plan changed"},
	} {
		if got := c.invalid.String(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.invalid, got, c.want)
		}
	}
}
