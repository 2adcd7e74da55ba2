package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash(path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestExitCodes_areDocumented(t *testing.T) {
	codes := func(form, text string) []string {
		var out []string
		for _, m := range regexp.MustCompile(form).FindAllStringSubmatch(text, -1) {
			out = append(out, m[1])
		}
		slices.Sort(out)
		return out
	}
	given := codes(`(?m)^\t[A-Z]\w+ += (\d+)$`, read(t, "../../internal/exit/exit.go"))
	told := codes(`(?m)^\| (\d+) \|`, read(t, "../../docs/exit-codes.md"))
	if !slices.Equal(given, told) {
		t.Errorf("the program gives %v, docs/exit-codes.md tells of %v", given, told)
	}
	if told := codes(`(?m)^\.It (\d+)$`, read(t, "../../internal/manual/pages/git-resume.mdoc")); !slices.Equal(given, told) {
		t.Errorf("the program gives %v, the manual tells of %v", given, told)
	}
}

func TestEnvironment_isDocumented(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	told := read(t, "../../docs/settings.md")
	found := 0
	form := regexp.MustCompile(`"((?:GIT|CI|NO|TERM|AI|CLAUDE|CODEX|GEMINI|CURSOR)[A-Z]*(?:_[A-Z]+)*)"`)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || strings.HasPrefix(read(t, file), "//go:build testclock") {
			continue // tests and test builds are not released
		}
		for _, m := range form.FindAllStringSubmatch(read(t, file), -1) {
			found++
			// These two variables need no documentation, because users do not set them.
			if m[1] != "GIT_PAGER_IN_USE" && m[1] != "GIT_RESUME_PROBE" && !strings.Contains(told, "`"+m[1]+"`") {
				t.Errorf("%s reads %s, of which docs/settings.md does not tell", file, m[1])
			}
		}
	}
	if found == 0 {
		t.Error("no variables were found")
	}
}

func TestHints_areCommandLines(t *testing.T) {
	placeholder := strings.NewReplacer("%s", "x", "%d", "1", "PLAN", "plan.yaml", "PATH...", "path", "ID", "x", "TEXT", "yes", "RUN", "x", "TASK", "x")
	form := regexp.MustCompile("['\"`(]git resume ([^'\"`()\\\\]*)['\"`)\\\\]")
	found := 0
	for file, text := range filesOf(t, screens...) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, m := range form.FindAllStringSubmatch(text, -1) {
			found++
			words := strings.Fields(placeholder.Replace(m[1]))
			if _, err := reorder(commands{&program{}}.app(), words); err != nil {
				t.Errorf("%s says 'git resume %s': %v", filepath.Base(file), m[1], err)
			}
		}
	}
	if found == 0 {
		t.Error("no hints were found")
	}
}
