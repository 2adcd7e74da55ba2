package signal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
)

// row is one run in the output of 'git resume status --json', with the keys that are compared.
type row struct {
	Run, Name, Source, State, Condition string
	Also                                []string
	// Listed is nil for versions of the program that do not print this key. Such versions show everything that is not closed.
	Listed *bool
	Task   *struct{ ID, Title string }
	Next   *struct{ Task, Title string }
}

// shown reports whether a person sees the row in the plain output.
func (r row) shown() bool {
	if r.Listed != nil {
		return *r.Listed
	}
	return r.State != "finished" && r.State != "discarded"
}

// isCalled reports whether the row is about the item. In the row's name, it ignores the system, everything else before the item, and
// "story-" at the beginning. In the item, it ignores a number at the beginning and ".story" at the end. So "bmad:shop/login" is about
// "login" or "003-login", and "story-2.1" is about "2.1.story".
func (r row) isCalled(item string) bool {
	for _, name := range append([]string{r.Run, r.Name}, r.Also...) {
		if _, id, ok := strings.Cut(name, ":"); ok {
			name = id
		}
		name, item := strings.TrimPrefix(strings.ToLower(name), "story-"), strings.TrimSuffix(strings.ToLower(item), ".story")
		if name == item || strings.HasSuffix(name, "/"+item) || strings.HasSuffix(name, "-"+item) || strings.TrimLeft(item, "0123456789-") == name {
			return true
		}
	}
	return false
}

// nextTask returns the id and the title of the task with which the work in this row would continue.
func (r row) nextTask() (id, title string) {
	if r.Next != nil {
		return r.Next.Task, r.Next.Title
	}
	if r.Task != nil {
		return r.Task.ID, r.Task.Title
	}
	return "", ""
}

// workshop clones repositories into a folder of its own, where no settings of the user or of the machine apply.
type workshop struct {
	bares, dir, program string
	env                 []string
}

func newWorkshop(bares, dir string) (workshop, error) {
	program, err := gittest.ClockBinary()
	if err != nil {
		return workshop{}, err
	}
	home := filepath.Join(dir, "home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		return workshop{}, err
	}
	// safe.directory allows repositories that belong to another user.
	settings := "[safe]\n\tdirectory = *\n[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(settings), 0o644); err != nil {
		return workshop{}, err
	}
	return workshop{bares, dir, filepath.Join(program, "git-resume"), gittest.Env(home, "XDG_CONFIG_HOME="+home)}, nil
}

// errMissing says that the wanted repository is not in the folder of repositories.
var errMissing = errors.New("missing")

// measured is the output of status for one state of a repository.
type measured struct {
	day, today []row // the output with the clock set to the time of the commit, and the output with today's clock
	at         time.Time
}

// measure clones a repository at one commit, runs status with two different clocks, and removes the clone.
func (w workshop) measure(ctx context.Context, s state) (measured, error) {
	bare := filepath.Join(w.bares, s.repository)
	if _, err := os.Stat(bare); errors.Is(err, fs.ErrNotExist) {
		return measured{}, errMissing
	}
	parent, err := os.MkdirTemp(w.dir, "clone-")
	if err != nil {
		return measured{}, err
	}
	defer os.RemoveAll(parent)
	clone := filepath.Join(parent, s.name())
	if err := w.clone(ctx, bare, clone, s); err != nil {
		return measured{}, err
	}
	stamp, err := w.git(ctx, clone, "log", "-1", "--format=%cI")
	if err != nil {
		return measured{}, err
	}
	var m measured
	if m.at, err = time.Parse(time.RFC3339, stamp); err != nil {
		return measured{}, err
	}
	if m.day, err = w.status(ctx, clone, m.at.Add(time.Minute).Format(time.RFC3339)); err != nil {
		return measured{}, err
	}
	m.today, err = w.status(ctx, clone, "+0s")
	return m, err
}

