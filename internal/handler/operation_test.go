package handler_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/handler"
	"github.com/git-resume/git-resume/internal/handler/repair"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/sources/gitops"
)

// engineAt returns an engine like the one that the program creates.
func engineAt(t testing.TB, r *gittest.Repo) *handler.Engine {
	t.Helper()
	p, err := locate.Find(r.Dir, r.Env)
	if err != nil {
		t.Fatal(err)
	}
	repo := gitstate.Open(p, r.Env)
	t.Cleanup(repo.Close)
	return handler.New(site.Site{
		Repo: repo, Store: &journal.Store{Repo: repo, Now: time.Now, Nonce: "n"}, Now: time.Now, PID: os.Getpid(), Dir: r.Dir,
		Random: func() (b [4]byte) { return b },
	})
}

// continueAll continues until git has nothing in progress, and returns the repairs that were needed.
func continueAll(t testing.TB, r *gittest.Repo) (mended []gitops.Repair, err error) {
	t.Helper()
	e := engineAt(t, r)
	ctx := context.Background()
	for range 20 {
		found, err := waitForSurvivors(ctx, e)
		if err != nil {
			return mended, err
		}
		if len(found) == 0 {
			return mended, nil
		}
		var said strings.Builder
		out, err := e.Repairing.Operate(ctx, repair.Operating{State: found[0], Choice: gitops.Continue, Stdout: &said, Stderr: &said})
		if err != nil {
			return mended, fmt.Errorf("%w (stop %s, crash %+v)\n%s", err, found[0].Stop, found[0].Crash, said.String())
		}
		mended = append(mended, out.Repaired)
		if out.Code != 0 && out.Now == nil {
			return mended, fmt.Errorf("git %v: exit code %d\n%s", out.Ran, out.Code, said.String())
		}
		t.Logf("%s at %s (%s): %s", found[0].Op, found[0].Stop, found[0].Crash.Repair, strings.TrimSpace(said.String()))
	}
	return mended, fmt.Errorf("it never ends")
}

// waitForSurvivors returns the unfinished operations. First it waits, at most two seconds, until the processes of the operation have ended:
// for example, the hook that killed git can live on for a moment.
func waitForSurvivors(ctx context.Context, e *handler.Engine) ([]gitops.State, error) {
	for range 200 {
		found, err := e.Repairing.Operations(ctx)
		if err != nil || len(found) == 0 || found[0].Life == proc.Dead {
			return found, err
		}
		time.Sleep(10 * time.Millisecond)
	}
	return e.Repairing.Operations(ctx)
}

// describeCommits describes the commits of a range, oldest first: author, message, notes and changes.
func describeCommits(r *gittest.Repo, span string) string {
	r.T.Helper()
	ids := strings.Fields(r.Git("rev-list", "--reverse", "--topo-order", span))
	var out []string
	for _, id := range ids {
		// A merge is described by its parents and by its changes against the first parent.
		patch := strings.Fields(r.Pipe(r.Git("log", "-1", "-p", "--diff-merges=first-parent", "--format=%H", id)+"\n", "patch-id", "--stable") + " none")[0]
		if parents := strings.Fields(r.Git("log", "-1", "--format=%p", id)); len(parents) > 1 {
			patch += " of " + strings.ReplaceAll(r.Git(append([]string{"log", "--no-walk=unsorted", "--format=%s"}, parents...)...), "\n", ", ")
		}
		note, _ := r.Try("git", "notes", "show", id)
		if strings.HasPrefix(note, "error:") {
			note = "none"
		}
		out = append(out, r.Git("log", "-1", "--format=%an %ad%n%B", id)+" "+patch+" note: "+note)
	}
	return strings.Join(out, "\n---\n")
}

// gitScenario is a git operation on the topic branch. span is the commit range that contains its result.
type gitScenario struct {
	name string
	run  func(r *gittest.Repo) (out string, code int)
	span string
}

func rebasing(name string, edits ...string) gitScenario {
	return gitScenario{name, func(r *gittest.Repo) (string, int) { return "", r.RebaseList(edits...) }, "main..topic"}
}

// rebaseMerges is a rebase that keeps merge commits, so its todo list has label, reset and merge lines between the picks.
func rebaseMerges(name, editor string) gitScenario {
	return gitScenario{name, func(r *gittest.Repo) (string, int) {
		return r.With("GIT_SEQUENCE_EDITOR="+editor).Try("git", "rebase", "-i", "--rebase-merges", "main")
	}, "main..topic"}
}

