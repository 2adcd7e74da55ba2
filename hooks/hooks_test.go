package hooks_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/gitstate/repotest"
	"github.com/git-resume/git-resume/hooks"
	"github.com/git-resume/git-resume/internal/gittest"
)

func TestMain(m *testing.M) { gittest.Main(m) }

func install(t *testing.T, r *gittest.Repo) hooks.State {
	t.Helper()
	s, err := hooks.Install(context.Background(), repotest.Open(t, r.Dir, r.Env), hooks.Request{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// installFile installs the hook as a file. If git supports hooks in its settings, Install would write a setting instead. So installFile
// then first writes an old hook file of git-resume, which Install only updates.
func installFile(t *testing.T, r *gittest.Repo) hooks.State {
	t.Helper()
	if settingsHaveHooks() {
		writeHook(t, filepath.Join(r.Dir, ".git/hooks/post-checkout"), "#!/bin/sh\n# git-resume-stub 0\n", 0o755)
	}
	s := install(t, r)
	if s.Way != hooks.ByFile {
		t.Fatalf("the hook is not a file: %+v", s)
	}
	return s
}

// settingsHaveHooks reports whether the git of these tests supports hooks in its settings. If so, Install writes a setting instead of a
// file.
func settingsHaveHooks() bool { return gittest.Git{}.AtLeast(2, 54) }

func uninstall(t *testing.T, r *gittest.Repo) {
	t.Helper()
	if _, err := hooks.Uninstall(context.Background(), repotest.Open(t, r.Dir, r.Env), hooks.Request{}); err != nil {
		t.Fatal(err)
	}
}

// theirs is another tool's hook. It prints its arguments, reads its input, and exits with code 3.
const theirs = "#!/bin/sh\necho \"theirs: $*\" >&2\ncat >/dev/null\nexit 3\n"

func writeHook(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := gittest.WriteProgram(path, []byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

// listing returns the name, the mode and the text of every entry of a folder. It does not look into subfolders.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		text, _ := os.ReadFile(filepath.Join(dir, e.Name()))
		b.WriteString(e.Name() + " " + info.Mode().String() + "\n" + string(text) + "\n")
	}
	return b.String()
}

func TestInstall_isUndoneToTheByte(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]func(*gittest.Repo){
		"free":  func(*gittest.Repo) {},
		"taken": func(r *gittest.Repo) { writeHook(t, filepath.Join(r.Dir, ".git/hooks/post-checkout"), theirs, 0o751) },
	} {
		t.Run(name, func(t *testing.T) {
			r := gittest.New(t)
			before(r)
			all := func() string { return listing(t, filepath.Join(r.Dir, ".git/hooks")) + r.Read(".git/config") }
			want := all()
			if s := install(t, r); !s.Installed() || !s.Alive || !s.Current || s.Chained != (name == "taken" && s.Way == hooks.ByFile) {
				t.Fatalf("after the install: %+v", s)
			}
			once := all()
			install(t, r)
			if all() != once {
				t.Error("a second install changed something")
			}
			uninstall(t, r)
			if got := all(); got != want {
				t.Errorf("after the uninstall:\n%s\nwanted:\n%s", got, want)
			}
		})
	}
}

func TestInstall_keepsTheOtherHooksWordAndCode(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	writeHook(t, filepath.Join(r.Dir, ".git/hooks/post-checkout"), theirs, 0o755)
	before, code := r.Try("git", "checkout", "-b", "one")
	install(t, r)
	after, got := r.Try("git", "checkout", "-b", "two")
	if code != got {
		t.Errorf("exit code %d, before %d", got, code)
	}
	if want := strings.ReplaceAll(before, "one", "two"); after != want {
		t.Errorf("git said %q, before %q", after, want)
	}
}

// Install makes git run our hook once, to see whether our hook works. If another tool's hook for the same event is installed too, that hook
// must not run in this trial.
func TestLook_runsNoOtherHook(t *testing.T) {
	if settingsHaveHooks() {
		t.Skip("this git has hooks in its settings, and runs all hooks together")
	}
	r := gittest.New(t)
	writeHook(t, filepath.Join(r.Dir, ".git/hooks/post-checkout"), "#!/bin/sh\n: >.git/ran\n", 0o755)
	if s := install(t, r); !s.Alive {
		t.Fatalf("%+v", s)
	}
	ran := filepath.Join(r.Dir, ".git/ran")
	if _, err := os.Stat(ran); err == nil {
		t.Error("the probe ran the other tool's hook")
	}
	r.Git("checkout", "-q", "-b", "other")
	if _, err := os.Stat(ran); err != nil {
		t.Error("a checkout did not run the other tool's hook:", err)
	}
}

func TestInstall_followsHooksPathAndLinkedWorktrees(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Git("config", "core.hooksPath", "../my hooks")
	if s := install(t, r); s.Dir != filepath.Join(filepath.Dir(r.Dir), "my hooks") || !s.Alive {
		t.Errorf("installed at %q, alive %v", s.Dir, s.Alive)
	}
	plain := gittest.New(t)
	plain.Git("worktree", "add", "-q", "../tree")
	if s := install(t, plain.In(filepath.Join(plain.Dir, "../tree"))); s.Dir != filepath.Join(plain.Dir, ".git/hooks") || !s.Alive {
		t.Errorf("in a linked worktree: %q, alive %v", s.Dir, s.Alive)
	}
}

func TestInstall_leavesManagedFoldersAlone(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	writeHook(t, filepath.Join(r.Dir, ".husky/_/post-checkout"), theirs, 0o755)
	r.Git("config", "core.hooksPath", ".husky/_")
	s, err := hooks.Install(context.Background(), repotest.Open(t, r.Dir, r.Env), hooks.Request{})
	var managed *hooks.ManagedError
	if settingsHaveHooks() {
		if err != nil || s.Way != hooks.BySetting || !s.Alive || s.Manager != "husky" {
			t.Fatalf("got %+v, %v", s, err)
		}
	} else if !errors.As(err, &managed) || managed.Manager != "husky" || len(managed.Lines) == 0 {
		t.Fatalf("got %v", err)
	}
	if text := r.Read(".husky/_/post-checkout"); text != theirs {
		t.Error("the other tool's hook was changed")
	}
}

func TestLook_doesNotCallADeadHookAlive(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	s := installFile(t, r)
	if err := os.Chmod(s.Path, 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := hooks.Inspect(context.Background(), repotest.Open(t, r.Dir, r.Env))
	if err != nil {
		t.Fatal(err)
	}
	if !s.Installed() || s.Alive {
		t.Errorf("a hook that git does not run: %+v", s)
	}
}

// interrupted makes a repository with a run on the current branch, and installs the hook. The run's worker is dead.
func interrupted(t *testing.T) *gittest.Repo {
	t.Helper()
	r := gittest.New(t).WithBinary()
	r.Git("branch", "other")
	r.Write("../work.sh", "git resume start --here --name job --task a --task b\ngit resume task start a\nkill -9 $$\n")
	r.Try("sh", filepath.Join(r.Dir, "../work.sh"))
	install(t, r)
	return r
}

func TestStub_flagsWhatLiesHere(t *testing.T) {
	t.Parallel()
	r := interrupted(t)
	out, code := r.Try("git", "checkout", "-q", "-B", "third")
	if code != 0 || !strings.Contains(out, "resume: job stopped at task 1 of 2") || strings.Count(out, "\n") != 1 {
		t.Errorf("exit code %d, said %q", code, out)
	}
	for name, args := range map[string][]string{
		"a file":        {"checkout", "-q", "--", "README"},
		"switched off":  {"-c", "resume.notice=false", "checkout", "-q", "main"},
		"all of a sort": {"restore", "README"},
	} {
		if out, code := r.Try("git", args...); code != 0 || out != "" {
			t.Errorf("%s: exit code %d, said %q", name, code, out)
		}
	}
	quiet := &gittest.Repo{T: t, Dir: r.Dir, Env: append([]string{"GIT_RESUME=0"}, r.Env...)}
	if out, _ := quiet.Try("git", "checkout", "-q", "main"); out != "" {
		t.Errorf("GIT_RESUME=0: said %q", out)
	}
}

// If git-resume is missing, broken or hangs, the installed hook must change neither git's output nor the result of a git command.
func TestStub_neverChangesGitsOwnResult(t *testing.T) {
	t.Parallel()
	want := everyday(t, "without the hook", nil)
	for name, program := range map[string]string{
		"missing": "", "failing": "#!/bin/sh\nexit 1\n", "killed": "#!/bin/sh\nkill -9 $$\n", "hanging": "#!/bin/sh\nexec sleep 60\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begun := time.Now()
			got := everyday(t, name, &program)
			for i := range want {
				if got[i] != want[i] {
					t.Errorf("without the hook:\n%s\nwith it:\n%s", want[i], got[i])
				}
			}
			// The hook starts the program at several checkouts. If the program hangs, each of these checkouts takes about a second longer.
			if took := time.Since(begun); took > 60*time.Second {
				t.Errorf("it took %s", took)
			}
		})
	}
}

// everyday runs common git commands, and returns the output and the result of each. If program is not nil, our hook is installed and calls
// that program. The repository has files of another system: without them, the hook would not start the program.
func everyday(t *testing.T, name string, program *string) []string {
	t.Helper()
	r := gittest.New(t)
	r.Write(".planning/STATE.md", "# state\n")
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "plans")
	for _, b := range []string{"other", "topic"} {
		r.Git("checkout", "-q", "-b", b, "main")
		r.Write(b, b+"\n")
		r.Git("add", "-A")
		r.Git("commit", "-q", "-m", b)
	}
	r.Git("checkout", "-q", "main")
	r.Git("clone", "-q", "--bare", ".", "../part.git")
	if program != nil {
		installBroken(t, r, *program)
	}
	var said []string
	for _, line := range []string{
		"git checkout other", "git switch -q main", "git checkout -q --detach", "git checkout -q nowhere", "git checkout -q main",
		"git worktree add ../tree", "git -C ../tree checkout -q topic",
		"git rebase -q other main", "git checkout -q -b clash HEAD~2 && echo x >other && git add -A && git commit -qm clash && git rebase other", "git rebase --abort",
		"git bisect start -q main HEAD~1 && git bisect run true", "git bisect reset",
		"git -c protocol.file.allow=always submodule --quiet add ../part.git part && git commit -qm part",
		"git clone -q ../repo ../copy", "git -C ../copy -c protocol.file.allow=always submodule update -q --init",
	} {
		out, code := r.Try("sh", "-c", line)
		state, _ := r.Try("sh", "-c", "git status -b --porcelain; git rev-parse HEAD; git for-each-ref refs/heads; git -C ../copy status -b --porcelain; git -C ../copy submodule status")
		said = append(said, strings.ReplaceAll(fmt.Sprintf("$ %s\n%s(exit code %d)\n%s", line, out, code, state), r.Root(), "ROOT"))
	}
	if last := said[len(said)-1]; !strings.Contains(last, "(exit code 0)") {
		t.Fatalf("%s: the last command failed:\n%s", name, last)
	}
	return said
}

