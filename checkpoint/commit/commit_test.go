package commit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/repotest"
	"github.com/git-resume/git-resume/internal/gittest"
)

type work struct {
	*gittest.Repo
	t  testing.TB
	id checkpoint.RunID
}

func newWork(t testing.TB) *work {
	t.Helper()
	return &work{gittest.New(t), t, "work-abcd"}
}

// fresh opens the repository again, so that settings are read again.
func (j *work) fresh() *gitstate.Repo {
	j.t.Helper()
	return repotest.Open(j.t, j.Dir, j.Env)
}

func (j *work) make(q Request) (Result, error) {
	j.t.Helper()
	j.Write("made.txt", fmt.Sprint(time.Now().UnixNano()))
	q.Run, q.Task, q.Stage = j.id, "t", Everything
	if q.Subject == "" {
		q.Subject = "do it"
	}
	if q.SignWithin == 0 {
		q.SignWithin = 20 * time.Second
	}
	return Make(context.Background(), j.fresh(), q)
}

func (j *work) hook(name, text string) {
	j.t.Helper()
	dir := filepath.Join(j.Dir, ".git", "hooks")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		j.t.Fatal(err)
	}
	if err := gittest.WriteProgram(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text+"\n")); err != nil {
		j.t.Fatal(err)
	}
}

func (j *work) message() string { return j.Git("log", "-1", "--format=%B") }

func (j *work) trailersAsGit() string {
	return j.Git("-c", "core.commentChar=#", "log", "-1", "--format=%(trailers:key=Resume-Run,valueonly)%(trailers:key=Resume-Task,valueonly)")
}

func TestCommit_cleansMessagesAsGitDoes(t *testing.T) {
	t.Parallel()
	subjects := []struct{ subject, body string }{
		{"plain", ""}, {"  leading and trailing  ", ""}, {"with a body", "one\n\n\n\ntwo  \n\n"}, {"#12 fix", "# looks like a comment\nis text"},
		{"; semi", "; a line\n# another"}, {"title", "body\n\n# ------------------------ >8 ------------------------\nbelow the scissors"},
	}
	for _, mode := range []string{"", "default", "whitespace", "strip", "verbatim", "scissors"} {
		for _, char := range []string{"", ";", "auto"} {
			if !gittest.Proving() && char != "" && mode != "strip" {
				continue
			}
			t.Run("cleanup="+mode+" char="+char, func(t *testing.T) {
				t.Parallel()
				j := newWork(t)
				set := []string{}
				if mode != "" {
					set = append(set, "commit.cleanup", mode)
				}
				if char != "" {
					set = append(set, "core.commentChar", char)
				}
				for i := 0; i < len(set); i += 2 {
					j.Git("config", set[i], set[i+1])
				}
				for _, s := range subjects {
					want := ""
					text := s.subject
					if s.body != "" {
						text += "\n\n" + s.body
					}
					if out, code := j.Try("git", "commit", "-q", "--allow-empty", "-m", text); code == 0 {
						want = strings.TrimRight(j.message(), "\n")
					} else if !strings.Contains(out, "empty commit message") {
						t.Fatal(out)
					}
					if _, err := j.make(Request{Subject: s.subject, Body: s.body}); err != nil {
						t.Fatal(err)
					}
					got := j.message()
					for _, trailer := range []string{"Resume-Run: " + string(j.id), "Resume-Task: t"} {
						if !strings.Contains(got, trailer) {
							t.Errorf("%q lacks %q", got, trailer)
						}
					}
					if char == "auto" && (gittest.Git{}).AtLeast(2, 48) {
						want = withTrailingComments(want, withoutOurs(got))
					}
					if rest := words(withoutOurs(got)); want != "" && rest != words(want) && rest != "task t "+words(want) {
						t.Errorf("git writes %q, we %q", want, got)
					}
					if strings.Contains(text, ">8") {
						continue // do not compare trailers, because git itself ignores trailers after the scissors line
					}
					if got := strings.Fields(j.trailersAsGit()); len(got) != 2 {
						t.Errorf("git reads the trailers of %q as %v", j.message(), got)
					}
				}
			})
		}
	}
}

