package handler_test

import (
	"context"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources/gitops"
)

// eachGit runs a test with the installed git. In the long proof it runs the test in all the ways of gittest.EachGit.
func eachGit(t *testing.T, test func(*testing.T, gittest.Maker)) {
	if gittest.Proving() {
		gittest.EachGit(t, test)
		return
	}
	t.Run("git", func(t *testing.T) { test(t, gittest.Maker{}) })
}

// haltedRepo creates a repository with an operation halted in the given way.
func haltedRepo(t testing.TB, m gittest.Maker, h gittest.Halted) (*gittest.Repo, gitops.State) {
	t.Helper()
	r := m.WithTopic(t, 4).WithBinary()
	h.Make(r)
	found, err := waitForSurvivors(context.Background(), engineAt(t, r))
	if err != nil || len(found) != 1 {
		t.Fatalf("found %+v, error %v", found, err)
	}
	return r, found[0]
}

// TestOperate_printedCommands executes the commands that are printed for a halted operation, as if a person had pasted them. The long proof
// also makes each choice with "git resume --choose". Each must lead to the printed result.
func TestOperate_printedCommands(t *testing.T) {
	t.Parallel()
	eachGit(t, func(t *testing.T, m gittest.Maker) {
		for n, h := range gittest.HaltedStates() {
			if !m.Leaves(h) {
				continue
			}
			t.Run(h.Name, func(t *testing.T) {
				t.Parallel()
				r, s := haltedRepo(t, m, h)
				ways := s.Ways()
				if len(ways) == 0 {
					t.Fatal("there is no way out")
				}
				if !gittest.Proving() { // everyday tests try only one choice for each state
					ways = ways[n/2%len(ways):][:1]
				}
				for i, w := range ways {
					if i > 0 {
						r, s = haltedRepo(t, m, h)
					}
					command := s.Command(w, s.Tree.GitDir)
					out, code := r.Try("sh", "-c", command+yesFlag(command))
					checkOutcome(t, r, s, w.Name, "pasted", out, code)
					if !gittest.Proving() {
						continue
					}
					r, s = haltedRepo(t, m, h)
					out, code = r.Try("git", "resume", s.Key(), "--choose", w.Name, "--yes")
					checkOutcome(t, r, s, w.Name, "chosen", out, code)
				}
			})
		}
	})
}

// yesFlag returns " --yes" for a git-resume command, because nobody is at the terminal to answer its question.
// For other commands it returns "".
func yesFlag(command string) string {
	if strings.HasPrefix(command, "git resume ") {
		return " --yes"
	}
	return ""
}

// checkOutcome checks that a choice led to the result that was printed for it.
func checkOutcome(t *testing.T, r *gittest.Repo, s gitops.State, way, how, out string, code int) {
	t.Helper()
	after, err := waitForSurvivors(context.Background(), engineAt(t, r))
	if err != nil {
		t.Fatal(err)
	}
	fault := func(text string) {
		t.Helper()
		t.Errorf("%s, %s: %s (exit code %d)\n%s", way, how, text, code, out)
	}
	over := true
	for _, a := range after {
		over = over && a.Op != s.Op
	}
	switch way {
	case gitops.Abort, gitops.Quit:
		if !over || code != 0 {
			fault("it is still there")
		}
		if _, err := r.Try("git", "diff", "--quiet"); way == gitops.Abort && err != 0 && s.Op != ongoing.FilterBranch && s.Autostash == "" {
			fault("the tree is not clean")
		}
	case gitops.Continue:
		if !over && len(after[0].Todo) >= len(s.Todo) && after[0].Step <= s.Step {
			fault("it did not go on")
		}
	case gitops.Skip:
		if code != 0 || !over && s.Op != ongoing.Bisect && len(after[0].Todo) >= len(s.Todo) && after[0].Step <= s.Step {
			fault("it did not go on")
		}
		if log, _ := r.Try("git", "log", "--format=%s", "HEAD"); s.Op == ongoing.Rebase && strings.Contains("\n"+log, "\n"+s.Subject+"\n") {
			fault("the commit was not left out:\n" + log)
		}
	default: // the choice is a term of a bisect, such as "good"
		if log := r.Git("bisect", "log"); !strings.Contains(log, "git bisect "+way) {
			fault("the verdict is not noted")
		}
	}
	if s.Op != ongoing.StaleLock && strings.Contains(out, "index.lock") && how == "pasted" && !strings.Contains(out, "moved aside") {
		fault("a lock stood in the way")
	}
}