// installBroken installs the hook, here and in the template for new repositories. The hook calls the given program instead of git-resume.
// If the program is empty, git-resume is missing.
func installBroken(t *testing.T, r *gittest.Repo, program string) {
	t.Helper()
	installFile(t, r)
	stub := r.Read(".git/hooks/post-checkout")
	template := filepath.Join(r.Root(), "template")
	writeHook(t, filepath.Join(template, "hooks/post-checkout"), stub, 0o755)
	bin := t.TempDir()
	if program != "" {
		writeHook(t, filepath.Join(bin, "git-resume"), program, 0o755)
	}
	for i, v := range r.Env {
		if list, ok := strings.CutPrefix(v, "PATH="); ok {
			r.Env[i] = "PATH=" + bin + string(os.PathListSeparator) + list
		}
	}
	r.Env = append(r.Env, "GIT_TEMPLATE_DIR="+template)
}

func TestStub_startsNothingWhenNothingIsOpen(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	installStartReporter(t, r)
	install(t, r)
	if out, code := r.Try("git", "checkout", "-q", "-b", "x"); code != 0 || out != "" {
		t.Errorf("exit code %d, said %q", code, out)
	}
}

// installStartReporter replaces git-resume with a program that only prints that it was started.
func installStartReporter(t *testing.T, r *gittest.Repo) {
	t.Helper()
	bin := t.TempDir()
	writeHook(t, filepath.Join(bin, "git-resume"), "#!/bin/sh\necho started >&2\n", 0o755)
	for i, v := range r.Env {
		if list, ok := strings.CutPrefix(v, "PATH="); ok {
			r.Env[i] = "PATH=" + bin + string(os.PathListSeparator) + list
		}
	}
}

