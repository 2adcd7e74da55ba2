package gitstate_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/repotest"
	"github.com/git-resume/git-resume/internal/gittest"
)

func TestHooks_hasOnlyTheNamedOne(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		lines []string // each line is the key and the value of a setting
		file  string
		want  bool
	}{
		{"nothing", nil, "", false},
		{"a setting", []string{"hook.lint.command true", "hook.lint.event commit-msg"}, "", true},
		{"a setting of a name with dots and capitals", []string{"hook.My.Lint.command true", "hook.My.Lint.event commit-msg"}, "", true},
		{"a setting for several events", []string{"hook.lint.command true", "hook.lint.event pre-push", "hook.lint.event commit-msg"}, "", true},
		{"a setting for another event", []string{"hook.git-resume.command true", "hook.git-resume.event post-checkout"}, "", false},
		{"an event that was taken back", []string{"hook.lint.command true", "hook.lint.event commit-msg", "hook.lint.event "}, "", false},
		{"an event after all were taken back", []string{"hook.lint.command true", "hook.lint.event ", "hook.lint.event commit-msg"}, "", true},
		{"a setting that is switched off", []string{"hook.lint.command true", "hook.lint.event commit-msg", "hook.lint.enabled no"}, "", false},
		{"an event without a command", []string{"hook.lint.event commit-msg"}, "", false},
		{"how many may run at a time", []string{"hook.jobs 4"}, "", false},
		{"a file", nil, "commit-msg", true},
		{"a file of another name", nil, "pre-push", false},
		{"a file beside a setting for another event", []string{"hook.git-resume.command true", "hook.git-resume.event post-checkout"}, "commit-msg", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := gittest.New(t)
			for _, line := range test.lines {
				key, value, _ := strings.Cut(line, " ")
				r.Git("config", "--add", key, value)
			}
			if test.file != "" {
				hookFile(t, r, test.file, "#!/bin/sh\n", 0o755)
			}
			got, err := repotest.Open(t, r.Dir, r.Env).Hooks.Has(t.Context(), "commit-msg")
			if err != nil || got != test.want {
				t.Errorf("got %v, %v; want %v", got, err, test.want)
			}
		})
	}
}

// git before 2.36 has no command that runs a hook, so we run it ourselves. As in git, a hook that is missing or not executable is
// skipped.
func TestHooks_runWithoutGitsHelp(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text string
		mode       os.FileMode
		want       int
		said       string
	}{
		{"missing", "", 0, 0, ""},
		{"not executable", "#!/bin/sh\necho no\nexit 7\n", 0o644, 0, ""},
		{"succeeds", "#!/bin/sh\necho \"said $1\"\n", 0o755, 0, "said x\n"},
		{"fails", "#!/bin/sh\necho \"said $1\"\nexit 7\n", 0o755, 7, "said x\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := withoutHookCommand(t)
			if test.text != "" {
				hookFile(t, r, "commit-msg", test.text, test.mode)
			}
			var said strings.Builder
			err := repotest.Open(t, r.Dir, r.Env).Hooks.Run(t.Context(), &said, nil, "commit-msg", "x")
			var failed *process.Error
			code := 0
			if errors.As(err, &failed) {
				code = failed.Code
			}
			if code != test.want || err != nil && code == 0 || said.String() != test.said {
				t.Errorf("exit code %d (%v), said %q", code, err, said.String())
			}
		})
	}
}

// withoutHookCommand makes a repository whose git does not know "git hook", like every git before 2.36.
func withoutHookCommand(t *testing.T) *gittest.Repo {
	t.Helper()
	r := gittest.New(t)
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	text := "#!/bin/sh\nfor word; do [ \"$word\" != hook ] || { echo \"git: 'hook' is not a git command. See 'git --help'.\" >&2; exit 1; }; done\nexec '" + real + "' \"$@\"\n"
	if err := gittest.WriteProgram(filepath.Join(bin, "git"), []byte(text)); err != nil {
		t.Fatal(err)
	}
	return r.With("PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"))
}

func hookFile(t *testing.T, r *gittest.Repo, name, text string, mode os.FileMode) {
	t.Helper()
	path := filepath.Join(r.Dir, ".git/hooks", name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), mode), os.Chmod(path, mode)); err != nil {
		t.Fatal(err)
	}
}
