package ongoing

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate/repotest"
	"github.com/git-resume/git-resume/internal/gittest"
)

// TestOngoing_everyState makes each state with real git, in the main worktree or in a linked worktree, and reads the state back. Usually it
// tests each version of git with only one of these two kinds of worktrees; if gittest.Proving is true, with both.
func TestOngoing_everyState(t *testing.T) {
	t.Parallel()
	gittest.EachGit(t, func(t *testing.T, m gittest.Maker) {
		for _, linked := range []bool{false, true} {
			if everyday := strings.HasSuffix(t.Name(), "newer_git"); linked != everyday && !gittest.Proving() {
				continue // with each version of git, test only one kind of worktree, because both kinds together take a minute
			}
			for _, c := range gittest.HaltedStates() {
				name := c.Name
				if linked {
					name += ", linked worktree"
				}
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					if !m.Leaves(c) {
						t.Skip("this git leaves less")
					}
					var r *gittest.Repo
					if linked {
						r = m.Fresh(t)
						r.Git("checkout", "-q", "--detach")
						r.Git("worktree", "add", "-q", "-f", "../linked", "main")
						r = r.In(filepath.Join(r.Root(), "linked"))
						r.Topic(4)
					} else {
						r = m.WithTopic(t, 4)
					}
					c.Make(r)
					checkOngoing(t, r, c)
				})
			}
		}
	})
}

func checkOngoing(t *testing.T, r *gittest.Repo, c gittest.Halted) {
	t.Helper()
	found, err := In(context.Background(), repotest.Open(t, r.Dir, r.Env))
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 {
		t.Fatalf("found %d operations, want one: %+v", len(found), found)
	}
	o := found[0]
	gittest.Equal(t, "operation", string(o.Op), c.Op)
	gittest.Equal(t, "stop", string(o.Stop), c.Stop)
	if o.Since.IsZero() {
		t.Error("nothing says since when")
	}
	if (o.Stop == StopConflict) != (len(o.Unmerged) > 0) {
		t.Errorf("stop %s with unmerged paths %q", o.Stop, o.Unmerged)
	}
	for _, want := range wantedDetails(c.Name) {
		if got := factsOf(o); !strings.Contains(got, want) {
			t.Errorf("facts are %q, want %q among them", got, want)
		}
	}
	// The branch may be unknown only if HEAD was detached or the files are incomplete.
	if o.Branch == "" && c.Name != "rebase of a detached head" && o.Stop != StopTorn {
		t.Error("the branch is not named")
	}
}

// wantedDetails lists the details that must be read from the state with this name.
func wantedDetails(name string) []string {
	return map[string][]string{
		"merge":                             {"unmerged file", "heads 1"},
		"merge with autostash":              {"autostash"},
		"rebase":                            {"2 of 4", "branch refs/heads/topic", "now pick", "onto", "unmerged file"},
		"rebase with autostash":             {"autostash", "2 of 4"},
		"rebase by patches":                 {"2 of 4", "branch refs/heads/topic", "onto", "commit"},
		"rebase at an edit":                 {"2 of 4", "now edit"},
		"rebase at a refused reword":        {"2 of 4", "now reword"},
		"rebase at an exec":                 {"4 of 8", "now exec", "test ! -e n2"},
		"rebase at a break":                 {"3 of 5", "now break"},
		"rebase with a torn start":          {"autostash"},
		"rebase killed in a pick":           {"2 of 4", "now pick", "locks index.lock"},
		"picks":                             {"3 left", "now pick"},
		"picks, one committed by hand":      {"3 left", "now pick"},
		"picks killed in a pick":            {"3 left", "now pick", "locks index.lock"},
		"reverts":                           {"2 left", "now revert"},
		"reverts, one committed by hand":    {"2 left", "now revert"},
		"am":                                {"2 of 4", "unmerged file"},
		"am of a patch that does not apply": {"2 of 4"},
		"am of an empty patch":              {"2 of 2"},
		"stash pop":                         {"commit", "unmerged n1"},
		"bisect":                            {"branch refs/heads/topic", "commit"},
		"notes merge":                       {"branch refs/notes/commits", "1 left"},
		"lock of a killed commit":           {"locks index.lock"},
		"lock of a killed merge":            {"locks index.lock"},
	}[name]
}

func factsOf(o Ongoing) string {
	text := []string{"branch " + string(o.Branch), "now " + o.Now.Name + " " + o.Now.Arg, "unmerged " + strings.Join(o.Unmerged, " ")}
	add := func(is bool, words ...string) {
		if is {
			text = append(text, strings.Join(words, " "))
		}
	}
	itoa := strconv.Itoa
	add(true, itoa(o.Step), "of", itoa(o.Of))
	add(true, itoa(o.Left), "left")
	add(o.Onto != "", "onto")
	add(o.Commit != "", "commit")
	add(o.Autostash != "", "autostash")
	add(true, "heads", itoa(len(o.Heads)))
	for _, f := range o.Files {
		add(true, "locks", filepath.Base(f))
	}
	return strings.Join(text, ", ")
}

