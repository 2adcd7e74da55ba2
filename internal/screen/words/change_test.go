package words

import (
	"testing"

	"github.com/git-resume/git-resume/checkpoint"
)

// The variable USER is not set in many containers and in cron.
func TestCaller_withoutAName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		by   checkpoint.Caller
		want string
	}{
		{checkpoint.Caller{User: "ann", Host: "laptop"}, "ann on laptop"},
		{checkpoint.Caller{Host: "laptop"}, "somebody on laptop"},
		{checkpoint.Caller{}, ""},
	} {
		if got := Caller(&c.by); got != c.want {
			t.Errorf("%+v: %q, want %q", c.by, got, c.want)
		}
	}
}
