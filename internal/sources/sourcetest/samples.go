package sourcetest

import (
	"fmt"
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
	// Dir is the folder that contains the files and the list of them. If it is empty, the test is skipped. Seed selects rows of the list.
	Dir, Seed string
	// Place is optional. It converts the path of a sample file into the path at which the system would store that file.
	Place func(path string) string
	// Update rewrites the golden file.
	Update bool
}

// Run creates one repository for all sample files from the same commit, and compares the results with testdata/samples.golden. A person has
// checked every line of the golden file.
func (c Samples) Run(t *testing.T, s sources.Source) {
	t.Helper()
	if c.Dir == "" {
		t.Skip("no folder of real state files is named: make samples DIR=…")
	}
	dir := c.Dir
	list, err := os.ReadFile(filepath.Join(dir, "SOURCES.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	groups := map[string][]string{}
	for line := range strings.Lines(string(list)) {
		f := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		if len(f) == 6 && f[0] == c.Seed {
			group := f[1] + " " + f[2]
			groups[group] = append(groups[group], f[3], filepath.Join(dir, filepath.FromSlash(f[5])))
		}
	}
	var names []string
	for name := range groups {
		names = append(names, name)
	}
	slices.Sort(names)
	var got strings.Builder
	for _, name := range names {
		fmt.Fprintf(&got, "%s\n%s", name, c.lines(t, s, groups[name]))
	}
	t.Logf("%d commits\n%s", len(names), got.String())
	c.compare(t, filepath.Join("testdata", "samples.golden"), got.String())
}

func (c Samples) compare(t *testing.T, golden, got string) {
	t.Helper()
	if c.Update {
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

// lines writes the files of one commit into a repository and describes the work that the source finds.
func (c Samples) lines(t *testing.T, s sources.Source, files []string) string {
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
	return out.String()
}