// clone makes a clone of one branch, as if the given commit were the newest one.
func (w workshop) clone(ctx context.Context, bare, clone string, s state) error {
	branch := s.branch
	if branch == "-" {
		var err error
		if branch, err = w.git(ctx, bare, "symbolic-ref", "--short", "HEAD"); err != nil {
			branch = "main"
		}
	}
	if _, err := w.git(ctx, w.dir, "init", "-q", "--template=", "-b", branch, clone); err != nil {
		return err
	}
	if _, err := w.git(ctx, clone, "remote", "add", "origin", bare); err != nil {
		return err
	}
	if _, err := w.git(ctx, clone, "fetch", "-q", "--no-tags", "origin", s.commit+":refs/remotes/origin/"+branch); err != nil {
		return w.borrow(ctx, bare, clone, branch, s.commit, err)
	}
	_, err := w.git(ctx, clone, "checkout", "-q", "-B", branch, "--track", "origin/"+branch)
	return err
}

// borrow clones a repository that lacks the objects of its largest files. Git cannot fetch from such a repository, so the clone reads the
// objects in the original folder. Files whose objects are missing do not count as deleted.
func (w workshop) borrow(ctx context.Context, bare, clone, branch, commit string, why error) error {
	objects, err := filepath.EvalSymlinks(filepath.Join(bare, "objects"))
	if err != nil {
		return errors.Join(why, err)
	}
	if err := os.WriteFile(filepath.Join(clone, ".git/objects/info/alternates"), []byte(objects+"\n"), 0o644); err != nil {
		return errors.Join(why, err)
	}
	for _, args := range [][]string{
		{"update-ref", "refs/remotes/origin/" + branch, commit},
		{"update-ref", "refs/heads/" + branch, commit},
		{"branch", "-q", "--set-upstream-to=origin/" + branch},
		{"reset", "-q"},
	} {
		if _, err := w.git(ctx, clone, args...); err != nil {
			return why
		}
	}
	_, _ = w.git(ctx, clone, "checkout-index", "-a", "-f", "-q") // git writes all other files before it fails because of missing ones
	absent, err := w.git(ctx, clone, "ls-files", "-z", "--deleted")
	if err != nil {
		return err
	}
	for path := range strings.SplitSeq(strings.Trim(absent, "\x00"), "\x00") {
		if _, err := w.git(ctx, clone, "update-index", "--skip-worktree", "--", path); err != nil && path != "" {
			return err
		}
	}
	return nil
}

// status returns the rows of "status", and further rows that only "status --all" prints. The further rows count as not shown.
func (w workshop) status(ctx context.Context, clone, clock string) ([]row, error) {
	plain, err := w.rows(ctx, clone, clock, "status", "--json")
	if err != nil {
		return nil, err
	}
	all, err := w.rows(ctx, clone, clock, "status", "--all", "--json")
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, r := range plain {
		seen[r.Run] = true
	}
	for _, r := range all {
		if !seen[r.Run] {
			r.Listed = new(bool)
			plain = append(plain, r)
		}
	}
	return plain, nil
}

func (w workshop) rows(ctx context.Context, clone, clock string, args ...string) ([]row, error) {
	cmd := exec.CommandContext(ctx, w.program, args...)
	cmd.Dir, cmd.Env = clone, append(w.env, gittest.ClockEnv+"="+clock)
	out, err := cmd.Output()
	var answer struct{ Runs []row }
	if jsonErr := json.Unmarshal(out, &answer); jsonErr != nil {
		return nil, fmt.Errorf("git resume %s: %w", strings.Join(args, " "), errors.Join(jsonErr, said(err)))
	}
	return answer.Runs, nil // the exit code does not matter, because status also uses it to say that it found something
}

func (w workshop) git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.Env = dir, w.env
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", args[0], said(err))
	}
	return strings.TrimSpace(string(out)), nil
}

func said(err error) error {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return fmt.Errorf("%w: %s", err, strings.Join(strings.Fields(string(exit.Stderr)), " "))
	}
	return err
}
