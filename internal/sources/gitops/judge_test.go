package gitops_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/gitops"
)

// This helper returns the single operation of a test repository. It first waits until no process is working on the operation.
func only(t *testing.T, r *gittest.Repo) gitops.State {
	t.Helper()
	p, err := locate.Find(r.Dir, r.Env)
	if err != nil {
		t.Fatal(err)
	}
	repo := gitstate.Open(p, r.Env)
	defer repo.Close()
	for range 200 { // wait, because child processes may live a little longer than the killed process
		all, err := gitops.All(context.Background(), repo, proc.Table{}, repo.Linked())
		if err != nil || len(all) != 1 {
			t.Fatalf("found %+v, error %v", all, err)
		}
		if all[0].Life == proc.Dead {
			return all[0]
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("somebody works on it for ever")
	return gitops.State{}
}

// killed returns a repository with an interactive rebase that was killed at the n-th call of a hook or driver.
func killed(t *testing.T, point string, nth int, edits ...string) *gittest.Repo {
	t.Helper()
	r := gittest.Maker{}.WithTopic(t, 4)
	r.Shift()
	r.Git("checkout", "-q", "topic")
	safe := r.KillIn(point, nth)
	if code := r.RebaseList(edits...); code != -1 {
		t.Fatalf("the rebase was to be killed: exit code %d", code)
	}
	safe()
	return r
}

func edit(t *testing.T, r *gittest.Repo, name string, change func(string) string) {
	t.Helper()
	path := filepath.Join(r.Dir, ".git", "rebase-merge", name)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(change(string(text))), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestJudge_unlisted simulates a kill between the writes of git's two lists. The current command is then in neither list.
func TestJudge_unlisted(t *testing.T) {
	t.Parallel()
	r := killed(t, "driver", 2)
	edit(t, r, "done", func(text string) string {
		lines := strings.SplitAfter(text, "\n")
		return lines[0]
	})
	s := only(t, r)
	if !s.Crash.Unlisted || !s.Crash.Loses() || s.Crash.Lost.Subject() != "t2" {
		t.Errorf("crash is %+v", s.Crash)
	}
	// Now simulate that the user edited the todo list. Then it is not certain which line is missing. The result must be RepairDoubt, and
	// continuing must not be offered.
	edit(t, r, "git-rebase-todo", func(text string) string { return text + "exec true\n" })
	edit(t, r, "end", func(string) string { return "5\n" })
	s = only(t, r)
	if s.Crash.Repair != gitops.RepairDoubt || s.Crash.Lost.Subject() != "t2" {
		t.Errorf("crash is %+v", s.Crash)
	}
	for _, w := range s.Ways() {
		if w.Name == gitops.Continue {
			t.Error("it can be continued in spite of the doubt")
		}
	}
}

// TestJudge_emptyLinesAreNoCommands checks that empty lines in the todo list are not taken for lost commands, and that a lost command is
// still found. The option --update-refs adds such lines, and some versions of git count them.
func TestJudge_emptyLinesAreNoCommands(t *testing.T) {
	t.Parallel()
	for _, refs := range []int{1, 2} {
		t.Run(fmt.Sprint(refs), func(t *testing.T) {
			t.Parallel()
			r := gittest.Maker{}.WithTopic(t, 4)
			for i := range refs {
				r.Git("branch", fmt.Sprint("part", i), fmt.Sprintf("topic~%d", i+1))
			}
			r.Stops("rebase", "-i", "--update-refs", "--exec", "test -e ../never", "main")
			if s := only(t, r); s.Crash.Repair != gitops.RepairNothing || s.Stop != ongoing.StopExec {
				t.Fatalf("stop %s, crash %+v", s.Stop, s.Crash)
			} else if at := fmt.Sprintf("stopped at line 2 of %d: ", 8+refs); !strings.Contains(s.Headline(), at) {
				t.Errorf("%s: not %s", s.Headline(), at)
			}
			edit(t, r, "git-rebase-todo", func(text string) string {
				_, rest, _ := strings.Cut(text, "\n")
				return rest
			})
			if s := only(t, r); !s.Crash.Unlisted || s.Crash.Lost.Subject() != "t2" {
				t.Errorf("a line is missing, and crash is %+v", s.Crash)
			}
		})
	}
}

// TestJudge_unnoted kills a rebase with the apply backend before git has recorded the branch. The branch must then be read from the reflog
// of HEAD. Without a reflog it must not be guessed if several branches are at the same commit.
func TestJudge_unnoted(t *testing.T) {
	t.Parallel()
	r := gittest.Maker{}.WithTopic(t, 3)
	r.Git("branch", "same")
	safe := r.KillIn("post-applypatch", 2)
	r.Dies("rebase", "-q", "--apply", "main")
	safe()
	s := only(t, r)
	if s.Branch != "refs/heads/topic" || string(s.Onto) != r.Git("rev-parse", "main") || string(s.Orig) != r.Git("rev-parse", "topic") {
		t.Errorf("branch %q, onto %s, from %s", s.Branch, s.Onto, s.Orig)
	}
	log := filepath.Join(r.Dir, ".git", "logs", "HEAD")
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(log, []byte(strings.ReplaceAll(string(text), "checkout: moving", "gone")), 0o644); err != nil {
		t.Fatal(err)
	}
	s = only(t, r)
	if ways := s.Ways(); s.Crash.Repair != gitops.RepairDoubt || len(ways) != 1 || ways[0].Name != gitops.Quit {
		t.Errorf("branch %q, crash %+v, ways %+v", s.Branch, s.Crash, ways)
	}
	r.Git("branch", "-D", "same")
	if s = only(t, r); s.Branch != "refs/heads/topic" {
		t.Errorf("the only branch there is %q", s.Branch)
	}
}

// TestJudge_userEditedTheList checks that a line that the user deleted from the todo list is not reported as lost.
func TestJudge_userEditedTheList(t *testing.T) {
	t.Parallel()
	r := gittest.Maker{}.WithTopic(t, 4)
	r.RebaseList("1+ break")
	r.With("GIT_SEQUENCE_EDITOR=sed -i.bak 1d").Git("rebase", "--edit-todo")
	if s := only(t, r); s.Crash.Repair != gitops.RepairNothing || s.Stop != ongoing.StopBreak {
		t.Errorf("stop %s, crash %+v", s.Stop, s.Crash)
	}
}

// TestJudge_doubt changes HEAD after the kill. The result must then be RepairDoubt, because the evidence is contradictory.
func TestJudge_doubt(t *testing.T) {
	t.Parallel()
	r := killed(t, "prepare-commit-msg", 2)
	r.With("GIT_AUTHOR_NAME=Somebody").Git("commit", "-q", "-m", "by hand, under another name")
	s := only(t, r)
	if s.Crash.Repair != gitops.RepairDoubt || s.Crash.Lost.Subject() != "t2" {
		t.Fatalf("crash is %+v", s.Crash)
	}
	f := found(t, r)
	if len(f.Doubts) == 0 || f.Doubts[0].Code != gitops.DoubtUnclear || f.Command != "" {
		t.Errorf("found %+v", f)
	}
}

// TestJudge_hookChangesMessages checks that a commit does not look lost if a hook rewrote its message.
func TestJudge_hookChangesMessages(t *testing.T) {
	t.Parallel()
	r := gittest.Maker{}.WithTopic(t, 4)
	r.Shift()
	r.Git("checkout", "-q", "topic")
	r.Write(".git/hooks/prepare-commit-msg", "#!/bin/sh\nprintf '\\nChange-Id: I%s\\n' $$ >>\"$1\"\n")
	if err := os.Chmod(filepath.Join(r.Dir, ".git", "hooks", "prepare-commit-msg"), 0o755); err != nil {
		t.Fatal(err)
	}
	safe := r.KillIn("post-commit", 2)
	r.Dies("rebase", "-q", "main")
	safe()
	if s := only(t, r); s.Crash.Repair != gitops.RepairRecord {
		t.Errorf("crash is %+v", s.Crash)
	}
}

func TestFound_words(t *testing.T) {
	t.Parallel()
	f := found(t, killed(t, "driver", 2))
	for what, pair := range map[string][2]string{
		"key":      {f.Key(), "git:rebase@."},
		"name":     {f.Name, "rebase topic"},
		"headline": {f.Headline, "rebase of topic onto main was killed inside commit 2 of 4"},
		"cause":    {f.Cause, "1 commit would be lost"},
		"state":    {string(f.State), "interrupted"},
		"command":  {f.Command, "git resume git:rebase@."},
		"tasks":    {fmt.Sprint(len(f.Tasks)), "4"},
		"point":    {f.Point.Title, "t2"},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: %q, want %q", what, pair[0], pair[1])
		}
	}
}

// found returns what the source finds about the only git operation in a repository.
func found(t *testing.T, r *gittest.Repo) sources.Found {
	t.Helper()
	only(t, r) // wait until no process is working on the operation
	p, err := locate.Find(r.Dir, r.Env)
	if err != nil {
		t.Fatal(err)
	}
	repo := gitstate.Open(p, r.Env)
	defer repo.Close()
	all, err := gitops.Source{}.Find(t.Context(), sources.NewView(repo, time.Now(), func(string) []string { return nil }))
	if err != nil || len(all) != 1 {
		t.Fatalf("found %+v, error %v", all, err)
	}
	return all[0]
}

// TestHalfMade kills "git worktree add" while it writes the files. The command that git-resume offers must then make it possible to add
// the worktree again.
func TestHalfMade(t *testing.T) {
	t.Parallel()
	gittest.EachGit(t, func(t *testing.T, m gittest.Maker) {
		r := m.Fresh(t)
		safe := r.KillIn("smudge", 2)
		r.Try("git", "worktree", "add", "-q", "--detach", "../half") // the kill may end git itself or only a child process, so the exit code is ignored
		safe()
		s := only(t, r)
		if s.Op != ongoing.HalfWorktree || s.ID() != "half-worktree@half" {
			t.Fatalf("found %+v", s)
		}
		if out, code := r.Try("sh", "-c", s.Command(s.Ways()[0], r.Dir)); code != 0 {
			t.Fatalf("exit code %d\n%s", code, out)
		}
		r.Git("worktree", "add", "-q", "--detach", "../half")
	})
}
