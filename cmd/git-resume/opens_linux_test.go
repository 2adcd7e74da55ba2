package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
)

// specs makes a repository with work of auto-claude: two specs that nobody has worked on for hours, each with three items. The second item
// has the given status. If that is empty, no item was started.
func specs(t *testing.T, second string) (r *gittest.Repo, plan string) {
	t.Helper()
	r = gittest.New(t)
	old := time.Now().Add(-4 * time.Hour)
	first := "completed"
	if second == "" {
		first, second = "pending", "pending"
	}
	for _, name := range []string{"001-login", "002-search"} {
		dir := ".auto-claude/specs/" + name
		r.Write(dir+"/implementation_plan.json", `{"feature":"x","updated_at":"`+old.UTC().Format(time.RFC3339)+`","phases":[{"id":"1","subtasks":[{"id":"1.1","status":"`+first+`"},{"id":"1.2","status":"`+second+`"},{"id":"1.3","status":"pending"}]}]}`)
		r.Write(dir+"/spec.md", "# x\n")
	}
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "specs")
	err := filepath.WalkDir(filepath.Join(r.Dir, ".auto-claude"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return os.Chtimes(path, old, old)
	})
	if err != nil {
		t.Fatal(err)
	}
	// The files have another time than in the index. Without this command, a later git command would open them to compare their content,
	// and the tests would count that as well.
	r.Git("update-index", "-q", "--refresh")
	return r, filepath.Join(r.Dir, ".auto-claude/specs/001-login/implementation_plan.json")
}

// Before the program writes anything, it checks the plan again. So a command that continues the work opens the plan more often than a
// command that only reads.
func TestOpens_thePlanOfAnotherSystem(t *testing.T) {
	t.Parallel()
	r, plan := specs(t, "in_progress")
	control := gittest.Opens(t, plan)
	for range 3 {
		if _, err := os.ReadFile(plan); err != nil {
			t.Fatal(err)
		}
	}
	if n := control(); n != 3 {
		t.Fatalf("three opens were counted as %d", n)
	}
	for _, c := range []struct {
		opens, code int
		args        []string
	}{
		{1, 0, []string{"status"}},
		{1, 0, []string{"status", "auto-claude:001-login"}},
		{1, 0, []string{"status", "001-login"}},
		{1, 0, []string{"status", "--check"}},
		{1, 0, []string{"status", "--json", "--check", "001-login"}},
		{2, 0, []string{"auto-claude:001-login", "--dry-run"}}, // once more for the change that it shows
		{1, 11, []string{"--dry-run"}},
		{4, 0, []string{"auto-claude:001-login", "--yes"}},
	} {
		count := gittest.Opens(t, plan)
		out, code := r.Resume(c.args...)
		if n := count(); n != c.opens || code != c.code {
			t.Errorf("git resume %q opened the plan %d times, want %d; exit code %d, want %d\n%s", c.args, n, c.opens, code, c.code, out)
		}
	}
}

// These git commands look for evidence about another system's work. "status" finds uncommitted changes. One "log" finds the newest commits,
// and another finds the last commit of each plan. Both are called only if the commits are packed, because git-resume reads loose commits
// without git.
var evidence = []string{"status ", "log ", "log "}

func TestOpens_noProcessForThePlanOfAnotherSystem(t *testing.T) {
	t.Parallel()
	r, _ := specs(t, "")
	counting, calls := r.Counting()
	if out, code := counting.Try("git-resume", "auto-claude:001-login", "--dry-run"); code != 0 {
		t.Errorf("exit code %d\n%s", code, out)
	}
	before := calls()
	if len(before) > 0 {
		t.Errorf("git was called: %q", before)
	}
	want := evidence[:1]
	for _, args := range [][]string{{"status"}, {"status", "auto-claude:001-login"}, {"status"}} {
		if out, code := counting.Try("git-resume", args...); code != 0 {
			t.Errorf("git-resume %q: exit code %d\n%s", args, code, out)
		}
		got := slices.Sorted(slices.Values(calls()[len(before):]))
		if !slices.EqualFunc(got, slices.Sorted(slices.Values(want)), strings.HasPrefix) {
			t.Errorf("git-resume %q called git as %q, want %q", args, got, want)
		}
		if before = calls(); len(args) > 1 {
			r.Git("repack", "-a", "-d", "-q")
			want = evidence
		}
	}
	if _, _ = counting.Try("git-resume", "auto-claude:001-login", "--yes"); len(calls()) == 0 {
		t.Error("calls are not counted, so that the test shows nothing")
	}
}

