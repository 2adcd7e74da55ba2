package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// stopped makes a run that was killed during the middle task of its plan. Two files are uncommitted, and the base branch has three new
// commits.
func stopped(t *testing.T, files, tasks int) (main, tree *gittest.Repo) {
	t.Helper()
	r := manyFiles(t, files)
	var b strings.Builder
	b.WriteString("name: long\ntasks:\n")
	for i := range tasks {
		out := place(i * 7 % files)
		run := fmt.Sprintf("echo %d > %s", i, out)
		if i == tasks/2 {
			run = "echo half > " + place(3) + "; echo new > d0/new; kill -9 $PPID"
		}
		fmt.Fprintf(&b, "  - {id: t%d, title: the change of file %d, run: %q, inputs: [%s/*], outputs: [%s]}\n", i, i, run, filepath.Dir(out), out)
	}
	path := filepath.Join(t.TempDir(), "plan.yaml")
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, code := r.Resume("start", path); code == 0 {
		t.Fatalf("it was not killed:\n%s", out)
	}
	for i := range 3 {
		r.Write(place(files-1-i), "changed on main\n")
		r.Git("commit", "-q", "-a", "-m", "on main")
	}
	return r, staging(r)
}

// byHand returns a function that uses git alone to do what 'git resume' does before it asks its question. It reads what 'git resume' must
// know, and saves the uncommitted files.
func byHand(r, tree *gittest.Repo, run string) func() {
	r.T.Helper()
	branch := "refs/heads/resume/" + run
	durable := []string{"-c", "core.fsync=committed,reference"}
	inputs := filepath.Dir(place(3)) + "/*"
	// The plan is a note that is attached to its own blob: "git notes list" shows the same id twice.
	plan := ""
	for _, line := range strings.Split(r.Git("notes", "--ref=resume/"+run, "list"), "\n") {
		if blob, key, _ := strings.Cut(line, " "); blob == key {
			plan = blob
		}
	}
	return func() {
		r.Git("config", "--list", "-z")
		r.Git("for-each-ref", "refs/resume", "refs/notes/resume", "refs/heads/resume")
		r.Git("log", "--notes=resume/"+run, "--format=%H %N", "main.."+branch)
		r.Git("cat-file", "blob", plan)
		r.Git("worktree", "list", "--porcelain", "-z")
		tree.Git("status", "--porcelain=v2", "--branch", "-z", "-uall", "--ignored=matching", "--no-renames")
		tree.Git("ls-files", "-v", "-z")
		left := r.Git("rev-parse", branch+"^{tree}")
		tree.Git("diff", "--name-only", "-z", "--no-renames", left, "--", inputs)
		tree.Git("ls-files", "-o", "-z", "--", inputs)
		saved := tree.Git(append(durable, "stash", "create")...)
		tree.Git(append(durable, "hash-object", "-w", "--no-filters", "d0/new")...)
		tree.Git(append(durable, "update-ref", "refs/resume/by-hand", saved)...)
		r.Git("merge-base", "--is-ancestor", "main~3", "main")
		base := r.Git("merge-base", "--all", branch, "main")
		_, _ = r.Try("git", "merge-tree", "--write-tree", "-z", "--messages", branch, "main")
		r.Git("diff-tree", "-r", "--raw", "-z", base, branch)
		r.Git("diff-tree", "-r", "--raw", "-z", base, "main")
	}
}

func TestMeasure_resume(t *testing.T) {
	needClock(t)
	main, tree := stopped(t, 5000, 500)
	run := filepath.Base(tree.Dir)
	question := func() {
		// Without a terminal, the program prints the question and exits with code 11.
		if out, code := main.Resume(); code != 11 || !strings.Contains(out, "was interrupted") {
			t.Fatalf("exit code %d\n%s", code, out)
		}
	}
	for _, c := range []contest{
		{what: "git resume up to its question / git by hand", budget: 1.5, ours: question, gits: byHand(main, tree, run)},
		{what: "status of 500 tasks, 5,000 files / git status", budget: 1, ours: func() { resume(main, "status") }, gits: func() { main.Git("status") }},
	} {
		c.rounds = 41
		c.run(t)
	}
}
