package sources

import (
	"bytes"
	"testing"
)

func TestSetYAML_changesOneWordAndNothingElse(t *testing.T) {
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
		got, err := SetYAML([]byte(c.in), "active", c.path...)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, c.want)
		}
	}
}

func TestSetYAML_refusesWhatItCannotPlace(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"none": "a:\n  status: x\n", "folded": "status: >\n  x\n  y\n", "list": "status: [x]", "anchor": "a: &a x\nstatus: *a\n", "empty": "", "torn": "a: [",
	} {
		if got, err := SetYAML([]byte(text), "active", "status"); err == nil {
			t.Errorf("%s: made %q", name, got)
		}
	}
}

func FuzzSetYAML(f *testing.F) {
	f.Add([]byte("status: paused\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if out, err := SetYAML(data, "active", "status"); err == nil && !bytes.Contains(out, []byte("active")) {
			t.Errorf("%q became %q", data, out)
		}
	})
}