// If a run works in another worktree, the stub (our hook script) must not start git-resume on a branch that has nothing to do with the run.
func TestStub_startsNothingForRunsElsewhere(t *testing.T) {
	t.Parallel()
	const started = "started\n"
	r := gittest.New(t).WithBinary()
	// Install the hook before the run starts. Otherwise the file "quiet" would be older than the hook's setting, and the hook would start
	// the program once.
	install(t, r)
	r.MustResume("start", "--name", "job", "--task", "a")
	run := strings.TrimSpace(r.Git("for-each-ref", "--format=%(refname:short)", "refs/heads/resume/"))
	tree := filepath.Join(r.Root(), "repo.worktrees", strings.TrimPrefix(run, "resume/"))
	apart := filepath.Join(r.Dir, ".git/resume/apart", strings.TrimPrefix(run, "resume/"))
	r.Git("branch", "topic")
	r.Git("branch", "other")
	r.Git("branch", "tö&pic")
	installStartReporter(t, r)
	said := func(args ...string) string {
		t.Helper()
		out, code := r.Try("git", args...)
		if code != 0 {
			t.Fatalf("git %q: exit code %d, %s", args, code, out)
		}
		return out
	}
	for _, c := range []struct {
		name, want string
		git        []string
	}{
		{"another branch", "", []string{"checkout", "-q", "topic"}},
		{"another branch, with some setting", "", []string{"-c", "core.abbrev=7", "checkout", "-q", "topic"}},
		{"no branch", "", []string{"checkout", "-q", "--detach"}},
		{"a name with unusual characters", started, []string{"checkout", "-q", "tö&pic"}},
		{"all are wanted", started, []string{"-c", "resume.notice=all", "checkout", "-q", "topic"}},
		{"the run's own branch", started, []string{"checkout", "-q", "--ignore-other-worktrees", run}},
		{"the run's base", started, []string{"checkout", "-q", "main"}},
		{"another branch in the run's worktree", started, []string{"-C", tree, "checkout", "-q", "--detach"}},
		{"back", "", []string{"checkout", "-q", "topic"}},
		{"another branch in a worktree of nobody's", "", []string{"worktree", "add", "-q", "-b", "third", "../third", "topic"}},
		{"the run's base in that worktree", started, []string{"-C", "../third", "checkout", "-q", "main"}},
	} {
		if got := said(c.git...); got != c.want {
			t.Errorf("%s: said %q, want %q", c.name, got, c.want)
		}
	}
	r.Git("worktree", "remove", "-f", "../third")
	for name, damage := range map[string]func(){
		"no folder": func() { gittest.NoError(t, "remove", os.RemoveAll(apart)) },
		"a file": func() {
			gittest.NoError(t, "remove", os.RemoveAll(apart))
			r.Write(".git/resume/apart/"+filepath.Base(apart), "")
		},
		"settings that are as new": func() {
			info, err := os.Stat(filepath.Join(r.Dir, ".git/resume/quiet"))
			gittest.NoError(t, "stat", err)
			gittest.NoError(t, "touch", os.Chtimes(filepath.Join(r.Dir, ".git/config"), info.ModTime(), info.ModTime()))
		},
		"no word about the settings": func() { gittest.NoError(t, "remove", os.Remove(filepath.Join(r.Dir, ".git/resume/quiet"))) },
	} {
		gittest.NoError(t, "keep", os.CopyFS(filepath.Join(r.Root(), "kept"), os.DirFS(filepath.Join(r.Dir, ".git"))))
		damage()
		if got := said("checkout", "-q", "other"); got != started {
			t.Errorf("%s: said %q", name, got)
		}
		gittest.NoError(t, "restore", errors.Join(os.RemoveAll(filepath.Join(r.Dir, ".git/resume")), os.Rename(filepath.Join(r.Root(), "kept/resume"), filepath.Join(r.Dir, ".git/resume")), os.RemoveAll(filepath.Join(r.Root(), "kept"))))
		if got := said("checkout", "-q", "topic"); got != "" {
			t.Errorf("after %s: said %q", name, got)
		}
	}
	// git also accepts a HEAD file without a newline at the end. The stub must start git-resume for such a file.
	r.Git("checkout", "-q", "--ignore-other-worktrees", run)
	r.Write(".git/HEAD", "ref: refs/heads/"+run)
	hook := []string{".git/hooks/post-checkout"}
	if settingsHaveHooks() {
		hook = []string{"git", "hook", "run", "post-checkout", "--"}
	}
	if out, code := r.Try(hook[0], append(hook[1:], "a", "b", "1")...); code != 0 || out != started {
		t.Errorf("HEAD without a line feed: exit code %d, said %q", code, out)
	}
	r.Git("checkout", "-q", "other")
	r.Write(".planning/STATE.md", "# state\n")
	if got := said("checkout", "-q", "topic"); got != started {
		t.Errorf("beside another system's files: said %q", got)
	}
}

