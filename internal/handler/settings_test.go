package handler_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// withoutVariables returns an environment without the variables that begin with one of the prefixes.
func withoutVariables(env []string, prefixes ...string) []string {
	var out []string
	for _, v := range env {
		keep := true
		for _, p := range prefixes {
			keep = keep && !strings.HasPrefix(v, p)
		}
		if keep {
			out = append(out, v)
		}
	}
	return out
}

// completeRun completes a run under the current settings, and checks its state, its commits and their trailers.
func (u *user) completeRun() {
	u.T.Helper()
	u.MustResume("task", "start", "a")
	u.work("a")
	u.Write("b.txt", "b\n")
	u.Git("add", "b.txt")
	u.MustResume("task", "start", "b")
	u.MustResume("checkpoint", "--commit")
	u.Write("b.txt", "b, whole\n")
	u.MustResume("task", "done", "b", "b.txt")
	s := u.see()
	if s.State != "finished" || s.has("journal-diverged") || s.has("journal-damaged") {
		u.T.Errorf("%s %v", s.State, s.Findings)
	}
	got := strings.Fields(u.Git("-c", "core.commentChar=#", "-c", "trailer.separators=:", "log", "--format=%(trailers:key=Resume-Task,valueonly)", "HEAD~3.."))
	if strings.Join(got, " ") != "b b a" {
		u.T.Errorf("git reads the trailers as %v", got)
	}
	u.checkCommits()
	u.Fsck()
	// Without the journal, the commits alone must show the same result.
	u.Git("update-ref", "-d", "refs/resume/journal/"+u.id)
	u.Git("update-ref", "-d", "refs/notes/resume/"+u.id)
	if s := u.see(); !s.Rebuilt || s.task("a") != "done" || s.task("b") != "done" {
		u.T.Errorf("rebuilt: %v", s.Tasks)
	}
}

func TestSettings_doNoHarm(t *testing.T) {
	sets := []struct {
		name string
		set  [][2]string
	}{
		{"comment character", [][2]string{{"core.commentChar", ";"}, {"commit.cleanup", "strip"}}},
		{"automatic comment character", [][2]string{{"core.commentChar", "auto"}, {"commit.cleanup", "scissors"}}},
		{"comment character of the trailers", [][2]string{{"core.commentChar", "R"}}},
		{"verbatim", [][2]string{{"commit.cleanup", "verbatim"}}},
		{"encoding", [][2]string{{"i18n.commitEncoding", "ISO-8859-1"}, {"i18n.logOutputEncoding", "ISO-8859-1"}}},
		{"trailers", [][2]string{{"trailer.separators", "=#"}, {"trailer.ifexists", "doNothing"}, {"trailer.ifmissing", "doNothing"}, {"trailer.run.key", "Resume-Run="}, {"trailer.sign.command", "echo x"}}},
		{"notes", [][2]string{{"notes.rewriteRef", "refs/notes/*"}, {"notes.displayRef", "refs/notes/*"}, {"notes.rewriteMode", "cat_sort_uniq"}, {"core.notesRef", "refs/notes/resume/mine"}}},
		{"colour, decoration, pager", [][2]string{{"color.ui", "always"}, {"log.decorate", "full"}, {"core.pager", "false"}, {"log.showSignature", "true"}, {"format.pretty", "oneline"}, {"column.ui", "always"}, {"status.short", "true"}, {"status.branch", "true"}, {"status.showUntrackedFiles", "no"}, {"status.relativePaths", "true"}}},
		{"line ends", [][2]string{{"core.autocrlf", "true"}, {"core.safecrlf", "false"}}},
		{"fsync", [][2]string{{"core.fsync", "none"}, {"core.fsyncMethod", "writeout-only"}}},
		{"template", [][2]string{{"commit.template", "no-such-file"}, {"commit.verbose", "true"}, {"commit.status", "false"}}},
		{"reflogs and gc", [][2]string{{"core.logAllRefUpdates", "always"}, {"gc.auto", "1"}, {"gc.autoDetach", "false"}, {"maintenance.auto", "true"}}},
		{"diff", [][2]string{{"diff.noprefix", "true"}, {"diff.external", "false"}, {"diff.renames", "copies"}, {"diff.mnemonicPrefix", "true"}, {"diff.ignoreSubmodules", "all"}, {"core.quotePath", "false"}}},
		{"shared and split", [][2]string{{"core.sharedRepository", "group"}, {"core.splitIndex", "true"}, {"core.untrackedCache", "true"}, {"feature.manyFiles", "true"}}},
		{"transactions", [][2]string{{"receive.denyCurrentBranch", "refuse"}, {"transfer.hideRefs", "refs/resume"}, {"transfer.fsckObjects", "true"}, {"core.compression", "0"}, {"core.abbrev", "4"}}},
	}
	for _, c := range sets {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			u := start(t, "a", "b")
			for _, s := range c.set {
				u.Git("config", s[0], s[1])
			}
			u.completeRun()
		})
	}
	t.Run("from the command line", func(t *testing.T) {
		t.Parallel()
		u := start(t, "a", "b")
		u.Env = append(u.Env, "GIT_CONFIG_PARAMETERS='core.commentchar'=';' 'color.ui'='always' 'trailer.separators'='='")
		u.completeRun()
	})
}

