package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
)

// repairedMark is the test name in ledger lines that mark failures as repaired. A line with a seed marks the failure with that seed. A line
// without a seed marks all earlier failures of one test, which its field "What" names.
const repairedMark = "(repaired)"

// row is the sum of one suite over all lines of the ledger.
type row struct {
	suite
	trials int
	// clean is the number of trials since the last failure in this suite.
	clean   int
	failed  []failure
	commits map[string]bool
}

// failure is a ledger line about a failed trial. The field "repaired" is true if a later line says that the failure was repaired.
type failure struct {
	gittest.Tally
	repaired bool
}

// sum adds up the lines of the ledger. Tests in suite H that are not fuzz targets get a separate row without a goal.
func sum(lines []gittest.Tally) []row {
	var out []row
	for _, s := range suites {
		if s.letter == "H" {
			out = append(out, row{suite: suite{letter: "H", name: "hostile repositories"}, commits: map[string]bool{}})
			s.name = fuzzing
		}
		out = append(out, row{suite: s, commits: map[string]bool{}})
	}
	for at, l := range lines {
		i := slices.IndexFunc(out, func(r row) bool {
			return r.letter == l.Suite && (r.letter != "H" || (r.name == fuzzing) == (l.What == fuzzing))
		})
		if i < 0 {
			continue
		}
		out[i].trials += l.N
		out[i].clean += l.N
		if l.Where != nil && l.Where.Commit != "" && l.N > 0 {
			out[i].commits[l.Where.Commit] = true
		}
		if l.Failed {
			out[i].clean = 0
			out[i].failed = append(out[i].failed, failure{l, isRepaired(l, lines[at:])})
		}
	}
	return out
}

// isRepaired reports whether a later line marks the failure as repaired.
func isRepaired(f gittest.Tally, later []gittest.Tally) bool {
	return slices.ContainsFunc(later, func(l gittest.Tally) bool {
		return l.Test == repairedMark && (l.Seed != 0 && l.Seed == f.Seed || l.Seed == 0 && l.What == f.Test)
	})
}

func (r row) open() (n int) {
	for _, f := range r.failed {
		if !f.repaired {
			n++
		}
	}
	return n
}

// results returns the sums as a table in Markdown. Below the table it lists the kinds of trials, the failures, and where the trials ran.
func results(lines []gittest.Tally) string {
	var b strings.Builder
	b.WriteString("| suite | goal | trials | failures | of them repaired | trials since the last failure | commits |\n|---|--:|--:|--:|--:|--:|--:|\n")
	for _, r := range sum(lines) {
		goal := "–"
		if r.goal > 0 {
			goal = thousands(r.goal)
		}
		fmt.Fprintf(&b, "| %s. %s | %s | %s | %d | %d | %s | %d |\n", r.letter, r.name, goal, thousands(r.trials),
			len(r.failed), len(r.failed)-r.open(), thousands(r.clean), len(r.commits))
	}
	fmt.Fprintf(&b, "\n%s\n", parts(lines))
	for _, r := range sum(lines) {
		for _, f := range r.failed {
			state := "open"
			if f.repaired {
				state = "repaired"
			}
			fmt.Fprintf(&b, "- failure of %s, `%s`, seed %d, %s\n", r.letter, f.Test, f.Seed, state)
		}
	}
	fmt.Fprintf(&b, "\n%s\n", surroundings(lines))
	return b.String()
}

// parts lists the kinds of trials in each suite, with the number of trials of each kind. It also counts the different points that were
// tried.
func parts(lines []gittest.Tally) string {
	kinds, points := map[string]map[string]int{}, map[string]map[string]map[int]bool{}
	for _, l := range lines {
		if kinds[l.Suite] == nil {
			kinds[l.Suite], points[l.Suite] = map[string]int{}, map[string]map[int]bool{}
		}
		if l.N > 0 && l.What != fuzzing {
			kinds[l.Suite][l.What] += l.N
		}
		for series, tried := range l.Points {
			if points[l.Suite][series] == nil {
				points[l.Suite][series] = map[int]bool{}
			}
			for _, n := range tried {
				points[l.Suite][series][n] = true
			}
		}
	}
	var b strings.Builder
	for _, s := range suites {
		if of := kinds[s.letter]; len(of) > 1 {
			var each []string
			for _, what := range slices.Sorted(maps.Keys(of)) {
				each = append(each, thousands(of[what])+" "+what)
			}
			fmt.Fprintf(&b, "- %s: %s\n", s.letter, strings.Join(each, ", "))
		}
		tried, known := 0, 0
		for _, of := range points[s.letter] {
			tried += len(of)
			known += slices.Max(slices.Collect(maps.Keys(of)))
		}
		if known > 0 {
			fmt.Fprintf(&b, "- %s: %s different points of %s or more, a point being a call of a command and what happens there\n",
				s.letter, thousands(tried), thousands(known))
		}
	}
	return b.String()
}