// If a run works in the worktree where it was started, the stub (our hook script) starts git-resume there even if another branch is checked
// out.
func TestStub_startsForARunThatWorksHere(t *testing.T) {
	t.Parallel()
	r := gittest.New(t).WithBinary()
	r.MustResume("start", "--here", "--name", "job", "--task", "a")
	install(t, r)
	installStartReporter(t, r)
	if out, code := r.Try("git", "checkout", "-q", "-b", "topic"); code != 0 || out != "started\n" {
		t.Errorf("exit code %d, said %q", code, out)
	}
}

// withHookSettings makes a repository for a git that supports hooks in its settings. If no such git is installed, the test is skipped.
func withHookSettings(t *testing.T) *gittest.Repo {
	t.Helper()
	g, ok := gittest.Newer()
	if !ok {
		t.Skip("no newer git is at hand")
	}
	r := g.Fresh(t, "repo")
	if !repotest.Open(t, r.Dir, r.Env).AtLeast(context.Background(), "2.54") {
		t.Skip("the newer git has no hooks in its settings")
	}
	return r.WithBinary()
}

func TestInstall_bySettingWhereGitHasThat(t *testing.T) {
	t.Parallel()
	r := withHookSettings(t)
	writeHook(t, filepath.Join(r.Dir, ".git/hooks/post-checkout"), theirs, 0o755)
	before := r.Read(".git/config")
	_, code := r.Try("git", "checkout", "-q", "-b", "zero")
	s := install(t, r)
	if s.Way != hooks.BySetting || !s.Alive || !s.Current || s.Global {
		t.Fatalf("after the install: %+v", s)
	}
	once := r.Read(".git/config")
	if install(t, r); r.Read(".git/config") != once {
		t.Error("a second install changed something")
	}
	if strings.Index(once, "command") > strings.Index(once, "event") {
		t.Errorf("the event comes before the command:\n%s", once)
	}
	r.Write("../work.sh", "git resume start --here --name job --task a\ngit resume task start a\nkill -9 $$\n")
	r.Try("sh", filepath.Join(r.Dir, "../work.sh"))
	out, got := r.Try("git", "checkout", "-q", "-B", "third")
	if got != code || !strings.Contains(out, "resume: job stopped") || !strings.Contains(out, "theirs:") {
		t.Errorf("exit code %d (before %d), said %q", got, code, out)
	}
	uninstall(t, r)
	if r.Read(".git/config") != before {
		t.Errorf("after the uninstall:\n%s\nwanted:\n%s", r.Read(".git/config"), before)
	}
}