func TestSettings_hooksThatRefuse(t *testing.T) {
	for _, name := range []string{"pre-commit", "commit-msg"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := start(t, "a", "b")
			hook := filepath.Join(u.Dir, ".git", "hooks", name)
			if err := os.MkdirAll(filepath.Dir(hook), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := gittest.WriteProgram(hook, []byte("#!/bin/sh\necho the linter is not pleased\nexit 1\n")); err != nil {
				t.Fatal(err)
			}
			u.MustResume("task", "start", "a")
			u.Write("a.txt", "a\n")
			u.Git("add", "a.txt")
			u.Write("other.txt", "untracked\n")
			before, head := u.Git("status", "--porcelain"), u.head()
			out, code := u.Resume("task", "done", "a")
			if code != 1 || !strings.Contains(out, "the linter is not pleased") || !strings.Contains(out, "--no-verify") {
				t.Errorf("exit code %d\n%s", code, out)
			}
			if u.see().task("a") != "active" || u.head() != head || u.Git("status", "--porcelain") != before || u.Read("a.txt") != "a\n" {
				t.Error("something moved")
			}
			if u.Git("show", "refs/resume/snapshots/"+u.id+":0001/work/other.txt") != "untracked" {
				t.Error("the work is not in a snapshot")
			}
			u.MustResume("task", "done", "a", "--no-verify")
			if u.see().task("a") != "done" || u.Git("show", "HEAD:a.txt") != "a" {
				t.Error("not done without the hook")
			}
		})
	}
}

func TestSettings_signingWithoutAKeyWarns(t *testing.T) {
	t.Parallel()
	u := start(t, "a", "b")
	u.Git("config", "gpg.program", filepath.Join(filepath.Dir(u.Dir), "no-such-gpg"))
	u.Env = append(u.Env, "GIT_CONFIG_PARAMETERS='commit.gpgsign'='true'")
	u.Write("a.txt", "a\n")
	out, code := u.Resume("task", "done", "a", "a.txt")
	if code != 0 || !strings.Contains(out, "warning: the commit is not signed") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	if s := u.see(); s.task("a") != "done" || s.Tasks[0].Commit != u.head() {
		t.Errorf("%v", s.Tasks)
	}
}

func TestSettings_withoutANameNothingIsHalfDone(t *testing.T) {
	t.Parallel()
	u := start(t, "a", "b")
	u.Env = withoutVariables(u.Env, "GIT_AUTHOR_", "GIT_COMMITTER_", "EMAIL=")
	u.Git("config", "user.useConfigOnly", "true")
	u.MustResume("task", "start", "a") // git can write the journal without user.name
	before, head := u.lines(), u.head()
	u.Write("a.txt", "a\n")
	out, code := u.Resume("task", "done", "a", "a.txt")
	if code != 128 || !strings.Contains(out, "user.email") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	if u.head() != head || len(u.lines()) != len(before) || u.see().task("a") != "active" || u.Git("diff", "--cached", "--name-only") != "" {
		t.Error("something was half done")
	}
	u.Git("config", "user.name", "Somebody")
	u.Git("config", "user.email", "somebody@example.com")
	u.MustResume("task", "done", "a", "a.txt")
	if got := u.Git("log", "-1", "--format=%an"); got != "Somebody" {
		t.Errorf("by %s", got)
	}
}

func TestSettings_foreignRepositoryIsRefusedAsGitDoes(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give a repository away")
	}
	t.Parallel()
	u := start(t, "a", "b")
	before := u.lines()
	err := filepath.WalkDir(u.Dir, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, 12345, 12345)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"task", "start", "a"}, {"task", "done", "a"}, {"start", "--here", "--name", "more", "--task", "x"}, {"start", "--name", "more2", "--task", "x"}} {
		files := tree(t, u.Dir)
		out, code := u.Resume(args...)
		if code != 128 || !strings.Contains(out, "dubious ownership") || !strings.Contains(out, "safe.directory") {
			t.Errorf("%v: exit code %d\n%s", args, code, out)
		}
		if now := tree(t, u.Dir); now != files {
			t.Errorf("%v changed the repository: %v", args, addedLines(files, now))
		}
	}
	u.Git("config", "--global", "safe.directory", u.Dir)
	// The files with our signing key now belong to another user, who could have written journal lines.
	// So our own lines are no longer trusted.
	if out, code := u.Resume("task", "start", "a"); code != 11 || !strings.Contains(out, "is yours, because your key for signing records cannot be used") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	u.mustHold(before)
}

// addedLines returns the lines of a later list that an earlier list does not contain.
func addedLines(before, after string) []string {
	var out []string
	for line := range strings.SplitSeq(after, "\n") {
		if !strings.Contains(before+"\n", line+"\n") {
			out = append(out, line)
		}
	}
	return out
}

// tree lists every path below a folder, except the lock files of worktrees.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if filepath.Base(filepath.Dir(path)) != "trees" && filepath.Base(path) != "trees" {
			out = append(out, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(out, "\n")
}
