package gitstate

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/internal/gittest"
)

func TestLocalVars_coverGits(t *testing.T) {
	t.Parallel()
	for name, own := range eachGit(t) {
		for _, v := range strings.Fields(own.Git("rev-parse", "--local-env-vars")) {
			if v == "GIT_CONFIG_PARAMETERS" || v == "GIT_CONFIG_COUNT" {
				continue // the user's "git -c name=value" reaches us through these variables, so they must stay set
			}
			if !slices.Contains(locate.LocalVars(), v) {
				t.Errorf("%s: %s names one repository and is passed on", name, v)
			}
		}
	}
}

// hookEnv makes a commit and returns the environment that its pre-commit hook got.
func hookEnv(t *testing.T, at *gittest.Repo, args ...string) []string {
	t.Helper()
	out := filepath.Join(at.Root(), "hook-env")
	hooks := ask(at, "rev-parse", "--path-format=absolute", "--git-path", "hooks")
	gittest.NoError(t, "mkdir", os.MkdirAll(hooks, 0o755))
	gittest.NoError(t, "hook", gittest.WriteProgram(filepath.Join(hooks, "pre-commit"), []byte("#!/bin/sh\nenv -0 >'"+out+"'\n")))
	at.Git(append([]string{"commit", "-q", "-m", "with a hook"}, args...)...)
	text, err := os.ReadFile(out)
	gittest.NoError(t, "read", err)
	return strings.Split(strings.TrimRight(string(text), "\x00"), "\x00")
}

// For its hooks, git sets variables that name one worktree and its index. These variables must not change the answers about another
// worktree.
func TestRepo_inAHook(t *testing.T) {
	t.Parallel()
	main := gittest.Git{}.Fresh(t, "repo")
	main.Git("worktree", "add", "-q", "-b", "linked", "../linked")
	linked := main.In(filepath.Join(main.Root(), "linked"))
	linked.Write("README", "in linked\n")
	linked.Write("half", "staged\n")
	linked.Git("add", "half")
	linked.Git("add", "-N", "README")
	env := hookEnv(t, linked, "README") // "git commit PATH" uses a temporary index
	if v, ok := locate.Environ(env).Get("GIT_INDEX_FILE"); !ok || !strings.Contains(v, "next-index") {
		t.Fatalf("GIT_INDEX_FILE in the hook: %q", v)
	}
	main.Write("untracked in main", "x")
	linked.Write("untracked in linked", "x")

	here, err := locate.Find(linked.Dir, env)
	gittest.NoError(t, "Locate", err)
	r := Open(here, env)
	defer r.Close()
	assertPlace(t, linked, r)
	assertHead(t, linked, r)
	there, err := locate.Find(main.Dir, nil)
	gittest.NoError(t, "Locate", err)
	other := r.At(there)
	defer other.Close()
	assertPlace(t, main, other)
	assertHead(t, main, other)
	for own, repo := range map[*gittest.Repo]*Repo{main: other, linked: r} {
		changes, err := repo.Status(t.Context())
		gittest.NoError(t, "Status", err)
		gittest.Equal(t, "status", render(changes), own.Pipe("", "--no-optional-locks", "status", "--porcelain=v2", "-z", "-uall", "--no-renames"))
	}
	data, err := other.Objects.Object(t.Context(), ":README")
	gittest.NoError(t, "Object", err)
	gittest.Equal(t, "the index of main", string(data.Data), "first\n")
}

func TestRepo_otherReposVariables(t *testing.T) {
	t.Parallel()
	wrong, own := gittest.New(t), gittest.Git{}.Fresh(t, "repo")
	git := filepath.Join(wrong.Dir, ".git")
	r := Open(openAt(t, own).Place, own.With("GIT_DIR="+git, "GIT_WORK_TREE="+wrong.Dir, "GIT_INDEX_FILE="+filepath.Join(git, "index"), "GIT_COMMON_DIR="+git,
		"GIT_OBJECT_DIRECTORY="+filepath.Join(git, "objects"), "GIT_PREFIX=dir/", "GIT_NAMESPACE=other", "GIT_CONFIG=/dev/null",
		"GIT_SHALLOW_FILE=/dev/null", "GIT_REPLACE_REF_BASE=refs/other", "GIT_LITERAL_PATHSPECS=1").Env)
	defer r.Close()
	assertPlace(t, own, r)
	assertHead(t, own, r)
	assertRefs(t, own, r)
	assertObjects(t, own, r)
	assertStatus(t, own, r)
	assertWrites(t, own, r, "plain")
	r.Shield()
	assertWrites(t, own, r, "staying")
}

func TestRepo_speaksPlainly(t *testing.T) {
	t.Parallel()
	own := gittest.New(t)
	r := openAt(t, own.With("LC_ALL=de_DE.UTF-8", "LANGUAGE=de", "GIT_TRACE=0"))
	for _, v := range []string{"LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0"} {
		if !slices.Contains(r.Command(process.Call{}).Env, v) {
			t.Errorf("a reading call lacks %s", v)
		}
	}
	if slices.Contains(r.Command(process.Call{Mode: process.Write}).Env, "GIT_OPTIONAL_LOCKS=0") {
		t.Error("a writing call may not refresh the index")
	}
	if v, _ := locate.Environ(r.Command(process.Call{Mode: process.User}).Env).Get("LC_ALL"); v != "de_DE.UTF-8" {
		t.Errorf("the user's language is lost: %q", v)
	}
	_, err := r.Git(t.Context(), process.Call{Args: []string{"rev-parse", "--verify", "none"}})
	gittest.Equal(t, "git's words", err.Error(), "git rev-parse: Needed a single revision")
}

// TestRepo_killedReader checks that reading the settings returns an error if git is killed. A second attempt must return the error too.
func TestRepo_killedReader(t *testing.T) {
	t.Parallel()
	own := gittest.New(t)
	bin := t.TempDir()
	gittest.NoError(t, "script", gittest.WriteProgram(filepath.Join(bin, "git"), []byte("#!/bin/sh\nkill -9 $$\n")))
	path, _ := locate.Environ(own.Env).Get("PATH")
	r := openAt(t, own.With("PATH="+bin+":"+path))
	for range 2 {
		if _, err := r.Settings.Config(t.Context()); err == nil || !strings.Contains(err.Error(), "killed") {
			t.Errorf("a killed reader: %v", err)
		}
	}
}
