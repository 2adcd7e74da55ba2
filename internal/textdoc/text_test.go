package textdoc

import "testing"

func TestOneLine_isSafeToShow(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, in, want string }{
		{"plain text stays", "add users.email_verified", "add users.email_verified"},
		{"space is folded", "  a\t b\n\nc\u00a0d\u2028e  ", "a b c d e"},
		{"escape sequences lose their escape", "a\x1b[31mb\x9bc", "a[31mb\ufffdc"},
		{"bells and deletions go", "a\a\b\x7fb", "ab"},
		{"reordering goes", "\u202aa\u202bb\u202cc\u202dd\u202ee\u2066f\u2067g\u2068h\u2069", "abcdefgh"},
		{"joined emoji stay", "👩\u200d💻 works", "👩\u200d💻 works"},
		{"nothing visible is nothing", "\x1b\u202e \r\n", ""},
	} {
		if got := OneLine(row.in); got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
		if got := OneLine(OneLine(row.in)); got != OneLine(row.in) {
			t.Errorf("%s: cleaned twice it is %q", row.name, got)
		}
	}
}

func TestShorten_countsCharactersNotBytes(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		in   string
		n    int
		want string
	}{
		{"abc", 3, "abc"},
		{"abcd", 3, "ab…"},
		{"ééé", 3, "ééé"},
		{"éééé", 3, "éé…"},
		{"a bcd", 3, "a…"},
		{"", 3, ""},
	} {
		if got := Shorten(row.in, row.n); got != row.want {
			t.Errorf("Shorten(%q, %d) = %q, want %q", row.in, row.n, got, row.want)
		}
	}
}

func TestForm_refusesOnlyTextsWithoutItsParts(t *testing.T) {
	t.Parallel()
	f := NewFormWith("story|可选|(#", `(?i)^(?:user[-_ ]?)?story|可选|\(#[0-9]+\)`)
	for _, s := range []string{"", "STORY 4", "User Story", "history", "a 可选 b", "x (#12)", "x (# 12)", "stor", "sto", "可", "(", "STORYSTORY"} {
		if got, want := f.MatchString(s), f.compiled().MatchString(s); got != want {
			t.Errorf("%q matches: %t, want %t", s, got, want)
		}
		if got, want := f.FindString(s), f.compiled().FindString(s); got != want {
			t.Errorf("first match of %q: %q, want %q", s, got, want)
		}
		if got, want := f.FindAllString(s, -1), f.compiled().FindAllString(s, -1); len(got) != len(want) {
			t.Errorf("matches of %q: %q, want %q", s, got, want)
		}
		if got, want := f.ReplaceAllString(s, "-"), f.compiled().ReplaceAllString(s, "-"); got != want {
			t.Errorf("replaced in %q: %q, want %q", s, got, want)
		}
	}
	unread := NewFormWith("story", `(`)
	if unread.MatchString("nothing of that") { // the invalid expression must not be compiled here: that would panic
		t.Error("matched")
	}
}