// A current global hook setting is enough for every repository. If it is from an older version, Install adds a setting to the repository.
func TestInstall_besideTheSettingForAllRepositories(t *testing.T) {
	t.Parallel()
	r := withHookSettings(t)
	r = r.With("GIT_CONFIG_GLOBAL=" + filepath.Join(r.Root(), "global"))
	before := r.Read(".git/config")
	if out, code := r.Resume("hooks", "install", "--global"); code != 0 {
		t.Fatal(out)
	}
	if s := install(t, r); s.Way != hooks.BySetting || !s.Alive || !s.Current || !s.Global || r.Read(".git/config") != before {
		t.Errorf("after the install for all: %+v\n%s", s, r.Read(".git/config"))
	}
	r.Git("config", "--global", "hook.git-resume.command", "git-resume-flag of an older version; true")
	if s := install(t, r); s.Way != hooks.BySetting || !s.Current || s.Global {
		t.Errorf("beside an older form: %+v", s)
	}
}

func TestInstall_intoAManagersFileOnlyWhenAsked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ sign, file, text string }{
		"husky":                  {"", ".husky/post-checkout", "#!/bin/sh\nnpx lint\n"},
		"husky, no end of line":  {"", ".husky/post-checkout", "#!/bin/sh\nnpx lint"},
		"husky, ends early":      {"", ".husky/post-checkout", "exit 0\n"},
		"husky, no file":         {"", ".husky/post-checkout", ""},
		"lefthook":               {"lefthook.yml", "lefthook-local.yml", ""},
		"lefthook with settings": {"lefthook.yml", "lefthook-local.yml", "pre-commit:\n  parallel: true\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := gittest.New(t)
			if c.sign == "" {
				r.Git("config", "core.hooksPath", ".husky/_")
				writeHook(t, filepath.Join(r.Dir, ".husky/_/h"), "", 0o755)
			} else {
				r.Write(c.sign, "pre-push: {}\n")
			}
			if c.text != "" {
				writeHook(t, filepath.Join(r.Dir, c.file), c.text, 0o751)
			}
			s, err := hooks.Install(context.Background(), repotest.Open(t, r.Dir, r.Env), hooks.Request{Add: true})
			if err != nil || s.Way != hooks.ByManager {
				t.Fatalf("%v, %+v", err, s)
			}
			if text := r.Read(c.file); !strings.Contains(text, "git-resume hook post-checkout") {
				t.Errorf("the file is now:\n%s", text)
			}
			once := r.Read(c.file)
			if _, err := hooks.Install(context.Background(), repotest.Open(t, r.Dir, r.Env), hooks.Request{Add: true}); err != nil || r.Read(c.file) != once {
				t.Errorf("a second install: %v", err)
			}
			uninstall(t, r)
			info, err := os.Stat(filepath.Join(r.Dir, c.file))
			if c.text == "" {
				if err == nil {
					t.Error("a file of ours stayed")
				}
				return
			}
			if r.Read(c.file) != c.text || info.Mode().Perm() != 0o751 {
				t.Errorf("after the uninstall: %q, %v", r.Read(c.file), info.Mode())
			}
		})
	}
}

