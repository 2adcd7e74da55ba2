package main

import (
	"runtime/debug"
	"testing"
)

func TestVersion_comesFromTheModule(t *testing.T) {
	t.Parallel()
	built := func(v string) *debug.BuildInfo { return &debug.BuildInfo{Main: debug.Module{Version: v}} }
	for _, c := range []struct {
		set  string
		info *debug.BuildInfo
		want string
	}{
		{"v0.9.0", built("(devel)"), "v0.9.0"},
		{"v0.9.0-3-gabc", built("v0.8.0"), "v0.9.0-3-gabc"},
		{"devel", built("v0.9.0"), "v0.9.0"},
		{"devel", built("(devel)"), "devel"},
		{"devel", built(""), "devel"},
		{"devel", nil, "devel"},
	} {
		if got := versionOf(c.set, c.info); got != c.want {
			t.Errorf("%q, %+v: %q, want %q", c.set, c.info, got, c.want)
		}
	}
}
