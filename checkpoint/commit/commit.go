package commit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/dotgit"
)

// Stage says which changes a task's commit includes.
type Stage int

const (
	// Staged commits the index as it is.
	Staged Stage = iota
	// Everything commits all changes in the worktree, except those of the files in Request.Except.
	Everything
	// Named adds only the named paths to the index and then commits the index.
	Named
	// NamedOnly commits only the named paths. Other staged changes stay staged.
	NamedOnly
	// Exactly is NamedOnly for names of files, relative to the top of the worktree, that git must not read as patterns.
	Exactly
)

// SignWithin is how long callers wait for a signature. After that, the commit is made without one.
const SignWithin = time.Minute

// Request describes one commit of a run.
type Request struct {
	Run     checkpoint.RunID
	Task    checkpoint.TaskID
	Partial bool
	// Also lists further tasks that the commit completes. A squashed commit can complete several tasks.
	Also    []checkpoint.TaskID
	Subject string
	Body    string
	Stage   Stage
	Paths   []string
	// Except lists files that are not committed if Stage is Everything, even if they are staged.
	Except []string
	// Dir is the folder that relative paths start from. Empty means the top of the worktree.
	Dir string
	// LogMessage, if it is set, replaces the commit's subject as the message in the reflog.
	LogMessage string
	// NoVerify skips the user's pre-commit and commit-msg hooks.
	NoVerify bool
	// NoTrailers leaves out the trailers, as resume.trailers=false requests.
	NoTrailers bool
	// Again, if it is set, is a commit that Write copies to another parent. The copy has the same author and the same message.
	Again *object.Commit
	// SignWithin is the longest time to wait for a signature.
	SignWithin time.Duration
	// Stop, if it is set, can be closed to end the user's hooks. It does not interrupt the other steps.
	Stop <-chan struct{}
	// Now is the clock. If it is nil, git writes the commit and uses its own clock.
	Now func() time.Time
	// Before is called when the commit exists but the branch has not moved yet. If it returns an error, the branch does not move.
	Before func() error
}

// Result describes the commit that was made, or says that there was nothing to commit.
type Result struct {
	ID, Tree object.ID
	// Patch identifies the change that the commit makes, as past.PatchID computes it. It usually stays the same when the commit is
	// rebased.
	Patch string
	// Empty is true if nothing had changed. Then no commit was made.
	Empty bool
	// Unsigned says why the signature that the user wants is missing. It is empty if nothing is missing.
	Unsigned string
	// Author is the author's name and address, if Make had to read them from the user's own settings files, because GIT_CONFIG_GLOBAL makes
	// git read another file. Otherwise it is empty.
	Author string
	// HookOutput is the output of the user's hooks.
	HookOutput string
	// Unadded lists repositories inside the worktree that git could not add, because they have no commits yet.
	Unadded []string
	// Outside lists changed files outside a sparse checkout, which this git is too old to add.
	Outside []string
}

// HookError says that one of the user's hooks refused the commit or emptied its message.
type HookError struct {
	Hook, Output string
	Code         int
}

func (e *HookError) Error() string {
	if e.Code == 0 {
		return fmt.Sprintf("nothing was committed, because the %s hook left the commit message empty", e.Hook)
	}
	return fmt.Sprintf("the %s hook refused the commit (exit code %d)", e.Hook, e.Code)
}

// Make commits changes with the run's trailers. It updates the index first and moves the branch last, unlike "git commit". If "git
// commit" is killed after it moved the branch, the index is still old, and the next commit would revert the change.
func Make(ctx context.Context, r *gitstate.Repo, q Request) (Result, error) {
	branch, head, err := r.Refs.Head(ctx)
	if err != nil {
		return Result{}, err
	}
	m := &maker{r: r, q: q, head: head, ref: branch}
	if branch == "" {
		m.ref = "HEAD"
	}
	if err := m.checkAuthor(ctx); err != nil {
		return Result{}, err
	}
	if err := m.stage(ctx); err != nil {
		return Result{}, err
	}
	same, err := m.tree(ctx)
	if err != nil {
		return Result{}, err
	}
	if same {
		return Result{ID: head, Tree: m.out.Tree, Empty: true, Unadded: m.out.Unadded, Outside: m.out.Outside}, nil
	}
	return m.finish(ctx)
}