func TestInstall_doesNotBreakAManagersSettings(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Write("lefthook.yml", "pre-push: {}\n")
	r.Write("lefthook-local.yml", "post-checkout:\n  commands: {}\n")
	_, err := hooks.Install(context.Background(), repotest.Open(t, r.Dir, r.Env), hooks.Request{Add: true})
	var managed *hooks.ManagedError
	if !errors.As(err, &managed) || !managed.ByHand || r.Read("lefthook-local.yml") != "post-checkout:\n  commands: {}\n" {
		t.Errorf("got %v", err)
	}
}

func TestInstall_globalNeedsAGitThatHasIt(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	if repotest.Open(t, r.Dir, r.Env).AtLeast(context.Background(), "2.54") {
		t.Skip("this git has hooks in its settings")
	}
	_, err := hooks.Install(context.Background(), repotest.Open(t, r.Dir, r.Env), hooks.Request{Global: true})
	var no *hooks.NoGlobalError
	if !errors.As(err, &no) || no.Have == "" {
		t.Fatalf("got %v", err)
	}
	// The user made this folder for all repositories, so Install may use it.
	all := filepath.Join(t.TempDir(), "all hooks")
	r.Git("config", "--global", "core.hooksPath", all)
	s, err := hooks.Install(context.Background(), repotest.Open(t, r.Dir, r.Env), hooks.Request{Global: true})
	if err != nil || s.Dir != all || !s.Alive {
		t.Fatalf("%v, %+v", err, s)
	}
	if _, err := hooks.Uninstall(context.Background(), repotest.Open(t, r.Dir, r.Env), hooks.Request{Global: true}); err != nil || listing(t, all) != "" {
		t.Errorf("after the uninstall: %v, %q", err, listing(t, all))
	}
}

