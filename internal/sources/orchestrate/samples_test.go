package orchestrate

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

var samplesDir = flag.String("samples", os.Getenv("SAMPLES"), "folder of real state files")

// TestSamples reads real files, each in a separate repository, and compares the results with testdata/samples.golden.
// The files are not part of this project.
func TestSamples(t *testing.T) {
	dir := *samplesDir
	if dir == "" {
		t.Skip("no folder of real state files is named: make samples DIR=…")
	}
	list, err := os.ReadFile(filepath.Join(dir, "SOURCES.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for line := range strings.Lines(string(list)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(f) != 6 || f[0] != "1" {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, f[5]))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&got, "%s %s\n%s", f[2], f[3], sampleLines(t, f[3], string(data)))
	}
	if got.Len() == 0 {
		t.Skip(dir + " has no files of this system")
	}
	golden := filepath.Join("testdata", "samples.golden")
	if *gittest.Update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s", got.String())
	if got.String() != string(want) {
		t.Errorf("differs from %s; look at each difference, then run with -update", golden)
	}
}

// sampleLines describes the work found in one file. It leaves out the times of commits and files.
func sampleLines(t *testing.T, path, text string) string {
	r := gittest.New(t)
	r.Write(path, text)
	v, done := sourcetest.View(r)
	defer done()
	found, err := New().Find(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		return "  nothing to resume\n"
	}
	var out strings.Builder
	for _, f := range found {
		fmt.Fprintf(&out, "  %s: %s, %s\n", f.ID, f.State, f.Protocol["position"])
		if f.Point.Task != "" {
			reason, _, _ := strings.Cut(f.Point.Reason, "; next: ") // leave out the text of the next task
			fmt.Fprintf(&out, "    at %s: %s\n", f.Point.Task, reason)
		}
		for _, d := range undatedDoubts(f) {
			fmt.Fprintf(&out, "    %s\n", d)
		}
	}
	return out.String()
}

// undatedDoubts returns the missing files, and the warnings that do not depend on the current date.
func undatedDoubts(f sources.Found) []string {
	var out []string
	for _, d := range f.Doubts {
		if !slices.Contains([]string{"story-stale", "epic-stalled", "checkpoint-unanswered"}, d.Code) {
			out = append(out, fmt.Sprintf("%s %s: %s", d.Severity, d.Code, d.Text))
		}
	}
	for _, n := range f.Needs {
		if n.Missing {
			out = append(out, fmt.Sprintf("missing: %s, critical %v", n.Path, n.Critical))
		}
	}
	return out
}