type maker struct {
	r    *gitstate.Repo
	q    Request
	head object.ID
	ref  refs.Name
	// The field "was" is the tree of HEAD. It is empty if there is no commit yet.
	was object.ID
	out Result
	// The field "author" holds git options that set the author, if an environment variable hides the user's settings from git. The field
	// "env" holds variables that set the author when an existing commit is written again.
	author, env []string
}

func (m *maker) indexLock() []string { return []string{filepath.Join(m.r.GitDir, "index.lock")} }

func (m *maker) stage(ctx context.Context) error {
	if m.q.Stage == Staged {
		return nil
	}
	if err := m.checkNamed(); err != nil {
		return err
	}
	err := m.add(ctx)
	if err != nil {
		err = m.addRest(ctx, err)
	}
	if err == nil {
		m.out.Outside = m.outside(ctx)
	}
	if err == nil && len(m.q.Except) > 0 {
		err = m.unstage(ctx)
	}
	return err
}

// unstage resets the entries of files that must not be committed, so that the index has them as in HEAD. The files in the worktree do not
// change.
func (m *maker) unstage(ctx context.Context) error {
	specs := make([]string, 0, len(m.q.Except))
	for _, p := range m.q.Except {
		specs = append(specs, ":(top,literal)"+p)
	}
	_, err := m.r.Git(ctx, process.Call{Args: []string{"reset", "-q", "--pathspec-from-file=-", "--pathspec-file-nul"}, Mode: process.Write,
		Stdin: strings.NewReader(strings.Join(specs, "\x00")), Locks: m.indexLock()})
	if err != nil {
		return fmt.Errorf("files changed by hand could not be left out of the commit: %w", err)
	}
	return nil
}

func (m *maker) add(ctx context.Context) error {
	args, specs := m.addCommand(ctx), ""
	switch {
	case m.q.Stage == Exactly:
		args, specs = exactly(), m.pathspecs()
	case m.q.Stage != Everything || len(m.out.Unadded) > 0:
		args, specs = append(args, "--pathspec-from-file=-", "--pathspec-file-nul"), m.pathspecs()
	}
	_, err := m.r.Git(ctx, process.Call{Args: args, Mode: process.Write, Dir: m.q.Dir, Stdin: strings.NewReader(specs), Locks: m.indexLock()})
	if err != nil {
		return fmt.Errorf("stage the changes: %w", err)
	}
	return nil
}

// exactly returns the git command that stages files by their names. Unlike "git add", it accepts a file whose deletion is staged already.
func exactly() []string {
	return []string{"update-index", "--add", "--remove", "--replace", "-z", "--stdin"}
}

// addCommand returns the git command that stages changes. In a sparse checkout it also stages files outside of it, because a task may have
// changed or made such files. Git before 2.34 cannot do that; then the method outside lists them.
func (m *maker) addCommand(ctx context.Context) []string {
	if m.isSparse(ctx) && m.r.AtLeast(ctx, sparseAdd) {
		return []string{"add", "-A", "--sparse"}
	}
	return []string{"add", "-A"}
}

// sparseAdd is the first version of git that has "git add --sparse".
const sparseAdd = "2.34"

func (m *maker) isSparse(ctx context.Context) bool {
	c, err := m.r.Settings.Config(ctx)
	return err == nil && c.Bool("core.sparsecheckout", false)
}

// outside lists the changes that are still not staged, if the commit should have all changes of a sparse checkout but git is too old.
func (m *maker) outside(ctx context.Context) (out []string) {
	if m.q.Stage != Everything || !m.isSparse(ctx) || m.r.AtLeast(ctx, sparseAdd) {
		return nil
	}
	changes, err := m.r.Status(ctx)
	for _, c := range changes {
		if err == nil && c.Tree != '.' && !slices.Contains(m.q.Except, c.Path) && !slices.Contains(m.out.Unadded, strings.TrimSuffix(c.Path, "/")) {
			out = append(out, c.Path)
		}
	}
	return out
}

