package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// evil contains lines that an attacker may write into a journal.
const evil = `{"seq":"0000000002","id":"zz.1","at":"2030-01-01T00:00:00.000000Z","event":"run.driven","worktree":"/tmp/\u001b[31m","branch":"refs/heads/\u001b[31m","actor":{"host":"\u001b[31mh","pid":1,"command":"\u001b]0;x\u0007cmd","agent":"\u001b[1mag","session":"\u001b"},"v":1}
{"seq":"0000000003","id":"zz.2","at":"2030-01-01T00:00:00.000000Z","event":"task.blocked","task":"t\u001b[31m\tx\ny","text":"\u001b[31mwhy\u0007\u202e","options":["\u001b[1m"],"v":1}
{"seq":"0000000004","id":"zz.3","at":"2030-01-01T00:00:00.000000Z","event":"task.failed","task":"a","cause":"\u001b[31mc","until":"\u001b[31m","text":"\u001b[31m","v":1}
{"seq":"0000000005","id":"zz.4","at":"2030-01-01T00:00:00.000000Z","event":"task.added","task":"b\u009b31m","title":"\u001b[31mtitle","v":1}
{"seq":"0000000006","id":"zz.5","at":"2030-01-01T00:00:00.000000Z","event":"run.stopped","cause":"\u001b[31mcause","v":1}
{"seq":"0000000007","id":"zz.6\u001b[31m","at":"2030-01-01T00:00:00.000000Z","event":"kind\u001b[31m","name":"\u001b[31mname","v":1}
` + "garbage \x1b[31m with \x07 bytes \xff\n"

func TestJournalFromElsewhere_cannotSpeakToTheTerminal(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	mustResume(t, r, "start", "--here", "--name", "job", "--task", "a")
	run := strings.TrimPrefix(r.Git("for-each-ref", "--format=%(refname)", "refs/resume/journal/"), "refs/resume/journal/")
	inject(t, r, run, evil)
	for _, args := range [][]string{
		{"status"}, {"status", "--all"}, {"status", run}, {"status", run, "a"}, {"status", run, "2"}, {"log"}, {"log", run},
		{"status", run, "--porcelain"}, {}, {run}, {"task", "start", "t"}, {"task", "start", "nothing"}, {"task", "done", "a"},
		{"answer", "2", "1"}, {"start", "--here", "--name", "job"}, {"pause"}, {"finish"}, {"status", "--all"},
	} {
		out, _ := r.Try("git-resume", args...)
		if strings.Contains(out, "goroutine ") {
			t.Fatalf("%q: panic\n%s", args, out)
		}
		harmless(t, out)
	}
	out, _ := r.Try("git-resume", "status", run, "--porcelain")
	for _, l := range strings.Split(strings.TrimSpace(out), "\n") {
		if kind, _, _ := strings.Cut(l, "\t"); kind != "# git-resume" && kind != "run" && kind != "task" && kind != "choice" {
			t.Errorf("a record was broken: %q", l)
		}
	}
}

// inject appends lines to the note on HEAD, both in the journal of a run and in the run's published notes.
func inject(t *testing.T, r *gittest.Repo, run, lines string) {
	t.Helper()
	file := filepath.Join(filepath.Dir(r.Dir), "lines")
	if err := os.WriteFile(file, []byte(lines), 0o644); err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf(`set -e
ref=refs/resume/journal/%[1]s
base=$(git rev-parse HEAD)
note=$(git ls-tree $ref $base | cut -f1 | cut -d' ' -f3)
blob=$( (git cat-file blob $note; cat %[2]s) | git hash-object -w --stdin)
tree=$(git ls-tree $ref | sed "s/$note/$blob/" | git mktree)
commit=$(git commit-tree -p $ref -m evil $tree)
git update-ref $ref $commit
git update-ref refs/notes/resume/%[1]s $commit`, run, file)
	if out, code := r.Try("sh", "-c", script); code != 0 {
		t.Fatalf("inject: %s", out)
	}
}
