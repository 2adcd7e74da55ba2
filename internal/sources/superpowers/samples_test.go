package superpowers

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

// sample is a row of the list of real plans. The field "expected" is the task with which a person would continue, or "-" if there is none.
type sample struct{ repo, path, commit, expected, file string }

var expectation = regexp.MustCompile(`resume=(?:-|Task ([0-9.a-z]+)(?: ([0-9]+:)?)?)`)

// TestSamples reads real plans, which are not part of this project, and compares the results with testdata/samples.golden. For each plan,
// it makes a repository with two kinds of recorded data: the subjects of the commits that were made after the plan, and the names of the
// created files that existed.
func TestSamples(t *testing.T) {
	dir := os.Getenv("SAMPLES")
	if dir == "" {
		t.Skip("no folder of real state files is named: make samples DIR=…")
	}
	all := readSamples(t, dir)
	if len(all) == 0 {
		t.Skip("the folder has no plans of superpowers")
	}
	golden := filepath.Join("testdata", "samples.golden")
	known := map[string]string{}
	if text, err := os.ReadFile(golden); err == nil {
		for line := range strings.Lines(string(text)) {
			if key, rest, ok := strings.Cut(line, "\t"); ok {
				known[key] = strings.TrimSpace(rest)
			}
		}
	}
	var out strings.Builder
	equal := 0
	for _, s := range all {
		key := s.repo + " " + s.commit + " " + s.path
		line := s.look(t)
		point, _, _ := strings.Cut(line, " ")
		reason := ""
		if point == s.expected {
			equal++
		} else if _, old, ok := strings.Cut(known[key], "; not "); ok {
			reason = "; not " + old
		} else {
			reason = "; not " + s.expected + ", because"
		}
		fmt.Fprintf(&out, "%s\t%s%s\n", key, line, reason)
		switch want, ok := known[key]; {
		case ok && want != line+reason && !*gittest.Update:
			t.Errorf("%s\n is  %s\n was %s", key, line+reason, want)
		case !ok && point != s.expected && !*gittest.Update:
			t.Errorf("%s\n is %s, and the list expects %s", key, line, s.expected)
		}
	}
	t.Logf("%d plans, %d as the list expects\n%s", len(all), equal, out.String())
	if *gittest.Update {
		if err := os.WriteFile(golden, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func readSamples(t *testing.T, dir string) (all []sample) {
	t.Helper()
	list, err := os.ReadFile(filepath.Join(dir, "SOURCES.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(list)) {
		f := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		if len(f) != 10 || f[0] != "superpowers" || f[5] == "companion" {
			continue
		}
		m := expectation.FindStringSubmatch(f[6])
		if m == nil {
			t.Errorf("%s: no expectation in %q", f[2], f[6])
			continue
		}
		s := sample{f[1], f[2], f[3][:9], m[1], filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(f[9], "samples-formats/")))}
		if m[2] != "" { // the list has a space instead of the dot in an id such as 1.1
			s.expected += "." + strings.TrimSuffix(m[2], ":")
		}
		if s.expected == "" {
			s.expected = "-"
		}
		all = append(all, s)
	}
	return all
}

// look makes a repository from a sample, and returns one line that describes the work found in it.
func (s sample) look(t *testing.T) string {
	t.Helper()
	r := gittest.New(t)
	at := sourcetest.Now.Add(-20 * 24 * time.Hour)
	commit := func(subject string) {
		at = at.Add(time.Minute)
		date := at.Format(time.RFC3339)
		r.With("GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date).Git("commit", "-q", "--allow-empty", "-m", subject)
	}
	read := func(end string) string {
		text, err := os.ReadFile(s.file + end)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	r.Write(s.path, read(""))
	r.Git("add", "-A")
	commit("docs: add a plan")
	for file := range strings.Lines(read(".created-files-present.txt")) {
		if file = strings.TrimSpace(file); file != "" {
			r.Write(file, "x\n")
		}
	}
	r.Git("add", "-A")
	var subjects []string
	for line := range strings.Lines(read(".commits-after.txt")) {
		if _, subject, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			subjects = append(subjects, subject)
		}
	}
	for i := range subjects {
		commit(subjects[len(subjects)-1-i])
	}
	if len(subjects) == 0 {
		commit("later work")
	}
	found := sourcetest.Find(r, New())
	if len(found) != 1 {
		return fmt.Sprintf("none (%d pieces of work)", len(found))
	}
	f := found[0]
	line := "- " + string(f.State)
	if f.Point.Task != "" && f.State != sources.Review {
		line = f.Point.Task + " " + string(f.State)
	}
	line += ", " + f.Headline
	for _, d := range f.Doubts {
		if d.Code != sources.DoubtOwnCheck {
			line += "; " + d.Code + ": " + d.Text
		}
	}
	return line
}