func TestOpens_openItems(t *testing.T) {
	t.Parallel()
	r, _ := specs(t, "in_progress")
	counting, calls := r.Counting()
	if out, code := counting.Try("git-resume", "status", "auto-claude:001-login"); code != 0 {
		t.Errorf("exit code %d\n%s", code, out)
	}
	if got := calls(); !slices.EqualFunc(got, evidence[:1], strings.HasPrefix) {
		t.Errorf("git was called as %q", got)
	}
}

func TestOpens_aWorktreeInAStatus(t *testing.T) {
	t.Parallel()
	r, _ := specs(t, "in_progress")
	r.Git("worktree", "add", "-q", "--detach", "../tree")
	for _, args := range [][]string{{"status"}, {"status", "auto-claude:001-login"}} {
		count := gittest.Opens(t, filepath.Join(r.Dir, ".git", "worktrees", "tree", "gitdir"))
		r.MustResume(args...)
		if n := count(); n != 1 {
			t.Errorf("git resume %q opened the registration of a worktree %d times, want 1", args, n)
		}
	}
}

func TestOpens_noFolderOfAWorktreeInAPlainStatus(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Write("deep/file", "x\n")
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "deep")
	r.MustResume("start", "--name", "job", "--task", "a")
	trees, err := filepath.Glob(filepath.Join(r.Dir+".worktrees", "job-*", "deep"))
	if err != nil || len(trees) != 1 {
		t.Fatalf("found %q, %v", trees, err)
	}
	counting, calls := r.Counting()
	count := gittest.Opens(t, trees[0])
	if out, code := counting.Try("git-resume", "status"); code != 0 || count() != 0 || len(calls()) > 0 {
		t.Errorf("a plain status opened a folder of the worktree %d times and called git: %q; exit code %d\n%s", count(), calls(), code, out)
	}
	if out, code := counting.Try("git-resume", "status", "--all"); code != 0 || count() != 1 {
		t.Errorf("'status --all' opened a folder of the worktree %d times, want 1; exit code %d\n%s", count(), code, out)
	}
}

// An agent's files are opened only for a person who asks at a terminal, or if the setting allows it.
func TestOpens_noFileOfAnAgentUnasked(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	slug := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			return c
		}
		return '-'
	}, r.Dir)
	file := filepath.Join(filepath.Dir(r.Dir), "home", ".claude", "projects", slug, "11111111-aaaa-4aaa-8aaa-111111111111.jsonl")
	gittest.NoError(t, "folder", os.MkdirAll(filepath.Dir(file), 0o700))
	line := `{"type":"user","cwd":"` + r.Dir + `","sessionId":"11111111-aaaa-4aaa-8aaa-111111111111","timestamp":"` + time.Now().UTC().Format(time.RFC3339) + `","message":{"role":"user","content":"add a form"}}` + "\n"
	gittest.NoError(t, "write", os.WriteFile(file, []byte(line), 0o600))
	if out, code := r.Resume("hooks", "install"); code != 0 {
		t.Fatal(out)
	}
	for _, c := range []struct {
		scan string
		args []string
		none bool
	}{
		{"", nil, true},
		{"", []string{"status"}, true},
		{"", []string{"status", "--json"}, true},
		{"", []string{"status", "--prompt"}, true},
		{"", []string{"git", "switch", "-q", "-c", "other"}, true},
		{"always", []string{"status"}, false},
		{"always", []string{"status", "--prompt"}, true},
		{"always", []string{"git", "switch", "-q", "-"}, true},
	} {
		if c.scan != "" {
			r.Git("config", "resume.agents.scan", c.scan)
		}
		count := gittest.Opens(t, file)
		out := ""
		if len(c.args) > 0 && c.args[0] == "git" {
			out = r.Git(c.args[1:]...)
		} else {
			out, _ = r.Resume(c.args...)
		}
		if n := count(); n > 0 == c.none {
			t.Errorf("with resume.agents.scan=%q, %q opened the session's file %d times\n%s", c.scan, c.args, n, out)
		}
	}
}
