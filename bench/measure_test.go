package bench

import (
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
)

var measuring = flag.Bool("measure", false, "measure against git and print the table")

// row is one line of the printed table. If budget is 0, the ratio has no limit.
type row struct {
	what          string
	ours, gits    string
	ratio, budget float64
}

var table []row

func TestMain(m *testing.M) {
	flag.Parse()
	gittest.Main(withTable{m})
}

// withTable runs the tests of the embedded testing.M, and then prints the table of measured times.
type withTable struct{ *testing.M }

func (w withTable) Run() int {
	code := w.M.Run()
	if len(table) > 0 {
		printTable()
	}
	return code
}

func printTable() {
	fmt.Printf("\n%-50s %10s %10s %7s %7s\n", "what / compared with", "ours", "other", "ratio", "budget")
	for _, r := range table {
		budget, word := fmt.Sprintf("%.1f", r.budget), "ok"
		switch {
		case r.budget == 0:
			budget, word = "-", "-"
		case r.ratio > r.budget:
			word = "over"
		}
		fmt.Printf("%-50s %10s %10s %7.2f %7s  %s\n", r.what, r.ours, r.gits, r.ratio, budget, word)
	}
}

// needClock skips the test if the flag -measure is not set. 'make bench' sets it.
func needClock(t *testing.T) {
	t.Helper()
	if !*measuring {
		t.Skip("'make bench' measures this")
	}
}

// contest measures two functions, "ours" and "gits", that do comparable work. If the function "before" is set, it prepares each round and
// is not measured.
type contest struct {
	what       string
	rounds     int
	budget     float64
	before     func(round int)
	ours, gits func()
	// aside, if it is not nil, points to a time that the function "ours" writes in each round. That time is subtracted from the measured
	// time.
	aside *time.Duration
}

// run calls the functions "ours" and "gits" in turns and compares the medians of their times. The first two rounds only warm up and do
// not count.
func (c contest) run(t *testing.T) {
	t.Helper()
	var a, b []time.Duration
	for round := range c.rounds + 2 {
		if c.before != nil {
			c.before(round)
		}
		var x, y time.Duration
		if round%2 == 0 {
			x, y = timed(c.ours), timed(c.gits)
		} else {
			y, x = timed(c.gits), timed(c.ours)
		}
		if c.aside != nil {
			x -= *c.aside
		}
		if round >= 2 {
			a, b = append(a, x), append(b, y)
		}
	}
	x, y := median(a), median(b)
	ratio := float64(x) / float64(y)
	t.Logf("%s: ours %v (least %v), git's %v (least %v), ratio %.2f",
		c.what, x, slices.Min(a), y, slices.Min(b), ratio)
	table = append(table, row{c.what, milliseconds(x), milliseconds(y), ratio, c.budget})
}

func timed(f func()) time.Duration {
	begun := time.Now()
	f()
	return time.Since(begun)
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
}

// manyFiles makes a repository with n files, a hundred in each directory.
func manyFiles(t *testing.T, n int) *gittest.Repo {
	t.Helper()
	r := gittest.Empty(t)
	for i := range n {
		r.Write(place(i), fmt.Sprintf("file %d\n", i))
	}
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "files")
	return r
}

// place returns the path of the i-th file of manyFiles.
func place(i int) string { return fmt.Sprintf("d%d/e%d/f%d", i/10_000, i/100%100, i%100) }

// resume runs git-resume directly, not through git, and fails the test if the program fails.
func resume(r *gittest.Repo, args ...string) {
	r.T.Helper()
	if out, code := r.Try(filepath.Join(gittest.Binary(r.T), "git-resume"), args...); code != 0 {
		r.T.Fatalf("git-resume %q: exit code %d\n%s", args, code, out)
	}
}
