package locate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzGitFile checks that readGitFile accepts exactly the texts that begin with "gitdir: ".
func FuzzGitFile(f *testing.F) {
	for _, text := range []string{"gitdir: ../x\n", "gitdir: /abs\r\n", "gitdir:", "gitdir: \n", "\x00", "gitdir: a\nb"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), ".git")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		to, ok, err := readGitFile(path)
		rest, is := strings.CutPrefix(text, "gitdir: ")
		switch {
		case ok != is || ok == (err != nil):
			t.Fatalf("%q: %v, %v", text, ok, err)
		case ok && (!filepath.IsAbs(to) || filepath.IsAbs(rest) && to != filepath.Clean(strings.TrimRight(rest, "\r\n"))):
			t.Fatalf("%q leads to %q", text, to)
		}
	})
}