var undertakings = []gitScenario{
	rebasing("rebase"),
	rebasing("edit", "2 edit"),
	rebasing("reword", "2 reword"),
	rebasing("squash", "2 squash", "3 squash"),
	rebasing("fixup", "2 fixup", "4 fixup"),
	rebasing("fixup and squash", "2 fixup", "3 squash", "4 fixup"),
	rebasing("exec and break", "1+ exec true", "2+ break", "3+ exec true"),
	rebaseMerges("merges", "true"),
	rebaseMerges("merges with reword and squash", "sed -i.bak '/ s1$/s/^pick/reword/; / s2$/s/^pick/squash/; / t4$/s/^pick/reword/'"),
	rebaseMerges("merges with new messages", "sed -i.bak 's/^merge -C/merge -c/'"),
	{"picks", func(r *gittest.Repo) (string, int) {
		return r.Try("git", "cherry-pick", "-x", "topic~4..topic")
	}, "shifted..main"},
	{"reverts", func(r *gittest.Repo) (string, int) {
		return r.Try("git", "revert", "--no-edit", "topic~4..topic")
	}, "shifted..topic"},
}

// stage creates the branch topic, whose commits change the file "file". It then makes a commit that adds a line at the top of the same
// file: on topic if the scenario reverts commits, and on main otherwise. So git has to merge the file when it picks, rebases or reverts the
// commits of topic.
func (s gitScenario) stage(r *gittest.Repo) {
	r.Topic(4)
	if strings.HasPrefix(s.name, "merges") {
		r.Sides()
	}
	r.Git("config", "notes.rewriteRef", "refs/notes/*")
	for i, id := range strings.Fields(r.Git("rev-list", "--topo-order", "main..topic")) {
		r.Git("notes", "add", "-m", fmt.Sprintf("note %d", i), id)
	}
	if s.name == "reverts" {
		r.Write("file", "first\n"+r.Read("file"))
		r.Git("commit", "-q", "-a", "-m", "shift")
		r.Git("branch", "shifted")
		return
	}
	r.Shift()
	r.Git("branch", "shifted")
	if s.name != "picks" {
		r.Git("checkout", "-q", "topic")
	}
}

// TestOperate_killedEverywhere kills git at calls of hooks, of the merge driver or of the editor. The result of "git resume" must be the
// same as that of an uninterrupted operation.
func TestOperate_killedEverywhere(t *testing.T) {
	t.Parallel()
	gittest.EachGit(t, func(t *testing.T, m gittest.Maker) {
		for i, s := range undertakings {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				want := undisturbed(t, m, s)
				if !gittest.Proving() { // everyday tests try only one kill in each scenario
					if i%4 == 3 {
						killedAt(t, m, s, "editor", 1, want)
					} else {
						killedAt(t, m, s, []string{"driver", "prepare-commit-msg", "post-commit"}[i%3], 2, want)
					}
					return
				}
				for _, point := range []string{"driver", "prepare-commit-msg", "commit-msg", "post-commit", "editor", "reference-transaction", "post-rewrite", "smudge"} {
					nth := 1
					for nth < 1000 && killedAt(t, m, s, point, nth, want) {
						nth++
					}
					t.Logf("%s: killed at %d calls of %s", s.name, nth-1, point)
				}
			})
		}
	})
}

// TestOperate_patchesKilledAtTheEnd: git is killed after the last patch of a rebase, where git itself can neither continue nor skip.
// "git resume" must finish the rebase.
func TestOperate_patchesKilledAtTheEnd(t *testing.T) {
	t.Parallel()
	s := gitScenario{"patches", func(r *gittest.Repo) (string, int) { return r.Try("git", "rebase", "--apply", "main") }, "main..topic"}
	gittest.EachGit(t, func(t *testing.T, m gittest.Maker) {
		if !killedAt(t, m, s, "post-rewrite", 1, undisturbed(t, m, s)) {
			t.Fatal("it was not killed")
		}
	})
}

func undisturbed(t *testing.T, m gittest.Maker, s gitScenario) string {
	r := m.Made(t, s.name, s.stage)
	s.run(r)
	if _, err := continueAll(t, r); err != nil {
		t.Fatalf("undisturbed: %v", err)
	}
	return describeCommits(r, s.span)
}

// killedAt kills git at the nth call of a program, and checks the result. It returns false if git ends before that call.
func killedAt(t *testing.T, m gittest.Maker, s gitScenario, point string, nth int, want string) bool {
	r := m.Made(t, s.name, s.stage)
	safe := func() {}
	if point == "editor" {
		r = r.With("GIT_EDITOR=" + r.Killer("editor", nth, "exit 0"))
	} else {
		safe = r.KillIn(point, nth)
	}
	_, code := s.run(r)
	safe()
	r = r.With("GIT_EDITOR=true")
	count, _ := os.ReadFile(filepath.Join(r.Root(), "killer-"+point+".count"))
	if strings.Count(string(count), "\n") < nth {
		return false
	}
	mended, err := continueAll(t, r)
	if err != nil {
		t.Errorf("%s killed at %s %d (exit code %d): %v", s.name, point, nth, code, err)
		return true
	}
	if got := describeCommits(r, s.span); got != want {
		t.Errorf("%s killed at %s %d, mended %v:\n%s\nwant:\n%s", s.name, point, nth, mended, got, want)
	}
	return true
}
