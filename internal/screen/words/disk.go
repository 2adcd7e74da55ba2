package words

import (
	"fmt"

	"github.com/git-resume/git-resume/internal/handler/doctor"
	"github.com/git-resume/git-resume/internal/screen/phrase"
)

// DiskLines says how much disk space git-resume takes, and with which command some of it can be freed.
func DiskLines(d *doctor.Disk) []string {
	var lines []string
	add := func(s doctor.Space, one, many, frees string) {
		if s.Count == 0 && s.Bytes == 0 {
			return
		}
		text := spaceSize(s) + " in " + many
		if s.Count > 0 {
			text = spaceSize(s) + " in " + phrase.Count(s.Count, one, many)
		}
		if frees != "" {
			text += "; " + frees
		}
		lines = append(lines, text)
	}
	add(d.Worktrees, "worktree of a run", "worktrees of runs", mergedSpace(d.Merged))
	add(d.Snapshots, "run's snapshots", "runs' snapshots", "")
	add(d.Logs, "", "logs of tasks", "")
	add(d.Discarded, "run that was discarded or changed and that undo can restore", "runs that were discarded or changed and that undo can restore", "deleted after the time in resume.keepDiscarded")
	if len(lines) == 0 {
		return []string{"no worktree, snapshot, log or discarded run takes space"}
	}
	return lines
}

// mergedSpace names the command that removes the worktrees of merged runs. It returns "" if there are none.
func mergedSpace(s doctor.Space) string {
	if s.Count == 0 {
		return ""
	}
	most := "up to " + spaceSize(s)
	if s.Least {
		most = "much"
	}
	return fmt.Sprintf("'git resume discard --merged' frees %s by removing %s", most, phrase.Count(s.Count, "worktree of a merged run, if it is clean", "worktrees of merged runs, if they are clean"))
}

func spaceSize(s doctor.Space) string {
	switch {
	case s.Unknown:
		return "an unknown size (needs git 2.31)"
	case s.Least:
		return "more than " + phrase.Bytes(s.Bytes)
	}
	return phrase.Bytes(s.Bytes)
}
