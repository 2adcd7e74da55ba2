package autoclaude

import (
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

var (
	samplesDir = flag.String("samples", os.Getenv("SAMPLES"), "folder of real state files")
	update     = flag.Bool("update", false, "write the golden file of the samples anew")
)

// TestSamples reads real files, those of one commit together in a repository of their own, and compares with what a
// person found to be right. It needs the files, which are not part of this project.
func TestSamples(t *testing.T) {
	dir := *samplesDir
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared", "samples")
	}
	list, err := os.ReadFile(filepath.Join(dir, "SOURCES.tsv"))
	if err != nil {
		t.Skip("the samples are not here")
	}
	groups := map[string][]string{}
	for line := range strings.Lines(string(list)) {
		f := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		if len(f) == 6 && f[0] == "3" {
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
		fmt.Fprintf(&got, "%s\n%s", name, sampleLines(t, groups[name]))
	}
	t.Logf("%d commits\n%s", len(names), got.String())
	compareGolden(t, filepath.Join("testdata", "samples.golden"), got.String())
}

// times depend on the zone of the machine where a file has none.
var times = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d UTC`)

func compareGolden(t *testing.T, golden, got string) {
	t.Helper()
	if *update {
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

// sampleLines places the files of one commit and tells what is found. A spec that does not lie in a folder of specs,
// such as a test's example, is read where a project would have it.
func sampleLines(t *testing.T, files []string) string {
	t.Helper()
	r := gittest.New(t)
	for i := 0; i < len(files); i += 2 {
		data, err := os.ReadFile(files[i+1])
		if err != nil {
			t.Fatal(err)
		}
		to := files[i]
		if j := strings.Index(to, "/001-git-integration"); j >= 0 && strings.HasPrefix(to, "tests/fixtures/") {
			to = path.Join(".auto-claude/specs", to[j:])
		}
		r.Write(to, string(data))
	}
	v, done := sourcetest.View(r)
	defer done()
	found, err := New().Find(t.Context(), v)
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
				fmt.Fprintf(&out, "    %s: %s\n", d.Code, times.ReplaceAllString(d.Text, "…"))
			}
		}
	}
	return out.String()
}
