package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// behaviours returns the sentences of the manual pages that say what the program does. They show whether docs/ARCHITECTURE.md is good
// enough: somebody who knows only this document tries to name the file that contains the code for each sentence.
func behaviours(top string) (out []text, err error) {
	pages, err := filepath.Glob(filepath.Join(top, "man", "*.1"))
	if err != nil {
		return nil, err
	}
	for _, page := range pages {
		data, err := os.ReadFile(page)
		if err != nil {
			return nil, err
		}
		out = append(out, entries(page, string(data))...)
	}
	return out, nil
}

// shortest is the least number of words of a sentence. Shorter sentences of the manual are left out.
const shortest = 9

var (
	// long finds options with two dashes, and brief finds options with one dash. Manual pages write these dashes as macros.
	long  = regexp.MustCompile(`\bFl (?:Fl |-)(\w)`)
	brief = regexp.MustCompile(`\bFl (\w)`)
	// bracket matches a line of a manual page that is shown in parentheses (.Pq), and quoted a line that is shown in quotation marks (.Ql).
	// Both include a punctuation mark at the end.
	bracket = regexp.MustCompile(`^\.Pq (.*?)( [.,:;])?$`)
	quoted  = regexp.MustCompile(`^\.Ql (.*?)( [.,:;])?$`)
	// page finds the name of another manual page.
	page = regexp.MustCompile(`\bXr (\S+) (\d)`)
	// macro finds the macros at the beginning and in the middle of a line of a manual page.
	macro = regexp.MustCompile(`^[A-Z][a-z]\s+|\b(?:Fl|Ar|Ql|Pq|Cm|Ev|Em|Pa|Oo|Oc|Op|Li|Sy|Sx|Va|Ns|Ic)\b\s*`)
	// breaks finds macros that end the sentence before them, such as the macro for a new paragraph.
	breaks = regexp.MustCompile(`^\.(?:Pp|It|Bl|El|Sh|Ss|Bd|Ed|Dd|Dt|Os|Nm|Nd)\b`)
)

// entries returns the sentences below each command and option of a manual page, each with the name of that command or option. It leaves out
// sentences that are too short or that it has returned already.
func entries(page, source string) (out []text) {
	entry, words := "", ""
	keep := func() {
		said := func(t text) bool { return strings.HasSuffix(t.words, words) }
		if entry != "" && len(strings.Fields(words)) >= shortest && strings.HasSuffix(words, ".") && !slices.ContainsFunc(out, said) {
			out = append(out, text{strings.TrimSuffix(filepath.Base(page), ".1") + ", " + entry + ": " + words, page})
		}
		words = ""
	}
	for line := range strings.SplitSeq(source, "\n") {
		if breaks.MatchString(line) {
			keep()
			switch {
			case strings.HasPrefix(line, ".It "):
				entry = plain(line)
			case strings.HasPrefix(line, ".S"): // a new section
				entry = ""
			}
			continue
		}
		words = strings.TrimSpace(words + " " + plain(line))
		if strings.HasSuffix(words, ".") {
			keep()
		}
	}
	return out
}

// plain returns a line of a manual page without its macros.
func plain(line string) string {
	if !strings.HasPrefix(line, ".") {
		return line
	}
	line = bracket.ReplaceAllString(line, "($1)$2")
	line = quoted.ReplaceAllString(line, "'$1'$2")
	line = long.ReplaceAllString(line, "--$1")
	line = brief.ReplaceAllString(line, "-$1")
	line = page.ReplaceAllString(line, "$1($2)")
	line = strings.TrimPrefix(line, ".")
	return strings.NewReplacer(" .", ".", " ,", ",", " :", ":", `"`, "").Replace(macro.ReplaceAllString(line, ""))
}