// surroundings says when the trials ran and with how many seeds, and on which kernels, file systems and versions of git.
func surroundings(lines []gittest.Tally) string {
	var first, last time.Time
	sets := map[string][]string{}
	add := func(name, value string) {
		if value != "" && !slices.Contains(sets[name], value) {
			sets[name] = append(sets[name], value)
		}
	}
	seeds := map[uint64]bool{}
	for _, l := range lines {
		if first.IsZero() || l.Ended.Before(first) {
			first = l.Ended
		}
		if l.Ended.After(last) {
			last = l.Ended
		}
		if l.Seed != 0 {
			seeds[l.Seed] = true
		}
		if w := l.Where; w != nil {
			add("kernel", w.Kernel)
			add("file system", w.FileSystem)
			add("git", w.Git)
		}
	}
	var parts []string
	for _, name := range []string{"kernel", "file system", "git"} {
		slices.Sort(sets[name])
		parts = append(parts, name+" "+strings.Join(sets[name], ", "))
	}
	return fmt.Sprintf("Counted from %s to %s, %d seeds; %s.", first.Format("2006-01-02 15:04"), last.Format("2006-01-02 15:04"), len(seeds), strings.Join(parts, "; "))
}

func thousands(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// printSum prints the table of results, and those failures that nobody has marked as repaired with --repaired. If the option --write names
// a document, printSum also writes the table into this document. It returns an error if such a failure is left.
func printSum(root string, o options) error {
	lines, err := gittest.ReadLedger(o.ledger)
	if err != nil {
		return err
	}
	table := results(lines)
	fmt.Print("\n", table)
	open := 0
	for _, r := range sum(lines) {
		commits := make([]string, 0, len(r.commits))
		for c := range r.commits {
			commits = append(commits, c)
		}
		slices.Sort(commits)
		if len(commits) > 0 {
			fmt.Printf("%s at %s\n", r.letter, strings.Join(commits, " "))
		}
		open += r.open()
		for _, f := range r.failed {
			if !f.repaired && f.Where != nil {
				fmt.Printf("%s failed: %s, seed %d, at %s, said %s\n", r.letter, f.Test, f.Seed, f.Where.Commit, f.Where.Output)
			}
		}
	}
	if o.write != "" {
		if err := insert(filepath.Join(root, o.write), table); err != nil {
			return err
		}
	}
	if open > 0 {
		return fmt.Errorf("%d failures are open", open)
	}
	return nil
}

const (
	tableBegin = "<!-- results: written by 'go run ./internal/prove/run --report --write docs/RELIABILITY.md' -->\n"
	tableEnd   = "<!-- end of results -->\n"
)

// insert writes the table between the markers of a document.
func insert(file, table string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	head, rest, ok := strings.Cut(string(text), tableBegin)
	_, tail, ended := strings.Cut(rest, tableEnd)
	if !ok || !ended {
		return fmt.Errorf("%s has no place for the results", file)
	}
	return os.WriteFile(file, []byte(head+tableBegin+table+tableEnd+tail), 0o644)
}

// markRepaired records that a failure is repaired. The argument "what" is the seed or the test of a failure in the ledger.
func markRepaired(ledger, what string) error {
	lines, err := gittest.ReadLedger(ledger)
	if err != nil {
		return err
	}
	for _, l := range lines {
		mark := gittest.Tally{Suite: l.Suite, Test: repairedMark, Ended: time.Now().UTC().Round(time.Second)}
		switch {
		case !l.Failed:
		case l.Seed != 0 && fmt.Sprint(l.Seed) == what:
			mark.Seed = l.Seed
			return mark.Append(ledger)
		case l.Test == what:
			mark.What = what
			return mark.Append(ledger)
		}
	}
	return fmt.Errorf("no failure has the seed or the test %q", what)
}
