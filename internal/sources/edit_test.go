package sources

import (
	"bytes"
	"testing"
)

func TestSet_changesOneWordAndNothingElse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		set      func([]byte, string, ...string) ([]byte, error)
		in, want string
		path     []string
	}{
		"json":        {SetJSON, "{ \"n\": [1,{\"status\":\"x\"}],\r\n \"status\" :  \"pa\\u0075sed\", \"z\": 1e3}\n", "{ \"n\": [1,{\"status\":\"x\"}],\r\n \"status\" :  \"active\", \"z\": 1e3}\n", []string{"status"}},
		"json deep":   {SetJSON, "\ufeff{\"a\":{\"status\":\"x\"},\"status\":\"y\"}", "\ufeff{\"a\":{\"status\":\"active\"},\"status\":\"y\"}", []string{"a", "status"}},
		"yaml":        {SetYAML, "# status: no\r\nepic_state:\r\n  waves:\r\n    1: {status: x}\r\n  status:   paused   # why\r\n", "# status: no\r\nepic_state:\r\n  waves:\r\n    1: {status: x}\r\n  status:   active   # why\r\n", []string{"epic_state", "status"}},
		"yaml quoted": {SetYAML, "ü: {status: \"paused\"}", "ü: {status: \"active\"}", []string{"ü", "status"}},
		"yaml flow":   {SetYAML, "{ü: 1, status: 'paused'}", "{ü: 1, status: 'active'}", []string{"status"}},
	} {
		got, err := c.set([]byte(c.in), "active", c.path...)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, c.want)
		}
	}
}

func TestSet_refusesWhatItCannotPlace(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		set func([]byte, string, ...string) ([]byte, error)
		in  string
	}{
		"json none": {SetJSON, `{"a":{"status":"x"}}`}, "json torn": {SetJSON, `{"a":[1,`}, "json number": {SetJSON, `{"status":1}`}, "json list": {SetJSON, `["status"]`},
		"yaml none": {SetYAML, "a:\n  status: x\n"}, "yaml folded": {SetYAML, "status: >\n  x\n  y\n"}, "yaml list": {SetYAML, "status: [x]"}, "yaml anchor": {SetYAML, "a: &a x\nstatus: *a\n"},
	} {
		if got, err := c.set([]byte(c.in), "active", "status"); err == nil {
			t.Errorf("%s: made %q", name, got)
		}
	}
}

func FuzzSet(f *testing.F) {
	f.Add([]byte("status: paused\n"))
	f.Add([]byte(`{"status":"paused"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, set := range []func([]byte, string, ...string) ([]byte, error){SetJSON, SetYAML} {
			out, err := set(data, "active", "status")
			if err == nil && !bytes.Contains(out, []byte("active")) {
				t.Errorf("%q became %q", data, out)
			}
		}
	})
}
