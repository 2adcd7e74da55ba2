package house

import (
	_ "embed"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

//go:embed retired.tsv
var retiredList string

// storedWords are string literals that are stored or belong to an interface, and therefore keep a retired word.
var storedWords = []string{`"task-cut-off"`, `"begun"`, `"begun-elsewhere"`, `"mend"`, `"mended"`}

// The retired words occur in no comment, no text of the program and no document.
func TestVoice_retiredWords(t *testing.T) {
	t.Parallel()
	retired := retiredWords(t)
	top := filepath.Join("..", "..")
	report := func(place, text string) {
		for _, r := range retired {
			if m := r.form.FindString(text); m != "" {
				t.Errorf("%s: %q; say: %s", place, m, r.instead)
			}
		}
	}
	err := filepath.WalkDir(top, func(path string, d os.DirEntry, err error) error {
		rel := filepath.ToSlash(strings.TrimPrefix(path, top+string(filepath.Separator)))
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata" || rel == "docs/decisions"):
			return filepath.SkipDir
		case d.IsDir() || rel == "CHANGELOG.md":
		case strings.HasSuffix(rel, ".go"):
			return eachText(path, func(line, text string) { report(rel+":"+line, text) })
		case strings.HasSuffix(rel, ".md"), strings.HasSuffix(rel, ".mdoc"), strings.HasSuffix(rel, ".sh"):
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text := regexp.MustCompile("`[^`\n]*`").ReplaceAllString(string(data), "") // names of fields and files
			report(rel, text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if r := retired[0]; r.form.FindString("it was Cut off.") == "" || r.form.FindString("a shortcut offers") != "" {
		t.Errorf("%s is not found, or found within words", r.form)
	}
}

type retiredWord struct {
	form    *regexp.Regexp
	instead string
}

func retiredWords(t *testing.T) []retiredWord {
	t.Helper()
	var out []retiredWord
	for line := range strings.Lines(retiredList) {
		word, instead, ok := strings.Cut(strings.TrimSpace(line), "\t")
		switch {
		case strings.HasPrefix(line, "#"):
		case !ok:
			t.Fatalf("%q has no tab", line)
		default:
			out = append(out, retiredWord{regexp.MustCompile(`(?i)\b` + strings.ReplaceAll(word, " ", `\s+`) + `\b`), instead})
		}
	}
	return out
}

// isForPeople reports whether the texts of a Go file are shown to users: not those of tests, and not those of the long proof.
func isForPeople(path string) bool {
	return !strings.HasSuffix(path, "_test.go") && !strings.Contains(filepath.ToSlash(path), "internal/prove/")
}

// eachText gives the comments of a Go file and, if it has texts for people, its string literals.
func eachText(path string, visit func(line, text string)) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	set := token.NewFileSet()
	file := set.AddFile(path, -1, len(data))
	var s scanner.Scanner
	s.Init(file, data, nil, scanner.ScanComments)
	for {
		pos, tok, text := s.Scan()
		switch {
		case tok == token.EOF:
			return nil
		case tok == token.COMMENT, tok == token.STRING && isForPeople(path) && !slices.Contains(storedWords, text):
			if tok == token.COMMENT { // it may begin with the name of what it describes
				_, text, _ = strings.Cut(strings.TrimLeft(text, "/* "), " ")
			}
			visit(strings.TrimPrefix(set.Position(pos).String(), path+":"), text)
		}
	}
}
