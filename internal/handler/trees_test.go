package handler_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// victim is a repository whose user has a worktree. An attacker tries to harm it with a forged journal.
type victim struct {
	*user
	root string
	// evil is a commit that the user never asked for.
	evil string
}

const evilRun = "evil-aaaa"

func newTarget(t testing.TB) *victim {
	t.Helper()
	u := &user{Repo: gittest.New(t).WithBinary(), id: evilRun}
	v := &victim{user: u, root: filepath.Dir(u.Dir)}
	v.addWorktree("feature")
	blob := strings.TrimSpace(u.Pipe("harm\n", "hash-object", "-w", "--stdin"))
	tree := strings.TrimSpace(u.Pipe("100644 blob "+blob+"\tevil.txt\n", "mktree"))
	v.evil = u.Git("commit-tree", tree, "-p", "HEAD", "-m", "evil")
	return v
}

// addWorktree creates a worktree of the user, with work in it.
func (v *victim) addWorktree(name string) {
	v.T.Helper()
	v.Git("worktree", "add", "-q", "-b", name, filepath.Join(v.root, name))
	v.In(filepath.Join(v.root, name)).Write("half", "done\n")
}

// forgeRun writes a forged journal for an interrupted run. The journal claims that the given worktree belongs to the run.
func (v *victim) forgeRun(run, branch, worktree, admin string) {
	v.T.Helper()
	head := v.Git("rev-parse", "main")
	if branch == "resume/"+run {
		v.Git("update-ref", "refs/heads/"+branch, v.evil)
	}
	tip := v.Git("rev-parse", "refs/heads/"+branch)
	v.Forge(run,
		fmt.Sprintf(`"event":"run.started","head":"%s","base_tip":"%s","name":"evil","base":{"name":"main","commit":"%s"},"branch":"refs/heads/%s"`, head, head, head, branch),
		fmt.Sprintf(`"event":"worktree.ready","worktree":%q,"admin":%q,"head":"%s"`, worktree, admin, tip),
		`"event":"task.added","task":"t","title":"x"`,
		fmt.Sprintf(`"event":"task.started","task":"t","head":"%s"`, tip),
		fmt.Sprintf(`"event":"task.failed","task":"t","cause":"interrupt","head":"%s"`, tip))
}

// belongings describes all that the user owns: the files around the repository, in its main worktree and in the user's other worktrees,
// and the user's branches and registered worktrees. It leaves out git's own files and the folder for the worktrees of runs.
func (v *victim) belongings() map[string]string {
	v.T.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(v.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(v.root, path)
		if d.IsDir() && (rel == "repo/.git" || rel == "repo.worktrees") {
			return fs.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		out[rel] = info.Mode().String()
		if data, err := os.ReadFile(path); err == nil {
			out[rel] += fmt.Sprintf(" %x", sha256.Sum256(data))
		}
		return nil
	})
	if err != nil {
		v.T.Fatal(err)
	}
	feature := v.In(filepath.Join(v.root, "feature"))
	for what, say := range map[string]string{ // one call to git answers several questions, because this runs hundreds of times
		"branches":         v.Git("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads/main", "refs/heads/feature", "refs/heads/login-page"),
		"feature":          feature.Git("status", "--porcelain=v2", "--branch"), // also shows the object ids of staged content
		"trees with HEADs": v.registrations(),
	} {
		out["git: "+what] = say
	}
	return out
}

// registrations returns the registrations of the user's worktrees, including their locks.
func (v *victim) registrations() string {
	var out []string
	for part := range strings.SplitSeq(v.Git("worktree", "list", "--porcelain"), "\n\n") {
		if !strings.Contains(part, "repo.worktrees") {
			out = append(out, part)
		}
	}
	names, _ := filepath.Glob(filepath.Join(v.Dir, ".git", "worktrees", "[fl]*", "*"))
	return strings.Join(append(out, names...), "\n")
}

func (v *victim) unharmed(what string, before map[string]string) {
	v.T.Helper()
	after := v.belongings()
	for _, path := range slices.Sorted(maps.Keys(after)) {
		if _, was := before[path]; !was {
			v.T.Errorf("%s: %q was not there", what, path)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(before)) {
		if after[path] != before[path] {
			v.T.Errorf("%s: %q was %q, is %q", what, path, before[path], after[path])
		}
	}
}

// commands returns commands for a run, as a user might type them without looking at the run first.
func commands(run string) [][]string {
	return [][]string{
		{"status"}, {"status", run, "--check"}, {run, "--auto"}, {"--auto"}, {run, "--yes"}, {run, "--yes", "--takeover"}, {run, "--yes", "--retry"},
		{"task", "start", "t", "--run", run, "--takeover"}, {"task", "done", "t", "--run", run}, {"task", "done", "t"}, {"checkpoint", "--run", run, "--commit"},
		{"finish", run}, {"--discard", run, "-y"}, {"--discard", run, "-y", "--force"}, {"undo", run}, {"undo", run, "--yes"}, {"--discard", "--merged", "-y"},
	}
}

func TestJournal_choosesNoPlace(t *testing.T) {
	t.Parallel()
	places := map[string]func(*victim) string{
		"a free path":       func(v *victim) string { return filepath.Join(v.root, "home", ".vim", "pack", "x") },
		"a free path above": func(*victim) string { return "../../planted" },
		"a free path below": func(v *victim) string { return filepath.Join(v.Dir, "planted") },
		"a hook":            func(v *victim) string { return filepath.Join(v.Dir, ".git", "hooks", "x") },
		"home":              func(v *victim) string { return filepath.Join(v.root, "home") },
		"an empty folder":   func(v *victim) string { return v.folder("empty") },
		"a folder with files": func(v *victim) string {
			v.In(v.root).Write("full/file", "theirs\n")
			return filepath.Join(v.root, "full")
		},
		"the main worktree":      func(v *victim) string { return v.Dir },
		"the owner's worktree":   func(v *victim) string { return filepath.Join(v.root, "feature") },
		"a name with line break": func(v *victim) string { return filepath.Join(v.root, "two\nlines") },
	}
	for _, name := range slices.Sorted(maps.Keys(places)) {
		place := places[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, admin := range []string{evilRun, "feature", "main"} {
				if admin != evilRun && !gittest.Proving() {
					continue
				}
				v := newTarget(t)
				v.forgeRun(evilRun, "resume/"+evilRun, place(v), admin)
				before := v.belongings()
				for _, args := range commands(evilRun) {
					v.Resume(args...)
					v.unharmed(fmt.Sprintf("admin %s: %q", admin, args), before)
				}
				v.Fsck()
			}
		})
	}
}

