package remote

import "testing"

// URLs of the same repository with different protocols must give the same text.
func TestPlainURL_knowsTheSameRepository(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://user:secret@Example.com/a/b.git?x=1": "example.com/a/b",
		"git@example.com:a/b.git":                     "example.com/a/b",
		"ssh://git@example.com:2222/a/b/":             "example.com/a/b",
		"example.com:a/b":                             "example.com/a/b",
		"http://127.0.0.1:8080/shop.git":              "127.0.0.1:8080/shop",
		"file:///srv/git/shop.git":                    "/srv/git/shop",
		"/srv/git/shop.git":                           "/srv/git/shop",
		"../shop":                                     "../shop",
		`C:\repos\shop`:                               `C:\repos\shop`,
	} {
		if got := plainURL(text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
