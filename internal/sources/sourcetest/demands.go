package sourcetest

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/sources"
)

//go:embed demands.tsv
var demandList string

// Demand is one expectation of the users of a system, with the tests that check it. It comes from one line of demands.tsv.
type Demand struct {
	Source string
	Row    int
	Says   string
	Tests  []string
}

// Demands returns the expectations of the users of one system. If the argument "source" is empty, it returns those of all systems.
func Demands(source string) ([]Demand, error) {
	var out []Demand
	for line := range strings.Lines(demandList) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(line, "#") || len(f) == 1 && f[0] == "" {
			continue
		}
		if len(f) != 4 {
			return nil, fmt.Errorf("%q has %d columns instead of 4", line, len(f))
		}
		row, err := strconv.Atoi(f[1])
		if err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		if source == "" || f[0] == source {
			out = append(out, Demand{f[0], row, f[2], strings.Fields(f[3])})
		}
	}
	return out, nil
}

// Demanded runs a test for one expectation in demands.tsv. The name of the test starts with the row number of the expectation in that file.
// If the test fails, the log shows the expectation.
func Demanded(t *testing.T, source, name string, test func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Helper()
		number, _, _ := strings.Cut(name, "_")
		all, err := Demands(source)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range all {
			if strconv.Itoa(d.Row) != number {
				continue
			}
			if !strings.Contains(strings.Join(d.Tests, " ")+" ", "."+t.Name()+" ") {
				t.Errorf("row %d of %s does not name this test: %v", d.Row, source, d.Tests)
			}
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("demanded of %s, row %d: %s", source, d.Row, d.Says)
				}
			})
			test(t)
			return
		}
		t.Errorf("%s has no demand of the row %q", source, number)
	})
}

// RunDemands checks that a reader meets the expectations of its users. Each case has a change of the input that must change the result.
func RunDemands(t *testing.T, s sources.Source, cases map[string]Case) {
	t.Helper()
	for name, c := range cases {
		Demanded(t, s.Name(), name, func(t *testing.T) {
			t.Parallel()
			c.run(t, s)
		})
	}
}
