package phrase

import (
	"strings"
	"testing"
)

func TestWidth_countsColumns(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"": 0, "plain": 5, "认证": 4, "ログイン": 8, "한글": 4, "café": 4, "cafe\u0301": 4, "✓ → · …": 7, "🚀": 2, "👩‍💻": 2, "é": 1,
		Unbroken("git resume x"): 12,
	} {
		if got := Width(text); got != want {
			t.Errorf("%q takes %d columns, want %d", text, got, want)
		}
	}
}

// However a text is cut, it takes no more columns than there are, and no character is cut in two.
func TestCut_columns(t *testing.T) {
	t.Parallel()
	whole := func(text, of string) bool { // the parts of the text stand in the original in this order
		for part := range strings.SplitSeq(text, "…") {
			i := strings.Index(of, part)
			if i < 0 {
				return false
			}
			of = of[i+len(part):]
		}
		return true
	}
	for _, text := range []string{"a plain sentence of words", "用户登录之后要换一个新的会话", "mixed 用户 and 登录 text", "e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301", "👩‍💻👩‍💻👩‍💻👩‍💻👩‍💻👩‍💻"} {
		for width := 5; width < 40; width++ {
			for name, got := range map[string]string{"Cut": Cut(text, width), "Shorten": Shorten(text, width), "Head": Head(text, width)} {
				if Width(got) > width || !whole(got, text) {
					t.Errorf("%s(%q, %d) is %q, %d columns", name, text, width, got, Width(got))
				}
			}
			if got := Pad(Head(text, width), width); Width(got) != width {
				t.Errorf("%q is padded to %d columns, want %d", text, Width(got), width)
			}
			if parts := Split(text, width); strings.Join(parts, "") != text {
				t.Errorf("%q is split into %q", text, parts)
			}
		}
	}
	if got := Cut("abcdefghij", 7); got != "abc…hij" {
		t.Errorf("Cut makes %q", got)
	}
	if got := Shorten("one two three", 9); got != "one two…" {
		t.Errorf("Shorten makes %q", got)
	}
	if got := Head(strings.Repeat("\u0600", 40)+"x", 20); got == "" {
		t.Error("Head returns nothing of a text that is one character for the terminal, so its caller never ends")
	}
	if got := Split("a/path/that/is/long", 5); len(got) != 1 {
		t.Errorf("a path is split: %q", got)
	}
}