// TestOngoing_nothing checks that leftover files are not reported as an operation, and that git is not started to find this out.
func TestOngoing_nothing(t *testing.T) {
	t.Parallel()
	r := gittest.Git{}.Fresh(t, "repo")
	r.Topic(2)
	r.Git("merge", "-q", "--squash", "main") // this merge has no conflict, so git leaves only a message file
	r.Git("commit", "-q", "-m", "squashed")
	r.Git("update-ref", "AUTO_MERGE", r.Git("rev-parse", "HEAD^{tree}")) // git leaves AUTO_MERGE if the conflicts of a stash are resolved without a commit
	r, calls := r.Counting()
	found, err := In(context.Background(), repotest.Open(t, r.Dir, r.Env))
	if err != nil || len(found) != 0 {
		t.Fatalf("found %+v, error %v", found, err)
	}
	if started := calls(); len(started) > 0 {
		t.Errorf("to find that out, git was started: %q", started)
	}
}

// TestOngoing_damaged checks that damaged state files of a rebase are reported as StopTorn.
func TestOngoing_damaged(t *testing.T) {
	t.Parallel()
	r := gittest.Git{}.Fresh(t, "repo")
	for name, text := range map[string]string{
		"rebase-merge/head-name": "\x00\xff", "rebase-merge/onto": "nonsense", "rebase-merge/done": "pick\n\n\x00 x\nmerge -C\nfixup -C\n",
		"rebase-merge/msgnum": "-7", "rebase-merge/end": "99999999999999999999", "rebase-merge/orig-head": "", "rebase-merge/git-rebase-todo": "\x00",
	} {
		r.Write(".git/"+name, text)
	}
	found, err := In(context.Background(), repotest.Open(t, r.Dir, r.Env))
	if err != nil || len(found) != 1 || found[0].Stop != StopTorn {
		t.Fatalf("found %+v, error %v", found, err)
	}
}

func FuzzParseCommands(f *testing.F) {
	for _, text := range []string{"pick 123 # t", "p 12 x\nf -C 3 y\n# c\nmerge -C 1 a # b\nexec make\nbreak\nl onto\nt onto", "pick", "\x00"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range ParseCommands(text) {
			if c.Name == "" || !strings.Contains(text, c.Line) {
				t.Errorf("%q gave %+v", text, c)
			}
		}
	})
}

// TestOngoing_whatIsLeftOfAFinishedRebase removes state files of a finished rebase in random order. The remaining files must be
// recognised as those of a finished rebase, apart from the two exceptions in removeStateFiles.
func TestOngoing_whatIsLeftOfAFinishedRebase(t *testing.T) {
	t.Parallel()
	gittest.EachGit(t, func(t *testing.T, m gittest.Maker) { removeStateFiles(t, m.Fresh(t)) })
}

func removeStateFiles(t *testing.T, r *gittest.Repo) {
	t.Helper()
	r.Topic(2)
	kept := filepath.Join(t.TempDir(), "kept")
	r.Write(".git/hooks/post-rewrite", "#!/bin/sh\ncp -a .git/rebase-merge '"+kept+"'\n") // git calls this hook before it removes the folder
	gittest.NoError(t, "hook", os.Chmod(filepath.Join(r.Dir, ".git/hooks/post-rewrite"), 0o755))
	r.Git("rebase", "-q", "main")
	files, err := os.ReadDir(kept)
	if err != nil || len(files) < 8 {
		t.Fatalf("the rebase had %v, %v", files, err)
	}
	dir := filepath.Join(r.Dir, ".git", "rebase-merge")
	chance := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		gittest.NoError(t, "remove", os.RemoveAll(dir))
		r.Try("cp", "-a", kept, dir)
		chance.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
		left := []string{}
		gone := 1 + chance.IntN(len(files))
		for i, f := range files {
			if i < gone {
				gittest.NoError(t, "remove", os.Remove(filepath.Join(dir, f.Name())))
			} else {
				left = append(left, f.Name())
			}
		}
		repo := repotest.Open(t, r.Dir, r.Env)
		found, err := In(t.Context(), repo)
		gittest.NoError(t, "look", err)
		has := func(name string) bool { return slices.Contains(left, name) }
		switch {
		case len(found) != 1:
			t.Errorf("%v: found %+v", left, found)
		case found[0].Stop == StopClearing && found[0].Ended == EndedDone:
		case found[0].Stop == StopMidway && has("done") && has("git-rebase-todo") && has("orig-head"): // right too: all files that git needs to finish the rebase exist
		case found[0].Stop == StopTorn && repo.Refs.InTables() && !has("orig-head"): // right too: with reftables we cannot see when HEAD moved, so the end of the rebase is not detected
		default:
			t.Errorf("%v: %s, %s", left, found[0].Stop, found[0].Ended)
		}
		repo.Close()
	}
}