// withTrailingComments adds to git's message the lines with "#" that only our message has. With core.commentChar=auto, new versions of git
// remove some lines with "#" that we keep.
func withTrailingComments(gits, ours string) string {
	have := strings.Split(gits, "\n")
	var all []string
	for _, line := range strings.Split(ours, "\n") {
		switch {
		case len(have) > 0 && have[0] == line:
			have = have[1:]
		case !strings.HasPrefix(line, "#"):
			continue
		}
		all = append(all, line)
	}
	return strings.Join(append(all, have...), "\n")
}

func withoutOurs(message string) string {
	var out []string
	for _, line := range strings.Split(message, "\n") {
		if !strings.HasPrefix(line, "Resume-") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

func words(s string) string { return strings.Join(strings.Fields(s), " ") }

func TestCommit_hooksThatRefuse(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"pre-commit", "commit-msg"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := newWork(t)
			j.hook(name, "echo no: $0 >&2; exit 3")
			head := j.Git("rev-parse", "HEAD")
			_, err := j.make(Request{})
			var refused *HookError
			if !errors.As(err, &refused) || refused.Hook != name || refused.Code == 0 || !strings.Contains(refused.Output, "no: ") {
				t.Fatalf("%v %+v", err, refused)
			}
			if j.Git("rev-parse", "HEAD") != head || !strings.Contains(j.Git("status", "--porcelain"), "made.txt") {
				t.Error("something moved")
			}
			if _, err := j.make(Request{NoVerify: true}); err != nil {
				t.Errorf("with --no-verify: %v", err)
			}
		})
	}
}

func TestCommit_hooksThatChangeTheMessage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, hook, subject string
		fails               bool
	}{
		{name: "adds a line", hook: `sed -i "1s/^/[ABC-1] /" "$1"`, subject: "[ABC-1] do it"},
		{name: "replaces all", hook: `echo rewritten > "$1"`, subject: "rewritten"},
		{name: "removes our trailers", hook: `sed -i "/^Resume-/d" "$1"`, subject: "do it"},
		{name: "removes one", hook: `sed -i "/^Resume-Task/d" "$1"`, subject: "do it"},
		{name: "adds its own trailer", hook: `git interpret-trailers --in-place --trailer "Change-Id: I123" "$1"`, subject: "do it"},
		{name: "adds a paragraph behind them", hook: `printf '\nlast words\n' >> "$1"`, subject: "do it"},
		{name: "empties it", hook: `: > "$1"`, fails: true},
		{name: "leaves blanks only", hook: `printf '\n \n\t\n' > "$1"`, fails: true},
		{name: "removes the file", hook: `rm "$1"`, fails: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			j := newWork(t)
			j.hook("commit-msg", c.hook)
			head := j.Git("rev-parse", "HEAD")
			_, err := j.make(Request{})
			if c.fails {
				if err == nil || j.Git("rev-parse", "HEAD") != head {
					t.Errorf("committed: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := j.Git("log", "-1", "--format=%s"); got != c.subject {
				t.Errorf("subject %q", got)
			}
			if got := strings.Fields(j.trailersAsGit()); len(got) != 2 || got[0] != string(j.id) || got[1] != "t" {
				t.Errorf("%q has the trailers %v", j.message(), got)
			}
			if c.name == "adds its own trailer" && !strings.Contains(j.message(), "Change-Id: I123") {
				t.Error("the hook's own trailer is gone")
			}
		})
	}
}

func TestCommit_hooksThatOnlyLook(t *testing.T) {
	t.Parallel()
	j := newWork(t)
	out := filepath.Join(filepath.Dir(j.Dir), "seen")
	j.hook("pre-commit", "echo pre >> "+out+"; echo formatted > made.txt; git add made.txt")
	j.hook("post-commit", "echo post $(git log -1 --format=%s) >> "+out+"; exit 1")
	if _, err := j.make(Request{}); err != nil {
		t.Fatal(err)
	}
	seen, _ := os.ReadFile(out)
	if string(seen) != "pre\npost do it\n" {
		t.Errorf("hooks saw %q", seen)
	}
	if j.Git("show", "HEAD:made.txt") != "formatted" || j.Git("status", "--porcelain") != "" {
		t.Error("what the hook staged is not in the commit")
	}
	dir := filepath.Join(filepath.Dir(j.Dir), "my hooks")
	if err := os.Rename(filepath.Join(j.Dir, ".git", "hooks"), dir); err != nil {
		t.Fatal(err)
	}
	j.Git("config", "core.hooksPath", "../my hooks")
	// The hook writes the text that made.txt already has in the last commit. So nothing has changed, and no commit is made.
	if again, err := j.make(Request{Subject: "again"}); err != nil || !again.Empty {
		t.Errorf("a commit without a change: %+v, %v", again, err)
	}
	seen, _ = os.ReadFile(out)
	if strings.Count(string(seen), "pre\n") != 2 {
		t.Errorf("core.hooksPath is not obeyed: %q", seen)
	}
}

