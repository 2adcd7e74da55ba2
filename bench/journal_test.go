package bench

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/gittest"
)

// These are the numbers of events and tasks of a very long run, and the disk space in MB that its journal may use.
const (
	manyEvents = 10_000
	tasks      = 100
	mostMB     = 200
)

func TestMeasure_journal(t *testing.T) {
	needClock(t)
	r := gittest.New(t)
	r.Git("config", "gc.auto", "0") // measure the space without garbage collection
	short, long := grow(t, r, "short-aaaa", 10), grow(t, r, "long-bbbb", manyEvents)
	size := float64(used(t, filepath.Join(r.Dir, ".git"))) / (1 << 20)
	table = append(table, row{"space of 10,000 events / promised 200 MB",
		fmt.Sprintf("%.0f MB", size), fmt.Sprintf("%d MB", mostMB), size / mostMB, 1})
	verb := ""
	contest{
		what: "report, after 10,000 events / after 10", rounds: 41, budget: 2,
		before: func(round int) {
			verb = []string{"start", "reset"}[round%2]
		},
		ours: func() { resume(r, "task", verb, "t0", "--run", string(long)) },
		gits: func() { resume(r, "task", verb, "t0", "--run", string(short)) },
	}.run(t)
}

// grow makes a run with n events and appends each event separately.
func grow(t *testing.T, r *gittest.Repo, name string, n int) checkpoint.RunID {
	t.Helper()
	s := store(t, r, "GIT_TEST_FSYNC=0") // no fsync, to save time: only the later commands are measured
	id := begin(t, s, r, name)
	head := object.ID(r.Git("rev-parse", "HEAD"))
	for i := range n - 1 {
		kind := []checkpoint.Kind{checkpoint.TaskStarted, checkpoint.TaskDone, checkpoint.TaskReset}[i%3]
		event := checkpoint.Event{Event: kind, Task: checkpoint.TaskID(fmt.Sprintf("t%d", i/3%tasks)), Head: head, BaseTip: head}
		switch kind {
		case checkpoint.TaskStarted:
			event.Attempt = s.NextID()
		case checkpoint.TaskDone:
			event.Commit, event.Tree, event.Patch = head, head, string(head)
		}
		appendEvents(t, s, id, event)
	}
	return id
}

// The function "used" returns the space below dir in whole blocks, as du counts it.
func used(t *testing.T, dir string) (bytes int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := os.Lstat(path)
		if err == nil {
			bytes += blocks(info)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}
