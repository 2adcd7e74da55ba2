package packaging

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestSettings_areThoseThatAreDocumented(t *testing.T) {
	t.Parallel()
	used := found(sources(t), `"(resume\.[a-z]+)"`)
	for name, text := range map[string]string{
		"docs/settings.md": strings.ToLower(read(t, "docs/settings.md")),
		"man/git-resume.1": strings.ToLower(read(t, "man/git-resume.1")),
	} {
		documented := found(text, "(?m)^(?:\\| `|\\.it va )(resume\\.[a-z]+)")
		if !slices.Equal(used, documented) {
			t.Errorf("%s names\n%q\nthe code reads\n%q", name, documented, used)
		}
	}
}

// found returns the texts that the first group of a regular expression matches, sorted and without duplicates.
func found(text, expression string) []string {
	var all []string
	for _, m := range regexp.MustCompile(expression).FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// sources returns the text of all Go files that are not tests.
func sources(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		all.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}
