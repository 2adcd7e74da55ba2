package journal

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/gittest"
)

// Many appends must add no commits and little data, and must not make "git gc --auto" print anything. The short test lowers git's limit for
// packing instead of making 10,000 appends.
func TestAppend_thousandsStaySmallAndTidy(t *testing.T) {
	t.Parallel()
	appends, packAt := 250, 120
	if gittest.Proving() {
		appends, packAt = 10_000, 6700
	}
	j := newJournal(t, "t")
	j.Git("config", "gc.auto", strconv.Itoa(packAt))
	j.Git("config", "gc.autoDetach", "false")
	base := j.Git("rev-list", "--all", "--count")
	for i := range appends {
		j.add(checkpoint.Event{Event: checkpoint.TaskStarted, Task: "t", Text: fmt.Sprintf("attempt %d", i)})
		if i+1 == appends/2 {
			j.gcIsQuiet()
		}
	}
	j.gcIsQuiet()
	if count := j.Git("rev-list", "--all", "--count"); count != base {
		t.Errorf("%s commits, then %s", base, count)
	}
	size := int64(0)
	err := filepath.WalkDir(filepath.Join(j.Dir, ".git"), func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	if err != nil || size > int64(appends)*20_000 {
		t.Errorf("%d appends take %d bytes, %v", appends, size, err)
	}
	t.Logf("%d appends take %.1f MB", appends, float64(size)/1e6)
	if got := len(j.texts()); got != appends+1 {
		t.Errorf("%d lines, want %d", got, appends+1)
	}
	j.canonical(t)
	j.Fsck()
}

func (j *journal) gcIsQuiet() {
	j.t.Helper()
	first, code := j.Try("git", "gc", "--auto")
	for line := range strings.Lines(first) {
		if !strings.HasPrefix(line, "Auto packing the repository") && !strings.HasPrefix(line, `See "git help gc"`) {
			j.t.Errorf("git gc --auto says %q", line)
		}
	}
	if second, again := j.Try("git", "gc", "--auto"); code != 0 || again != 0 || second != "" {
		j.t.Errorf("git gc --auto: exit codes %d and %d, and the second time it says\n%s", code, again, second)
	}
}
