package doctor

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/staging"
)

// Checker looks for problems in the records of runs and in the repository.
type Checker struct {
	*site.Site
	Find    *candidate.Finder
	Staging *staging.Stager
}

// Check is the result of one check by doctor.
type Check struct {
	// Name says what was checked, and Text says what was found.
	Name string
	Text string
	// The field Well is true if no problem was found.
	Well bool
	// Help says how the user can examine or repair the problem. It may be empty.
	Help string
	// Fix repairs the problem; nil if it cannot be repaired automatically.
	Fix func(context.Context) error
	// Disk is set instead of Text for the check of disk space.
	Disk *Disk
}

// Doctor runs all checks on a repository and its runs. If a check itself fails, its error is reported as a problem.
func (e *Checker) Doctor(ctx context.Context) ([]Check, error) {
	d := &doctor{Checker: e}
	for _, x := range []struct {
		name string
		look func(context.Context) error
	}{
		{"git", d.git}, {"hook", d.hook}, {"notes", d.notes}, {"runs", d.runs}, {"key", d.key}, {"journals", d.journals}, {"open", d.files}, {"refs", d.orphans},
		{"records", d.records}, {"worktrees", d.trees}, {"merges", d.merges}, {"locks", d.locks}, {"trash", d.trash}, {"commits", d.graph}, {"repository", d.format}, {"files", d.sizes}, {"disk", d.disk},
	} {
		err := x.look(ctx)
		if ctx.Err() != nil {
			return d.checks, err
		}
		if err != nil { // do not let one failing check hide the others
			d.ill(Check{Name: x.name, Text: err.Error()})
		}
	}
	return d.checks, nil
}

type doctor struct {
	*Checker
	checks []Check
}

func (d *doctor) well(name, format string, args ...any) {
	d.checks = append(d.checks, Check{Name: name, Text: fmt.Sprintf(format, args...), Well: true})
}

func (d *doctor) ill(c Check) { d.checks = append(d.checks, c) }

// runList joins the names of some runs, followed by the verb in singular or plural.
func runList(runs []string, one, many string) string {
	const most = 5
	switch {
	case len(runs) == 1:
		return runs[0] + " " + one
	case len(runs) > most:
		return fmt.Sprintf("%s and %d more %s", strings.Join(runs[:most], ", "), len(runs)-most, many)
	}
	return strings.Join(runs, ", ") + " " + many
}

// formatDays formats a duration as a number of days if it is a whole number of days.
func formatDays(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d == day:
		return "1 day"
	case d > 0 && d%day == 0:
		return fmt.Sprintf("%d days", d/day)
	}
	return d.String()
}
