//go:build unix

package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

const stranger = 23403

// writable makes a repository of the first user with a run in it. All users may write to the repository.
func writable(u *gittest.Users) *gittest.Repo {
	u.T.Helper()
	r := shared(u, "000", "")
	must(r, "000", "git-resume start --here --name job --task one && git worktree add -q ../linked && git init -q --bare ../bare.git")
	if out, err := exec.Command("chmod", "-R", "a+rwX", filepath.Dir(r.Dir)).CombinedOutput(); err != nil {
		u.T.Fatalf("%v\n%s", err, out)
	}
	return r
}

// digest lists every file below a folder, with its mode and its content.
func digest(t *testing.T, dir string) string {
	t.Helper()
	var out strings.Builder
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			t.Fatal(err)
		}
		info, err := d.Info()
		if err != nil {
			t.Fatal(err)
		}
		text := []byte{}
		if d.Type().IsRegular() {
			text, _ = os.ReadFile(path)
		}
		fmt.Fprintf(&out, "%s %v %q\n", path, info.Mode(), text)
		return nil
	})
	return out.String()
}

// allCommands contains commands that write and commands that read.
var allCommands = []string{
	"hooks install", "hooks install --manager", "hooks uninstall", "hooks status", "start --name x --task y", "start --here --name x --task y", "run --name x -- true",
	"task start one", "task done one", "checkpoint", "pause", "answer one 1", "finish", "discard -y job", "undo -y job", "merge job", "trust job", "doctor --fix", "--yes", "--auto", "-n",
	"status", "status --check", "status --json", "status --porcelain", "log", "review", "doctor", "conflicts HEAD HEAD",
}

func TestOwner_refusesWhatGitRefuses(t *testing.T) {
	t.Parallel()
	u := gittest.NewUsers(t)
	r := writable(u)
	top := filepath.Dir(r.Dir)
	before := digest(t, top)
	other := u.Be(stranger, r.Dir)
	reason, code := other.Try("git", "status")
	if code != 128 || !strings.Contains(reason, "dubious ownership") {
		t.Skipf("this git does not mind: %s", reason)
	}
	way := ""
	for _, args := range allCommands {
		out, code := other.Try("git-resume", strings.Fields(args)...)
		if code != 128 || !strings.Contains(out, "error: detected dubious ownership in repository at '"+r.Dir+"'") {
			t.Errorf("%s: exit code %d\n%s", args, code, out)
		}
		_, rest, _ := strings.Cut(out, "with '")
		if hint, _, ok := strings.Cut(rest, "'\n"); !ok || way != "" && hint != way {
			t.Errorf("%s: there is no way out\n%s", args, out)
		} else {
			way = hint
		}
		if now := digest(t, top); now != before {
			t.Fatalf("%s changed something", args)
		}
	}
	for _, args := range []string{"status --prompt", "hook post-checkout 0 0 1"} { // git and the shell call these commands, so they must print nothing
		if out, code := other.Try("git-resume", strings.Fields(args)...); code != 0 || out != "" {
			t.Errorf("%s: exit code %d\n%s", args, code, out)
		}
	}
	must(other, "000", way)
	if out := must(other, "000", "git-resume status"); !strings.Contains(out, "job") {
		t.Errorf("after '%s':\n%s", way, out)
	}
	must(other, "000", "git-resume hooks install")
	must(other, "000", "git-resume start --here --name mine --task x")
}

func TestOwner_asGit(t *testing.T) {
	t.Parallel()
	u := gittest.NewUsers(t)
	r := writable(u)
	top := filepath.Dir(r.Dir)
	linked, bare, work := filepath.Join(top, "linked"), filepath.Join(top, "bare.git"), filepath.Join(top, "elsewhere")
	give := func(id int, paths ...string) func() {
		return func() {
			for _, path := range paths {
				if err := os.Lchown(path, id, id); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	all := func() { // makes the first user the owner of all files
		if out, err := exec.Command("chown", "-R", fmt.Sprint(first), top).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	if err := os.Mkdir(work, 0o777); err != nil {
		t.Fatal(err)
	}
	git, admin := filepath.Join(r.Dir, ".git"), filepath.Join(r.Dir, ".git", "worktrees", "linked")
	root := u.Be(0, r.Dir)
	other := u.Be(stranger, r.Dir)
	for name, c := range map[string]struct {
		make func()
		who  *gittest.Repo
	}{
		"the owner":                          {func() {}, r},
		"a folder below":                     {func() {}, r.In(filepath.Join(r.Dir, ".git", "refs"))},
		"a stranger":                         {func() {}, other},
		"a stranger below":                   {func() {}, other.In(git)},
		"whose is the work tree":             {give(stranger, r.Dir), other},
		"whose is the git folder":            {give(stranger, git), other},
		"whose are both":                     {give(stranger, r.Dir, git), other},
		"whose are not both":                 {give(stranger, git), r},
		"a stranger's linked worktree":       {give(stranger, linked), other.In(linked)},
		"a linked worktree, and its file":    {give(stranger, linked, filepath.Join(linked, ".git")), other.In(linked)},
		"all of a linked worktree":           {give(stranger, linked, filepath.Join(linked, ".git"), admin), other.In(linked)},
		"only the file of a linked worktree": {give(stranger, filepath.Join(linked, ".git")), r.In(linked)},
		"a bare repository":                  {func() {}, other.In(bare)},
		"a bare repository of one's own":     {give(stranger, bare), other.In(bare)},
		"a bare one that is not named":       {give(stranger, bare), other.In(bare).With("GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.bareRepository", "GIT_CONFIG_VALUE_0=explicit")},
		"named by GIT_DIR":                   {func() {}, other.In(top).With("GIT_DIR="+git, "GIT_WORK_TREE="+r.Dir)},
		"a work tree elsewhere":              {func() { must(r, "000", "git config core.worktree "+work) }, other},
		"root":                               {func() {}, root},
		"root, for another":                  {func() {}, root.With("SUDO_UID=23403")},
		"root, for the owner":                {func() {}, root.With(fmt.Sprintf("SUDO_UID=%d", first))},
		"root, for nobody":                   {func() {}, root.With("SUDO_UID=x")},
		"not root, with the same":            {func() {}, other.With(fmt.Sprintf("SUDO_UID=%d", first))},
		"an exception":                       {func() {}, other.With("GIT_CONFIG_GLOBAL=" + exception(t, u, "*"))},
		"an exception of another":            {func() {}, other.With("GIT_CONFIG_GLOBAL=" + exception(t, u, "/elsewhere"))},
	} {
		t.Run(name, func(t *testing.T) {
			all()
			c.make()
			said, want := c.who.Try("git", "rev-parse", "--git-dir")
			out, code := c.who.Try("git-resume", "status")
			if (code == 128) != (want == 128) || code != 0 && code != 128 {
				t.Errorf("exit code %d, git's is %d\n%sgit: %s", code, want, out, said)
			}
			if _, err := os.Lstat(filepath.Join(git, "config.lock")); err == nil {
				t.Error("a lock is left")
			}
			_, _ = r.Try("git", "config", "--unset", "core.worktree")
		})
	}
}

// exception writes a settings file in which a user lists folders that git should trust, and returns its path.
func exception(t *testing.T, u *gittest.Users, value string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config")
	for dir := filepath.Dir(path); dir != filepath.Dir(dir) && dir != os.TempDir(); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, []byte("[safe]\n\tdirectory = "+value+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOwner_costsNoProcess(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	counting, calls := r.Counting()
	counting.MustResume("status")
	if all := calls(); len(all) != 0 {
		t.Errorf("git was called: %q", all)
	}
}
