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

// storedWords are string literals that may contain a retired word, because they are stored in files or belong to an
// interface.
var storedWords = []string{`"task-cut-off"`, `"begun"`, `"begun-elsewhere"`, `"mend"`, `"mended"`}

// TestVoice_retiredWords looks for words from retired.tsv in comments, messages and documents. It leaves out the changelog
// and testdata.
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
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || rel == "CHANGELOG.md":
		case strings.HasSuffix(rel, ".go"):
			return eachText(path, func(line, text string) { report(rel+":"+line, text) })
		case strings.HasSuffix(rel, ".md"), strings.HasSuffix(rel, ".mdoc"), strings.HasSuffix(rel, ".sh"):
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text := regexp.MustCompile("`[^`\n]*`").ReplaceAllString(string(data), "") // ignore names of fields and files, in backquotes
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

// isForPeople reports whether a Go file contains messages for users. Tests and the files below internal/prove do not.
func isForPeople(path string) bool {
	return !strings.HasSuffix(path, "_test.go") && !strings.Contains(filepath.ToSlash(path), "internal/prove/")
}

// eachText calls the function "visit" for each comment of a Go file. If the file contains messages for users, it also calls visit for each
// string literal that is not in storedWords.
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
			if tok == token.COMMENT { // ignore the first word, because it may be the name of the documented function
				_, text, _ = strings.Cut(strings.TrimLeft(text, "/* "), " ")
			}
			visit(strings.TrimPrefix(set.Position(pos).String(), path+":"), text)
		}
	}
}