// tree writes the tree that will be committed, and runs the pre-commit hook if there is something to commit. The bool is true if the tree
// equals HEAD's tree.
func (m *maker) tree(ctx context.Context) (same bool, err error) {
	if m.out.Tree, err = m.writeTree(ctx); err != nil {
		return false, err
	}
	if m.head != "" {
		c, err := m.r.Objects.Commit(ctx, string(m.head))
		if err != nil {
			return false, err
		}
		m.was = c.Tree
	}
	if m.out.Tree == m.was {
		return true, nil
	}
	ran, err := m.hook(ctx, "pre-commit")
	if err != nil || !ran {
		return false, err
	}
	m.out.Tree, err = m.writeTree(ctx) // write the tree again, because the hook may have staged changes, as a formatter does
	return m.out.Tree == m.was, err
}

func (m *maker) writeTree(ctx context.Context) (object.ID, error) {
	if m.q.Stage != NamedOnly && m.q.Stage != Exactly {
		out, err := m.r.Git(ctx, process.Call{Args: []string{"write-tree"}, Mode: process.Write, Locks: m.indexLock()})
		if err != nil {
			return "", fmt.Errorf("write the tree: %w", err)
		}
		return object.ID(strings.TrimSpace(string(out))), nil
	}
	return m.namedTree(ctx)
}

// namedTree writes a tree with the named paths as they are in the worktree and everything else as in HEAD.
func (m *maker) namedTree(ctx context.Context) (object.ID, error) {
	tmp, done, err := m.r.Guard.TempDir()
	if err != nil {
		return "", err
	}
	defer done()
	env := []string{"GIT_INDEX_FILE=" + filepath.Join(tmp, "index")}
	run := func(in []byte, args ...string) ([]byte, error) {
		return m.r.Git(ctx, process.Call{Args: args, Mode: process.Write, Dir: m.q.Dir, Env: env, Stdin: bytes.NewReader(in)})
	}
	if m.head != "" {
		if _, err := run(nil, "read-tree", string(m.head)); err != nil {
			return "", fmt.Errorf("read HEAD into a temporary index: %w", err)
		}
	}
	how := append(m.addCommand(ctx), "--pathspec-from-file=-", "--pathspec-file-nul")
	if m.q.Stage == Exactly {
		how = exactly()
	}
	if _, err := run([]byte(m.pathspecs()), how...); err != nil {
		return "", fmt.Errorf("stage the named paths: %w", err)
	}
	out, err := run(nil, "write-tree")
	if err != nil {
		return "", fmt.Errorf("write the tree: %w", err)
	}
	return object.ID(strings.TrimSpace(string(out))), nil
}

func (m *maker) finish(ctx context.Context) (Result, error) {
	message, err := m.message(ctx)
	if err != nil {
		return Result{}, err
	}
	m.waitForDisk(ctx)
	// Compute the patch id in parallel with the rest, because it needs only the two trees.
	patched := make(chan string, 1)
	go func() { patched <- m.patch(ctx) }()
	id, err := m.land(ctx, message)
	// Only an error of the method "land" counts here. A missing patch id is not an error, because the commit is valid without it.
	if m.out.Patch = <-patched; err != nil {
		return Result{}, err
	}
	m.out.ID = id
	_, _ = m.hook(ctx, "post-commit") // this hook runs too late to refuse the commit
	return m.out, nil
}

// land writes the commit, calls Request.Before if it is set, and moves the branch.
func (m *maker) land(ctx context.Context, message string) (object.ID, error) {
	id, err := m.commitTree(ctx, message)
	if err != nil {
		return "", err
	}
	if m.q.Before != nil {
		if err := m.q.Before(); err != nil {
			return "", err
		}
	}
	subject, _, _ := strings.Cut(message, "\n")
	u := refs.Update{Ref: m.ref, New: id, Old: m.head, Message: "commit: " + subject, Log: true}
	if m.q.LogMessage != "" {
		u.Message, u.Often = m.q.LogMessage, true
	}
	return id, m.r.Refs.Update(ctx, u)
}

