package prove

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
)

// keptEntries maps the name of each of our stored snapshots, discards and other changes to its object id. Equal ids mean equal content.
func keptEntries(r *gittest.Repo) map[string]string {
	r.T.Helper()
	out := map[string]string{}
	for ref := range strings.FieldsSeq(r.Git("for-each-ref", "--format=%(refname)", "refs/resume/snapshots", "refs/resume/discarded", "refs/resume/acted")) {
		for line := range strings.Lines(r.Git("ls-tree", ref)) {
			f := strings.Fields(line)
			out[ref+":"+f[3]] = f[2]
		}
	}
	return out
}

// recordFiles returns the files in the folders RUN.kept: the record of each discard, and git's files about the discarded worktree.
func recordFiles(r *gittest.Repo) map[string]string {
	r.T.Helper()
	out := map[string]string{}
	walk(r.T, filepath.Join(commonDir(r), "resume"), func(path string, info os.FileInfo) {
		if text, err := os.ReadFile(path); err == nil && info.Mode().IsRegular() && strings.Contains(path, ".kept/") {
			out[path] = string(text)
		}
	})
	return out
}

// checkEntries checks that git finds no problem, and that every stored entry still exists unchanged.
func checkEntries(r *gittest.Repo, entries, records map[string]string) error {
	r.T.Helper()
	for _, args := range [][]string{{"fsck", "--full", "--strict", "--no-dangling"}, {"log", "--all", "--format=%H"}, {"for-each-ref", "--format="}} {
		if said, code := r.Try("git", args...); code != 0 || args[0] != "log" && strings.TrimSpace(said) != "" {
			return fmt.Errorf("git %s: exit code %d\n%s", args[0], code, said)
		}
	}
	now := keptEntries(r)
	for name, id := range entries {
		if now[name] != id {
			return fmt.Errorf("%s is %q, was %s", name, now[name], id)
		}
		if said, code := r.Try("git", "rev-list", "--objects", "--quiet", id); code != 0 {
			return fmt.Errorf("%s is not whole: %s", name, said)
		}
	}
	return same(records, recordFiles(r))
}

// oddName is the name of a user's file. It looks like a temporary file of the program, but must not be removed.
const oddName = "notes.tmp4194303"

// newRecords creates records in the current format: a run with snapshots, and a discarded run.
func newRecords(r *gittest.Repo) (tree *gittest.Repo, gone map[string]string) {
	r.T.Helper()
	dropped := r.In(worktreeIn(r.MustResume("start", "--name", "gone", "--task", "a")))
	for i := range 5 {
		dropped.Write("file", fmt.Sprint("of commit ", i))
		dropped.Git("add", "-A")
		dropped.Git("commit", "-q", "-m", fmt.Sprint("commit ", i))
	}
	makeChanges(dropped)
	odd := filepath.Join(dropped.Git("rev-parse", "--absolute-git-dir"), oddName)
	put(dropped, odd, "not to be swept\n")
	long := time.Now().Add(-72 * time.Hour)
	must(dropped, os.Chtimes(odd, long, long))
	gone = files(dropped)
	gone["HEAD"] = dropped.Git("rev-parse", "HEAD")
	r.MustResume("discard", "-y", "--force", "gone")

	tree = r.In(worktreeIn(r.MustResume("start", "--name", job1, "--task", "a", "--task", "b")))
	makeChanges(tree)
	tree.MustResume("checkpoint")
	for i := range 3 {
		tree.Write("README", fmt.Sprint("edit ", i))
		tree.MustResume("checkpoint")
	}
	return tree, gone
}

// worktreeIn finds the path of the worktree in the output of "git resume start".
func worktreeIn(said string) string {
	for l := range strings.Lines(said) {
		if path := strings.TrimSpace(l); filepath.IsAbs(path) {
			return path
		}
	}
	return ""
}

func TestOlder_harmsNothing(t *testing.T) {
	t.Parallel()
	older := filepath.Join(gittest.OlderBinary(t), "git-resume")
	r := gittest.New(t).WithBinary()
	tree, gone := newRecords(r)
	run := filepath.Base(tree.Dir)
	other := keptRun(r, "gone")
	entries, records := keptEntries(r), recordFiles(r)
	odd := func(path string) bool { return strings.HasSuffix(path, oddName) }
	if len(entries) < 6 || len(records) < 3 || !slices.ContainsFunc(slices.Collect(maps.Keys(records)), odd) {
		t.Fatalf("%d entries and %d files, or one was swept away", len(entries), len(records))
	}
	for _, c := range []struct {
		at   *gittest.Repo
		args []string
		code []int
	}{
		{r, []string{"status", "--all"}, []int{0}},
		{r, []string{run}, []int{0, 1, 11}},
		{tree, []string{"task", "start", "a"}, []int{0}},
		{tree, []string{"task", "fail", "a", "-m", "broken"}, []int{0}},
		{tree, []string{"checkpoint"}, []int{0}},
		{r, []string{"undo", other}, []int{1}},
		{r, []string{"--discard", "-y", other}, []int{0}},
		{r, []string{"undo", other}, []int{0, 1}},
		{r, []string{"doctor", "--fix"}, []int{0, 1}},
		{r, []string{"start", "--here", "--name", "another", "--task", "x"}, []int{0}},
		{r, []string{"--discard", "-y", run}, []int{0}},
		{r, []string{"undo", run}, []int{0}},
		{r, []string{"--discard", "-y", run}, []int{0}},
		{r, []string{"log", run}, []int{0}},
		{r, []string{"status", "--all"}, []int{0}},
	} {
		said, code := c.at.Try(older, c.args...)
		if !slices.Contains(c.code, code) || strings.Contains(said, "goroutine ") {
			t.Fatalf("older %v: exit code %d\n%s", c.args, code, said)
		}
		if err := checkEntries(r, entries, records); err != nil {
			t.Fatalf("after %v of the version before: %v\n%s", c.args, err, said)
		}
	}
	r.Git("reflog", "expire", "--expire=now", "--all")
	r.Git("gc", "-q", "--prune=now")
	if err := checkEntries(r, entries, records); err != nil {
		t.Fatalf("after a gc: %v", err)
	}
	r.MustResume("status", "--all")
	r.MustResume("undo", "-y", other)
	back := r.In(filepath.Join(filepath.Dir(tree.Dir), other))
	got := files(back)
	got["HEAD"] = back.Git("rev-parse", "HEAD")
	if err := same(gone, got); err != nil {
		t.Errorf("the discarded run came back otherwise: %v", err)
	}
	if n := back.Git("rev-list", "--count", "HEAD", "^main"); n != "5" {
		t.Errorf("%s of 5 commits came back", n)
	}
	if err := checkEntries(r, entries, recordFiles(r)); err != nil {
		t.Error(err)
	}
}

// keptRun returns the id of a discarded run.
func keptRun(r *gittest.Repo, name string) string {
	r.T.Helper()
	for ref := range strings.FieldsSeq(r.Git("for-each-ref", "--format=%(refname:lstrip=3)", "refs/resume/discarded")) {
		if strings.HasPrefix(ref, name+"-") {
			return ref
		}
	}
	r.T.Fatalf("nothing is kept of %s", name)
	return ""
}
