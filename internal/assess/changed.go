package assess

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/internal/candidate"
)

const (
	// maxChangers limits how many commits are searched for the last change of a file. Finding none is not an error.
	maxChangers = 500
	// maxNamed limits the number of files for which the last change is searched.
	maxNamed = 50
)

// changers finds out who on the base last changed each file of a conflict report. It looks at no more than maxNamed files, and leaves out
// files for which it finds nobody.
func (x baseChecks) changers(ctx context.Context, rep conflicts.Report, now object.ID) map[string]*candidate.Changed {
	from := x.run().BaseTip
	if from == "" {
		from = rep.Base
	}
	args := []string{"-c", "core.quotePath=false", "log", "--no-show-signature", "--no-color", "--encoding=UTF-8", "--no-renames", "--numstat",
		"--format=%x01%H%x02%an%x02%ct", fmt.Sprintf("--max-count=%d", maxChangers), string(from) + ".." + string(now), "--"}
	named := 0
	for _, n := range rep.Notes {
		if _, shown := noteCodes[n.Code]; shown && n.Path != "" && named < maxNamed {
			args, named = append(args, ":(top,literal)"+n.Path), named+1
		}
	}
	if named == 0 || !x.exists(ctx, from) {
		return nil
	}
	out, err := x.Repo.Git(ctx, process.Call{Args: args})
	if err != nil {
		return nil // the findings are still useful without the authors' names
	}
	return parseChangers(string(out))
}

// parseChangers reads the output of git log, in which the newest commit comes first. So the first commit that lists a file is the last one
// that changed it. The numbers of changed lines are added up over all commits.
func parseChangers(log string) map[string]*candidate.Changed {
	found := map[string]*candidate.Changed{}
	for _, record := range strings.Split(log, "\x01")[1:] {
		head, body, _ := strings.Cut(record, "\n")
		who := strings.SplitN(head, "\x02", 3)
		if len(who) != 3 {
			continue
		}
		sec, _ := strconv.ParseInt(who[2], 10, 64)
		for line := range strings.Lines(body) {
			f := strings.SplitN(strings.TrimRight(line, "\n"), "\t", 3)
			if len(f) != 3 {
				continue
			}
			c := found[f[2]]
			if c == nil {
				c = &candidate.Changed{Author: who[1], When: time.Unix(sec, 0).UTC(), Commit: object.ID(who[0])}
				found[f[2]] = c
			}
			added, _ := strconv.Atoi(f[0]) // for a binary file, git prints "-", which counts as 0 lines
			deleted, _ := strconv.Atoi(f[1])
			c.Added, c.Deleted = c.Added+added, c.Deleted+deleted
		}
	}
	return found
}