func (v *victim) folder(name string) string {
	v.T.Helper()
	path := filepath.Join(v.root, name)
	if err := os.Mkdir(path, 0o755); err != nil {
		v.T.Fatal(err)
	}
	return path
}

func TestJournal_takesNoWorktree(t *testing.T) {
	t.Parallel()
	for i, c := range []struct{ branch, admin string }{
		{"feature", "feature"}, {"resume/" + evilRun, "feature"}, {"main", "main"}, {"resume/" + evilRun, "main"}, {"main", "feature"}, {"feature", "main"}, {"feature", evilRun},
	} {
		t.Run(filepath.Base(c.branch)+" in "+c.admin, func(t *testing.T) {
			t.Parallel()
			v := newTarget(t)
			v.forgeRun(evilRun, c.branch, filepath.Join(v.root, "feature"), c.admin)
			for j, where := range []string{v.Dir, filepath.Join(v.root, "feature")} {
				if !gittest.Proving() && (i+j)%2 == 1 {
					continue // everyday tests try each case in only one of the two worktrees
				}
				before, at := v.belongings(), v.In(where)
				for _, args := range commands(evilRun) {
					at.Resume(args...)
					v.unharmed(fmt.Sprintf("in %s: %q", filepath.Base(where), args), before)
				}
			}
			v.Fsck()
		})
	}
}

func TestJournal_takesNoWorktreeOfItsName(t *testing.T) {
	t.Parallel()
	for _, branch := range []string{"login-page", "resume/login-page"} {
		for _, there := range []bool{true, false} {
			v := newTarget(t)
			v.addWorktree("login-page")
			v.Git("config", "resume.worktreeDir", "..")
			v.forgeRun("login-page", branch, filepath.Join(v.root, "login-page"), "login-page")
			if !there {
				if err := os.RemoveAll(filepath.Join(v.root, "login-page")); err != nil {
					t.Fatal(err)
				}
			}
			before := v.belongings()
			for _, args := range commands("login-page") {
				v.Resume(args...)
				v.unharmed(fmt.Sprintf("branch %s, there %v: %q", branch, there, args), before)
			}
		}
	}
}

func TestJournal_ownRunStaysInItsTree(t *testing.T) {
	t.Parallel()
	for _, admin := range []string{"feature", "main", "other"} {
		t.Run(admin, func(t *testing.T) {
			t.Parallel()
			v := newTarget(t)
			v.MustResume("start", "--name", "other", "--task", "a")
			other := v.openRun("other")
			v.MustResume("start", "--name", "work", "--task", "a", "--task", "b")
			run := v.openRun("work")
			tree := v.In(filepath.Join(v.root, "repo.worktrees", run))
			tree.MustResume("task", "start", "a")
			name := admin
			if admin == "other" {
				name = other
			}
			before := v.belongings()
			v.ForgeAfter(50, run, fmt.Sprintf(`"event":"worktree.ready","worktree":%q,"admin":%q`, filepath.Join(v.root, "feature"), name))
			if out := v.MustResume("status", run); !strings.Contains(out, "repo.worktrees/"+run) || strings.Contains(out, "not there") {
				t.Errorf("the run is elsewhere:\n%s", out)
			}
			for _, elsewhere := range []string{v.Dir, filepath.Join(v.root, "feature"), filepath.Join(v.root, "repo.worktrees", other)} {
				if out, code := v.In(elsewhere).Resume("task", "done", "a", "--run", run); code != 1 || !strings.Contains(out, "cd "+tree.Dir) {
					t.Errorf("a report from %s: %d\n%s", elsewhere, code, out)
				}
			}
			tree.Write("one", "one\n")
			tree.MustResume("task", "done", "a", "one")
			if got := v.Git("log", "-1", "--format=%s", "--name-only", "resume/"+run); !strings.Contains(got, "one") {
				t.Errorf("on its branch is %q", got)
			}
			v.unharmed("a report", before)
			v.MustResume("--discard", run, "-y", "--force")
			v.unharmed("a discard", before)
			if exists(tree.Dir) || !exists(filepath.Join(v.root, "repo.worktrees", other, "README")) {
				t.Error("another worktree than the run's was dropped")
			}
		})
	}
}

// openRun returns the id of the open run with the given name.
func (v *victim) openRun(name string) string {
	v.T.Helper()
	for _, s := range v.status() {
		if s.Name == name {
			return s.Run
		}
	}
	v.T.Fatalf("no run %s", name)
	return ""
}
