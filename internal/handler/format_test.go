package handler_test

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestFormat_namesEveryFile(t *testing.T) {
	t.Parallel()
	u := start(t, "a", "b")
	u.MustResume("task", "start", "a")
	u.work("a")
	u.Write("loose.txt", "uncommitted\n")
	u.MustResume("checkpoint")
	u.begin("over", "x")
	u.MustResume("finish", u.id)
	text, err := os.ReadFile("../../docs/FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "## Files beside the refs")
	section, _, _ = strings.Cut(section, "\n## ")
	var patterns []string
	for line := range strings.Lines(section) {
		column, ok := strings.CutPrefix(line, "| `")
		if !ok {
			continue
		}
		column, _, _ = strings.Cut(column, " | ")
		for _, name := range strings.Split(strings.Trim(column, "`"), "`, `") {
			p := strings.NewReplacer("<run>", `[^/]+-[a-z2-7]{4}`, "<worktree>", `[^/]+`).Replace(regexp.QuoteMeta(name))
			if strings.HasSuffix(p, "/") {
				p += ".*"
			}
			patterns = append(patterns, "^"+p+"$")
		}
	}
	err = fs.WalkDir(os.DirFS(u.Dir+"/.git/resume"), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !slices.ContainsFunc(patterns, func(p string) bool { return regexp.MustCompile(p).MatchString(path) }) {
			t.Errorf("%s is not documented", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
