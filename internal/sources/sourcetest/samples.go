package sourcetest

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
)

// Samples runs a source on real state files, which are not part of this project.
type Samples struct {
	// Dir is the folder with the sample files. Its list SOURCES.tsv names each file, its commit, and the expected resume point. If Dir is
	// empty, the test is skipped. Only the rows of the list whose first column equals Seed are used.
	Dir, Seed string
	// Place is optional. It converts the path of a sample file into the path at which the system would store that file.
	Place func(path string) string
	// Reasons says for which commits the list expects a wrong resume point, and why it is wrong. For these commits, the test accepts
	// another resume point. The keys have the form "owner/name commit".
	Reasons map[string]string
	// Titled means that the list names the expected resume point by phase and title, as in "Phase 1: Page / Task: Show the amounts",
	// because the tasks have no ids.
	Titled bool
	// Meets is optional. It reports whether the work found in one state file has the expected resume point. Without it, the resume points
	// of all state files of a commit are compared together.
	Meets func(file, resume string, found []sources.Found) bool
}

// Run creates one repository for each commit of the list, with all sample files from this commit. It compares the results with
// testdata/samples.golden.
func (c Samples) Run(t *testing.T, s sources.Source) {
	t.Helper()
	if c.Dir == "" {
		t.Skip("no folder of real state files is named: make samples DIR=…")
	}
	groups, err := c.groups()
	if err != nil {
		t.Fatal(err)
	}
	if len(groups) == 0 {
		t.Skipf("%s has no files of %s", c.Dir, s.Name())
	}
	var got strings.Builder
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		lines, found := c.lines(t, s, groups[name].files)
		fmt.Fprintf(&got, "%s\n%s", name, lines)
		for _, want := range c.missed(groups[name], found) {
			fmt.Fprintf(&got, "    expected %s: %s\n", want, c.Reasons[name])
			if c.Reasons[name] == "" {
				t.Errorf("%s: want the resume point %s, have\n%s", name, want, lines)
			}
		}
	}
	t.Logf("%d commits\n%s", len(groups), got.String())
	c.compare(t, filepath.Join("testdata", "samples.golden"), got.String())
}

// sample describes the files of one commit. The field "resume" is the expected resume point, or "" if none is given. The field "files"
// has two paths for each file: where to write it in the test repository, and where to read its content.
type sample struct {
	files  []string
	resume string
	// resumes has the expected resume point of each row of this commit. The field "stands" has the state file of each row.
	resumes, stands []string
}

// missed returns the expected resume points at which the found work does not continue.
func (c Samples) missed(one sample, found []sources.Found) (out []string) {
	if c.Meets != nil {
		for i, resume := range one.resumes {
			if !c.Meets(one.stands[i], resume, found) {
				out = append(out, resume)
			}
		}
		return out
	}
	var points []string
	meets := one.meets
	if c.Titled {
		meets = one.meetsTitles
	}
	for _, f := range found {
		switch {
		case f.Point.Task == "":
		case c.Titled:
			points = append(points, f.Point.Title)
		default:
			points = append(points, f.Point.Task)
		}
	}
	if one.resume != "" && !meets(points) {
		out = append(out, one.resume)
	}
	return out
}

// titled matches the word and the number before a task's title. They are removed, because the titles of found work do not have them.
var titled = regexp.MustCompile(`^Task [0-9.]+: `)

// meetsTitles reports whether the resume points are exactly the expected ones. The expected titles may be shortened.
func (s sample) meetsTitles(points []string) bool {
	wanted := 0
	for _, r := range s.resumes {
		_, title, ok := strings.Cut(r, " / ")
		if !ok {
			continue
		}
		title = strings.TrimSpace(strings.ReplaceAll(titled.ReplaceAllString(title, ""), "**", ""))
		if wanted++; !slices.ContainsFunc(points, func(p string) bool { return strings.HasPrefix(p, title) }) {
			return false
		}
	}
	return wanted == len(points)
}

// meets reports whether the first resume point is the expected one. If the expectation is "-", there must be no resume point. If it is
// "one of 1,2", both tasks are right.
func (s sample) meets(points []string) bool {
	if s.resume == "-" {
		return len(points) == 0
	}
	words := strings.FieldsFunc(s.resume, func(r rune) bool { return r == ' ' || r == ',' || r == ';' })
	return len(points) > 0 && slices.Contains(words, points[0])
}

// The method groups() reads the list of samples. Each result has the rows of one commit. The list has either six fixed columns, or a first
// line that names the columns.
func (c Samples) groups() (map[string]sample, error) {
	list, err := os.ReadFile(filepath.Join(c.Dir, "SOURCES.tsv"))
	if err != nil {
		return nil, err
	}
	groups := map[string]sample{}
	column := map[string]int{"system": 0, "repo": 1, "commit": 2, "path": 3, "local_path": 5}
	for line := range strings.Lines(string(list)) {
		f := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		if f[0] == "system" {
			for i, name := range f {
				column[name] = i
			}
		}
		last, expects := column["local_path"], column["expected_resume"]
		if len(f) != last+1 || f[0] != c.Seed {
			continue
		}
		name := f[column["repo"]] + " " + f[column["commit"]][:min(9, len(f[column["commit"]]))]
		one := groups[name]
		local := strings.TrimPrefix(f[last], filepath.Base(c.Dir)+"/")
		one.files = append(one.files, f[column["path"]], filepath.Join(c.Dir, filepath.FromSlash(local)))
		if _, resume, ok := strings.Cut(f[expects], "resume="); ok && expects > 0 {
			one.resume = resume
			one.resumes, one.stands = append(one.resumes, resume), append(one.stands, f[column["path"]])
		}
		groups[name] = one
	}
	return groups, nil
}

func (c Samples) compare(t *testing.T, golden, got string) {
	t.Helper()
	if *gittest.Update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("differs from %s; look at each difference, then run with -update", golden)
	}
}

// sampleTimes matches times in warnings. They are left out of the golden file, because a time without a zone differs between machines.
var sampleTimes = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d`)

// lines writes the files of one commit into a repository and describes the work that the source finds. It also returns that work.
func (c Samples) lines(t *testing.T, s sources.Source, files []string) (lines string, found []sources.Found) {
	t.Helper()
	r := gittest.New(t)
	for i := 0; i < len(files); i += 2 {
		data, err := os.ReadFile(files[i+1])
		if err != nil {
			t.Fatal(err)
		}
		to := files[i]
		if c.Place != nil {
			to = c.Place(to)
		}
		r.Write(to, string(data))
	}
	v, done := View(r)
	defer done()
	found, err := s.Find(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(found, func(a, b sources.Found) int { return strings.Compare(a.ID, b.ID) })
	var out strings.Builder
	for _, f := range found {
		fmt.Fprintf(&out, "  %s: %s", f.ID, f.State)
		if f.Point.Task != "" {
			fmt.Fprintf(&out, " at %s", f.Point.Task)
		}
		fmt.Fprintf(&out, " (%s)\n", f.Headline)
		for _, d := range f.Doubts {
			if d.Code != sources.DoubtLocalTime && d.Code != sources.DoubtMissing {
				fmt.Fprintf(&out, "    %s: %s\n", d.Code, sampleTimes.ReplaceAllString(d.Text, "…"))
			}
		}
	}
	return out.String(), found
}