// With --global, Uninstall must not remove a hook that only this repository has.
func TestUninstall_globalLeavesTheRepositorysOwnHook(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	path := installFile(t, r).Path
	_, err := hooks.Uninstall(context.Background(), repotest.Open(t, r.Dir, r.Env), hooks.Request{Global: true})
	var other *hooks.OtherScopeError
	if _, missing := os.Stat(path); !errors.As(err, &other) || other.Global || missing != nil {
		t.Errorf("got %v, %v", err, missing)
	}
	r.Write("lefthook.yml", "pre-push: {}\n")
	uninstall(t, r)
	if _, err := hooks.Install(context.Background(), repotest.Open(t, r.Dir, r.Env), hooks.Request{Add: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := hooks.Uninstall(context.Background(), repotest.Open(t, r.Dir, r.Env), hooks.Request{Global: true}); !errors.As(err, &other) || !strings.Contains(r.Read("lefthook-local.yml"), "git-resume") {
		t.Errorf("in the file of a hook manager: %v", err)
	}
}

func TestStub_isSilentInTheMiddleOfARebase(t *testing.T) {
	t.Parallel()
	r := interrupted(t)
	r.Git("checkout", "-q", "other")
	r.Git("commit", "-q", "--allow-empty", "-m", "x")
	if out, code := r.Try("git", "-c", "resume.notice=all", "rebase", "-q", "main"); code != 0 || out != "" {
		t.Errorf("exit code %d, said %q", code, out)
	}
	r.Git("bisect", "start")
	if out, code := r.Try("git", "-c", "resume.notice=all", "checkout", "-q", "main"); code != 0 || out != "" {
		t.Errorf("in a bisect: exit code %d, said %q", code, out)
	}
}

// With --manager, the hook is added to the hook manager's file, even if git supports hooks in its settings.
func TestInstall_intoAManagersFileWithANewerGit(t *testing.T) {
	t.Parallel()
	r := withHookSettings(t)
	before := r.Read(".git/config")
	r.Write("lefthook.yml", "pre-push: {}\n")
	s, err := hooks.Install(context.Background(), repotest.Open(t, r.Dir, r.Env), hooks.Request{Add: true})
	if err != nil || s.Way != hooks.ByManager || s.Manager != "lefthook" || r.Read(".git/config") != before {
		t.Fatalf("%v, %+v\n%s", err, s, r.Read(".git/config"))
	}
	if text := r.Read("lefthook-local.yml"); !strings.Contains(text, "git-resume hook post-checkout") {
		t.Errorf("the file is now:\n%s", text)
	}
	if s = install(t, r); s.Way != hooks.ByManager || r.Read(".git/config") != before {
		t.Errorf("a second install, without --manager: %+v", s)
	}
	uninstall(t, r)
	if _, err := os.Stat(filepath.Join(r.Dir, "lefthook-local.yml")); err == nil {
		t.Error("our file stayed")
	}
	if s = install(t, r); s.Way != hooks.BySetting {
		t.Errorf("without --manager: %+v", s)
	}
}

// Install must refuse --manager, and write nothing, if there is no hook manager or if the hook is already installed in another way.
func TestInstall_refusesAManagerThatCannotServe(t *testing.T) {
	t.Parallel()
	add := func(r *gittest.Repo) error {
		_, err := hooks.Install(context.Background(), repotest.Open(t, r.Dir, r.Env), hooks.Request{Add: true})
		return err
	}
	t.Run("there is none", func(t *testing.T) {
		r := gittest.New(t)
		before := listing(t, filepath.Join(r.Dir, ".git/hooks"))
		var none *hooks.NoManagerError
		if err := add(r); !errors.As(err, &none) || listing(t, filepath.Join(r.Dir, ".git/hooks")) != before {
			t.Errorf("got %v", err)
		}
	})
	t.Run("the hook is a file already", func(t *testing.T) {
		r := gittest.New(t)
		installFile(t, r)
		r.Write("lefthook.yml", "pre-push: {}\n")
		var other *hooks.OtherWayError
		if err := add(r); !errors.As(err, &other) || other.Way != hooks.ByFile {
			t.Errorf("got %v", err)
		}
		if _, err := os.Stat(filepath.Join(r.Dir, "lefthook-local.yml")); err == nil {
			t.Error("the manager's file was written")
		}
	})
	t.Run("the hook is a setting already", func(t *testing.T) {
		r := withHookSettings(t)
		install(t, r)
		r.Write("lefthook.yml", "pre-push: {}\n")
		var other *hooks.OtherWayError
		if err := add(r); !errors.As(err, &other) || other.Way != hooks.BySetting {
			t.Errorf("got %v", err)
		}
	})
}
