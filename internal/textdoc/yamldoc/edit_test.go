package yamldoc

import (
	"bytes"
	"testing"
)

func TestSet_changesOneWordAndNothingElse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in, want string
		path     []string
	}{
		"block":  {"# status: no\r\nepic_state:\r\n  waves:\r\n    1: {status: x}\r\n  status:   paused   # why\r\n", "# status: no\r\nepic_state:\r\n  waves:\r\n    1: {status: x}\r\n  status:   active   # why\r\n", []string{"epic_state", "status"}},
		"quoted": {"ü: {status: \"paused\"}", "ü: {status: \"active\"}", []string{"ü", "status"}},
		"flow":   {"{ü: 1, status: 'paused'}", "{ü: 1, status: 'active'}", []string{"status"}},
		"list":   {"steps:\n  - status: a\n  - status: b # x\n", "steps:\n  - status: a\n  - status: active # x\n", []string{"steps", "1", "status"}},
	} {
		got, err := Set([]byte(c.in), "active", c.path...)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, c.want)
		}
	}
}

func TestSet_refusesWhatItCannotPlace(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"none": "a:\n  status: x\n", "folded": "status: >\n  x\n  y\n", "list": "status: [x]", "anchor": "a: &a x\nstatus: *a\n", "empty": "", "torn": "a: [",
	} {
		if got, err := Set([]byte(text), "active", "status"); err == nil {
			t.Errorf("%s: made %q", name, got)
		}
	}
}

func TestKeep_leavesItemsOutAndNothingElse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in, want string
		keep     int
	}{
		"flow":         {"a: 1\nlist: [x, 'y', \"z\"] # why\nb: 2\n", "a: 1\nlist: [x, 'y'] # why\nb: 2\n", 2},
		"flow, escape": {"list: [ 'it''s', \"a\\tb, \\\"c\\\"\" , \"\\u00fc\", z]\n", "list: ['it''s', \"a\\tb, \\\"c\\\"\", \"\\u00fc\"]\n", 3},
		"flow, first":  {"list: [ab, a b, 'a''b', z]\n", "list: [ab, a b, 'a''b']\n", 3},
		"flow, empty":  {"list: ['', \"\", z]\n", "list: ['', \"\"]\n", 2},
		"flow, none":   {"list: [x, y]\n", "list: []\n", 0},
		"block":        {"list:\r\n  - x # first\r\n  - {p: y,\r\n     q: 1}\r\n  - z\r\nb: 2\r\n", "list:\r\n  - x # first\r\nb: 2\r\n", 1},
		"block, none":  {"a: 1\nlist:\n- p: x\n  q: y\n- z\nb: 2\n", "a: 1\nlist: []\nb: 2\n", 0},
		"at the end":   {"list:\n  - x\n  - y", "list:\n  - x\n", 1},
		"empty before": {"list: []\n", "list: []\n", 0},
	} {
		got, err := Keep([]byte(c.in), func(i int) bool { return i < c.keep }, "list")
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, c.want)
		}
	}
	for name, text := range map[string]string{
		"none": "a: 1\n", "a word": "list: x\n", "torn": "list: [", "many lines": "list:\n  - |\n    x\n  - y\n", "nested": "list: [[a], b]\n", "alias": "a: &a x\nlist: [*a]\n",
	} {
		if got, err := Keep([]byte(text), func(int) bool { return false }, "list"); err == nil {
			t.Errorf("%s: made %q", name, got)
		}
	}
}

func TestKeep_refusesAnItemThatItCannotCopy(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"tagged": "list: [!!str x, y]\n", "anchor": "list: [&a x, y]\n", "two lines": "list: [x\n  z, y]\n"} {
		if got, err := Keep([]byte(text), func(i int) bool { return i == 0 }, "list"); err == nil {
			t.Errorf("%s: made %q", name, got)
		}
	}
}

func FuzzSet(f *testing.F) {
	f.Add([]byte("status: paused\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if out, err := Set(data, "active", "status"); err == nil && !bytes.Contains(out, []byte("active")) {
			t.Errorf("%q became %q", data, out)
		}
	})
}
