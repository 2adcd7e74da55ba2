package gitstate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/gittest"
)

func TestStatus_everyChange(t *testing.T) {
	t.Parallel()
	own := gittest.New(t)
	for _, name := range []string{"modified", "deleted", "removed", "mode", "typed", "both", "conflict", "ours only", "gone in theirs"} {
		own.Write(name, name+"\n")
	}
	own.Write(".gitignore", "*.ignored\nskip/\n")
	own.Git("add", "-A")
	own.Git("commit", "-q", "-m", "files")
	own.Git("checkout", "-q", "-b", "theirs")
	own.Write("conflict", "theirs\n")
	own.Write("added by both", "theirs\n")
	own.Git("rm", "-q", "gone in theirs")
	own.Git("add", "-A")
	own.Git("commit", "-q", "-m", "theirs")
	own.Git("checkout", "-q", "main")
	own.Write("conflict", "ours\n")
	own.Write("added by both", "ours\n")
	own.Write("gone in theirs", "ours\n")
	own.Git("add", "-A")
	own.Git("commit", "-q", "-m", "ours")
	own.Try("git", "merge", "-q", "theirs")

	own.Write("modified", "changed\n")
	own.Write("both", "staged\n")
	own.Git("add", "both")
	own.Write("both", "and again\n")
	own.Git("rm", "-q", "removed")
	own.Git("update-index", "--chmod=+x", "mode")
	for _, name := range []string{"deleted", "typed"} {
		gittest.NoError(t, "remove", os.Remove(filepath.Join(own.Dir, name)))
	}
	gittest.NoError(t, "link", os.Symlink("target", filepath.Join(own.Dir, "typed")))
	own.Write("x.ignored", "")
	own.Write("skip/this", "")
	own.Write("new\nline", "")
	own.Write("dir/below/new", "")
	own.Git("config", "status.showStash", "true")
	own.Git("config", "status.branch", "true")
	own.Git("config", "status.renames", "copies")
	own.Git("config", "status.relativePaths", "true")

	r := openAt(t, own)
	changes, err := r.Status(t.Context())
	gittest.NoError(t, "Status", err)
	want := own.Pipe("", "--no-optional-locks", "-c", "status.branch=false", "-c", "status.showStash=false", "status", "--porcelain=v2", "-z", "-uall", "--no-renames")
	gittest.Equal(t, "status", render(changes), want)
	look, err := r.ReadState(t.Context())
	gittest.NoError(t, "Look", err)
	gittest.Equal(t, "Look", render(look.Changes), want)
	gittest.Equal(t, "ignored", strings.Join(look.Ignored, " "), "skip/ x.ignored")
	unmerged := 0
	for _, c := range changes {
		if c.Unmerged {
			unmerged++
		}
		if c.Untracked() && c.Staged() {
			t.Errorf("%q is untracked and staged", c.Path)
		}
	}
	gittest.Equal(t, "unmerged", unmerged, 3)
}

func FuzzParseStatus(f *testing.F) {
	zero, one := strings.Repeat("0", 40), strings.Repeat("1", 40)
	f.Add("1 .M N... 100644 100644 100644 " + one + " " + one + " a b\x00? new\x00! ignored\x00# branch.oid (initial)\x00")
	f.Add("u UU N... 100644 100644 100644 100644 " + one + " " + one + " " + zero + " c\x00")
	f.Add("1 .M\x00u\x00?\x00? \x002 R. x\x00")
	f.Fuzz(func(t *testing.T, text string) {
		changes, err := parseStatus(text)
		if err != nil {
			return
		}
		again, err := parseStatus(render(changes))
		if err != nil || len(again) != len(changes) {
			t.Fatalf("written and read again: %v, %v", again, err)
		}
		look, err := parseState(text)
		if err != nil || len(look.Changes) != len(changes) {
			t.Errorf("Look reads %d changes, Status %d: %v", len(look.Changes), len(changes), err)
		}
	})
}

func FuzzParseWorktrees(f *testing.F) {
	f.Add("worktree /a\x00HEAD 1\x00branch refs/heads/x\x00locked\x00\x00worktree /b\x00detached\x00prunable gone\x00locked why\x00", "\x00")
	f.Fuzz(func(t *testing.T, text, sep string) {
		if sep == "" {
			return
		}
		for i, w := range parseWorktrees(text, sep) {
			if w.Main != (i == 0) {
				t.Errorf("tree %d is main: %v", i, w.Main)
			}
		}
	})
}

func TestWorktrees_lockedWithAndWithoutReason(t *testing.T) {
	t.Parallel()
	own := gittest.New(t)
	for _, name := range []string{"plain", "locked", "reason", "gone"} {
		own.Git("worktree", "add", "-q", "../"+name)
	}
	own.Git("worktree", "lock", "../locked")
	own.Git("worktree", "lock", "--reason", "two\nlines", "../reason")
	gittest.NoError(t, "remove", os.RemoveAll(filepath.Join(own.Root(), "gone")))
	all, err := openAt(t, own).Worktrees(t.Context())
	gittest.NoError(t, "Worktrees", err)
	got := map[string]Worktree{}
	for _, w := range all {
		got[filepath.Base(w.Path)] = w
	}
	head := object.ID(own.Git("rev-parse", "HEAD"))
	for name, want := range map[string]Worktree{
		"repo":   {Main: true, Branch: "refs/heads/main"},
		"plain":  {Branch: "refs/heads/plain"},
		"locked": {Branch: "refs/heads/locked", Locked: true},
		"reason": {Branch: "refs/heads/reason", Locked: true, LockReason: "two\nlines"},
	} {
		want.Path, want.Head = filepath.Join(own.Root(), name), head
		gittest.Equal(t, name, got[name], want)
	}
	if got["gone"].Prunable == "" {
		t.Errorf("a tree that is gone: %+v", got["gone"])
	}
}
