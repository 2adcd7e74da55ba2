package hooks

import (
	"strings"
	"testing"
)

func TestManagers_leaveWhatTheyCannotRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": true, "# c\n---\npre-commit:\n  parallel: true\n": true, "post-checkout:\n": false, "{a: 1}\n": false, "{\n  a: 1\n}\n": false,
		"- a\n": false, "a: 1\n...\n": false, "\"post-checkout\":\n": false, "a: 1\r\nb: 2": true,
	} {
		if got := canAppendKey(text, "post-checkout:"); got != want {
			t.Errorf("%q has room: %v", text, got)
		}
	}
}

// FuzzManagers checks that our lines can be added to and removed from another tool's file without changing any other byte.
func FuzzManagers(f *testing.F) {
	for _, text := range []string{"", "#!/bin/sh\nnpm test\n", "pre-commit:\n  parallel: true", "a: 1\r\n", "#!/bin/sh", "\n\n", "{a: 1}\n", "- x\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, blockBegins) || strings.Contains(text, blockEnds) {
			return // the text already contains one of our marker lines
		}
		for i := range managers {
			m := &managers[i]
			if !m.canAppend(text) {
				continue
			}
			now := m.addLines(text)
			if !strings.Contains(now, m.lines) || strings.HasPrefix(text, "#!") && strings.Contains(text, "\n") && !strings.HasPrefix(now, "#!") {
				t.Fatalf("%s: %q became %q", m.name, text, now)
			}
			if back, ok := removeLines(now); !ok || back != text {
				t.Fatalf("%s: %q became %q, and %q again", m.name, text, now, back)
			}
			if _, ok := removeLines(now[:len(now)/2]); ok && strings.Contains(now[:len(now)/2], blockBegins) && !strings.Contains(now[:len(now)/2], blockEnds) {
				t.Fatalf("%s: half of our lines were taken for all", m.name)
			}
		}
	})
}