// manyFiles is the number of files above which syncing the whole file system is faster than syncing each file.
const manyFiles = 200

// waitForDisk waits until the committed files in the worktree are on the disk. Otherwise a power failure could leave
// some of these files empty, and the next commit would record that as a change.
func (m *maker) waitForDisk(ctx context.Context) {
	if m.was == "" {
		_ = dotgit.Durable(m.r.WorkTree) // ignore an error, because the committed objects are already safe
		return
	}
	changed, err := past.Changed(ctx, m.r, m.was, m.out.Tree)
	if err != nil || len(changed) > manyFiles {
		_ = dotgit.Durable(m.r.WorkTree)
		return
	}
	paths := make([]string, 0, len(changed))
	for _, d := range changed {
		paths = append(paths, d.Path)
	}
	dotgit.SyncFiles(m.r.WorkTree, paths)
}

func (m *maker) patch(ctx context.Context) string {
	if m.was == "" {
		return ""
	}
	patch, err := past.PatchOf(ctx, m.r, m.was, m.out.Tree)
	if err != nil {
		return ""
	}
	return patch
}

// commitTree writes the commit. If the user wants a signature, but signing fails or takes too long, the commit is unsigned.
func (m *maker) commitTree(ctx context.Context, message string) (object.ID, error) {
	c, err := m.r.Settings.Config(ctx)
	if err != nil {
		return "", err
	}
	// The message is UTF-8. If the commit declared the user's i18n.commitEncoding, readers would show a garbled message.
	args := append(slices.Clone(m.author), "-c", "i18n.commitEncoding=UTF-8", "commit-tree", string(m.out.Tree))
	if m.head != "" {
		args = append(args, "-p", string(m.head))
	}
	run := func(ctx context.Context, extra ...string) (object.ID, error) {
		out, err := m.r.Git(ctx, process.Call{Args: append(args, extra...), Mode: process.Write, Env: m.env, Stdin: strings.NewReader(message)})
		return object.ID(strings.TrimSpace(string(out))), err
	}
	if c.Bool("commit.gpgsign", false) {
		within, cancel := context.WithTimeout(ctx, m.q.SignWithin)
		defer cancel()
		id, err := run(within, "-S")
		if err == nil {
			return id, nil
		}
		m.out.Unsigned = firstLine(err.Error())
	} else if id, ok := m.writeOwn(ctx, c, message); ok {
		return id, nil
	}
	id, err := run(ctx, "--no-gpg-sign")
	if err != nil {
		return "", fmt.Errorf("write the commit: %w", err)
	}
	return id, nil
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// stoppable returns a context that also ends when Request.Stop is closed.
func (m *maker) stoppable(ctx context.Context) (context.Context, func()) {
	within, cancel := context.WithCancel(ctx)
	over := make(chan struct{})
	go func() {
		select {
		case <-m.q.Stop:
			cancel()
		case <-over:
		}
	}()
	return within, func() { close(over); cancel() }
}

// hook runs one of the user's hooks as "git commit" would. The bool is false if the hook does not exist or is skipped.
func (m *maker) hook(ctx context.Context, name string, args ...string) (ran bool, err error) {
	has, err := m.r.Hooks.Has(ctx, name)
	if err != nil || !has || m.q.NoVerify && name != "post-commit" {
		return false, err
	}
	var said bytes.Buffer
	ctx, done := m.stoppable(ctx)
	defer done()
	env := []string{"GIT_INDEX_FILE=" + filepath.Join(m.r.GitDir, "index"), "GIT_EDITOR=:"}
	err = m.r.Hooks.Run(ctx, &said, env, name, args...)
	m.out.HookOutput += said.String()
	var git *process.Error
	if errors.As(err, &git) {
		return true, &HookError{Hook: name, Output: said.String(), Code: git.Code}
	}
	return true, err
}