func TestCommit_signing(t *testing.T) {
	t.Parallel()
	signer := `#!/bin/sh
for a; do case $a in --status-fd=*) fd=${a#*=};; esac; done
printf '\n[GNUPG:] SIG_CREATED D 1 8 00 1 X\n' >&2
cat >/dev/null
printf -- '-----BEGIN PGP SIGNATURE-----\n\nstub\n-----END PGP SIGNATURE-----\n'
`
	for _, c := range []struct {
		name, program string
		signed        bool
		within        time.Duration
	}{
		{"no key", "exec gpg --homedir /nonexistent \"$@\"", false, 20 * time.Second},
		{"no program", "", false, 20 * time.Second},
		{"a program that signs", signer, true, 20 * time.Second},
		{"a program that refuses", "echo 'no pinentry' >&2; exit 2", false, 20 * time.Second},
		{"a program that hangs", "exec sleep 300", false, 300 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			j := newWork(t)
			j.Git("config", "commit.gpgSign", "true")
			program := filepath.Join(filepath.Dir(j.Dir), "signer")
			if c.program != "" {
				text := c.program
				if !strings.HasPrefix(text, "#!") {
					text = "#!/bin/sh\n" + text + "\n"
				}
				if err := gittest.WriteProgram(program, []byte(text)); err != nil {
					t.Fatal(err)
				}
			}
			j.Git("config", "gpg.program", program)
			begun := time.Now()
			got, err := j.make(Request{SignWithin: c.within})
			if err != nil {
				t.Fatal(err)
			}
			signed := strings.Contains(j.Git("cat-file", "commit", "HEAD"), "gpgsig")
			if signed != c.signed || (got.Unsigned == "") != c.signed {
				t.Errorf("signed %v, told %q", signed, got.Unsigned)
			}
			if took := time.Since(begun); took > 60*time.Second {
				t.Errorf("it took %s", took)
			}
			j.Fsck()
		})
	}
}

func TestCommit_speaksUTF8WhateverTheEncoding(t *testing.T) {
	t.Parallel()
	j := newWork(t)
	j.Git("config", "i18n.commitEncoding", "ISO-8859-1")
	j.Git("config", "i18n.logOutputEncoding", "ISO-8859-1")
	const subject = "größer – 日本語 ☃"
	if _, err := j.make(Request{Subject: subject}); err != nil {
		t.Fatal(err)
	}
	raw := j.Git("cat-file", "commit", "HEAD")
	if !strings.Contains(raw, subject) || strings.Contains(raw, "\nencoding ") {
		t.Errorf("stored as %q", raw)
	}
	made, err := j.fresh().Objects.Commit(context.Background(), "HEAD")
	if found := checkpoint.EvidenceOf(made, j.id); err != nil || len(found) != 1 || found[0].Task != "t" || !strings.Contains(made.Message, subject) {
		t.Errorf("%v %+v", err, found)
	}
}

func TestCommit_needsANameAndSaysSo(t *testing.T) {
	t.Parallel()
	j := newWork(t)
	var env []string
	for _, v := range j.Env {
		if !strings.HasPrefix(v, "GIT_AUTHOR_") && !strings.HasPrefix(v, "GIT_COMMITTER_") {
			env = append(env, v)
		}
	}
	j.Env = env
	j.Git("config", "user.useConfigOnly", "true")
	head := j.Git("rev-parse", "HEAD")
	_, err := j.make(Request{})
	var refused *process.Error
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), "user.email") {
		t.Fatalf("%v", err)
	}
	if j.Git("rev-parse", "HEAD") != head || j.Git("diff", "--cached", "--name-only") != "" {
		t.Errorf("half done: %q is staged", j.Git("diff", "--cached", "--name-only"))
	}
}
