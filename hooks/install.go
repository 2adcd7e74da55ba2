package hooks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/internal/flock"
)

// Way says how git is told to run our hook.
type Way string

// NotAtAll means that the hook is not installed. The others are the ways to install the hook, the best one first.
const (
	NotAtAll  Way = ""
	BySetting Way = "setting"
	ByFile    Way = "file"
	ByManager Way = "manager"
)

// Request says where to install or uninstall the hook.
type Request struct {
	// Global requests the hook for all repositories of this user.
	Global bool
	// Add requests that Install adds our lines to the hook manager's file. Install needs this request, because the file belongs to the
	// user.
	Add bool
}

// State says whether and how our hook is installed.
type State struct {
	Way Way
	// Global is true if the hook is a git setting that is not in the repository's own settings file.
	Global bool
	// Dir is the folder where git looks for hooks. Path is the file in which our hook is, or would be. Path is empty if the hook is a
	// setting.
	Dir, Path string
	// Current is true if the installed hook is the one of this version. Lines in a hook manager's file are not compared, and always count
	// as current.
	Current bool
	// Chained is true if our stub runs another tool's hook first. CallsItself is true if our own stub is in the place of that hook, as
	// earlier versions could save it: then each checkout may start the hook without end.
	Chained, CallsItself bool
	// Alive is true if we saw git run the hook.
	Alive bool
	// Shadowed is true if the stub is in the repository's own hooks folder but git looks for hooks elsewhere.
	Shadowed bool
	// The field "Manager" names the known tool that owns the hooks. The field "Then" is the command that makes this tool load our lines, or
	// empty if no command is needed.
	Manager, Then string
}

// Installed reports whether our hook is installed in any way.
func (s State) Installed() bool { return s.Way != NotAtAll }

// ManagedError says that another tool owns the hooks and would overwrite or ignore our hook. The user should add Lines to the tool's File.
type ManagedError struct {
	Manager, File string
	Lines         []string
	// ByHand is true if a person must fit the lines into File by hand. They cannot be appended, for example because File already has a
	// section for this hook.
	ByHand bool
}

func (e *ManagedError) Error() string {
	return fmt.Sprintf("the hooks of this repository are managed by %s", e.Manager)
}

// DeadError says that git does not run our hook although the hook is installed. Path is empty if the hook is a setting.
type DeadError struct{ Path, Why string }

func (e *DeadError) Error() string {
	if e.Path == "" {
		return "git does not run the hook in your git settings: " + e.Why
	}
	return fmt.Sprintf("git does not run the hook '%s': %s", e.Path, e.Why)
}

// NoGlobalError says that this version of git cannot run a hook in all repositories without replacing their own hooks.
type NoGlobalError struct{ Have string }

func (e *NoGlobalError) Error() string {
	return fmt.Sprintf("git %s cannot run a hook in all repositories without replacing each repository's own hooks; git %s or newer can", e.Have, configHooks)
}

// NoManagerError says that the user asked to add the hook to a hook manager's file, but no known hook manager is used here.
type NoManagerError struct{}

func (e *NoManagerError) Error() string {
	var known []string
	for _, m := range managers {
		known = append(known, m.name)
	}
	return "no supported hook manager was found here; supported are " + strings.Join(known, ", ")
}

// OtherWayError says that the user asked to add the hook to a hook manager's file, but the hook is already installed in another way.
type OtherWayError struct {
	Way    Way
	Global bool
	Path   string
}

func (e *OtherWayError) Error() string {
	switch {
	case e.Way == ByFile:
		return fmt.Sprintf("the hook is already installed as the file '%s'", e.Path)
	case e.Global:
		return "the hook is already installed in your git settings, for all repositories"
	}
	return "the hook is already installed in this repository's settings"
}

// configHooks is the first version of git that supports hooks in its settings.
const configHooks = "2.54"

// Inspect finds out whether and how our hook is installed. It writes nothing itself. If the hook is installed, it makes git run the
// post-checkout hooks once as a test. Hooks of other tools run then too.
func Inspect(ctx context.Context, r *gitstate.Repo) (State, error) {
	s, err := inspect(ctx, r)
	if err == nil && s.Installed() && !s.CallsItself {
		s.Alive = probe(ctx, r) == nil
	}
	return s, err
}

func inspect(ctx context.Context, r *gitstate.Repo) (State, error) {
	c, err := r.Settings.Config(ctx)
	if err != nil {
		return State{}, err
	}
	dir, err := r.Hooks.Dir(ctx)
	if err != nil {
		return State{}, err
	}
	s := State{Dir: dir, Path: filepath.Join(dir, Name)}
	m := managerOf(r, dir)
	if m != nil {
		s.Manager, s.Then = m.name, m.then
	}
	if v, ok := c.Get(settingCommand); ok {
		s.Way, s.Path, s.Current = BySetting, "", v == command()
		s.Global = !localSetting(ctx, r)
		return s, nil
	}
	text, err := os.ReadFile(s.Path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return s, fmt.Errorf("read the hook: %w", err)
	}
	switch {
	case isOurs(text):
		s.Way, s.Current = ByFile, string(text) == stub()
		former := filepath.Join(dir, kept)
		_, err := os.Lstat(former)
		s.CallsItself = ownStub(former)
		s.Chained = err == nil && !s.CallsItself
	case m != nil && m.has(r):
		s.Way, s.Path, s.Current = ByManager, m.path(r), true
	default:
		own, err := os.ReadFile(filepath.Join(r.CommonPath("hooks"), Name))
		s.Shadowed = err == nil && isOurs(own)
	}
	return s, nil
}

// Install makes git run our hook after a checkout, in addition to any existing hook, and checks that git really does
// so. A second Install changes nothing.
func Install(ctx context.Context, r *gitstate.Repo, q Request) (State, error) {
	s, err := inspect(ctx, r)
	if err != nil {
		return s, err
	}
	if err := place(ctx, r, q, s); err != nil {
		return s, err
	}
	r = r.Again() // read the settings again, because they have just been changed
	defer r.Close()
	if s, err = inspect(ctx, r); err != nil {
		return s, err
	}
	if s.Way == ByManager { // the manager may load our lines later, so it is not an error if the hook does not run yet
		s.Alive = probe(ctx, r) == nil
		return s, nil
	}
	if !s.Installed() {
		return s, &DeadError{Path: s.Path, Why: "another process has just uninstalled it"}
	}
	if err := probe(ctx, r); err != nil {
		return s, &DeadError{Path: s.Path, Why: err.Error()}
	}
	s.Alive = true
	return s, nil
}

// The function place installs the hook, or updates it where it is already installed. If a hook manager would overwrite the hook, and the
// request does not allow adding lines to the manager's file, place returns a *ManagedError.
func place(ctx context.Context, r *gitstate.Repo, q Request, s State) error {
	m := managerOf(r, s.Dir)
	switch {
	case q.Add && (s.Way == BySetting || s.Way == ByFile):
		return &OtherWayError{Way: s.Way, Global: s.Global, Path: s.Path} // if the hook were installed twice, it would print everything twice
	case q.Add && m == nil:
		return &NoManagerError{}
	}
	bySetting := !q.Add && r.AtLeast(ctx, configHooks)
	switch {
	case q.Global && !bySetting:
		return globalFolder(ctx, r)
	case s.Way == BySetting && s.Global && s.Current && !q.Global:
		return nil // git already runs the hook in all repositories
	case s.Way == BySetting, s.Way == NotAtAll && bySetting, q.Global:
		return setSetting(ctx, r, q.Global)
	case s.Way == ByFile && s.Current && !s.CallsItself && executable(s.Path):
		return nil // nothing is to be written, perhaps because the folder belongs to somebody else
	case s.Way == ByFile:
		return placeFile(r, s.Dir)
	case s.Way == ByManager:
		return nil
	}
	if m != nil {
		if !q.Add {
			return &ManagedError{Manager: m.name, File: m.file, Lines: m.text(), ByHand: !m.canAppendIn(r)}
		}
		return m.add(r)
	}
	return placeFile(r, s.Dir)
}

// placeFile writes our hook into a folder of hooks. It moves another tool's hook aside. What it saw in the folder before it had the lock
// does not count: another process may just have installed our hook, and a stub that is saved as the former hook would call itself.
func placeFile(r *gitstate.Repo, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("write the hook: %w", err)
	}
	return locked(r, dir, func() error {
		path := filepath.Join(dir, Name)
		if err := removeCopy(dir); err != nil {
			return err
		}
		if _, err := os.Lstat(path); err == nil && !ownStub(path) {
			if err := setAside(dir); err != nil {
				return err
			}
		}
		return writeStub(r, path)
	})
}

// removeCopy removes our own stub from the place of the former hook.
func removeCopy(dir string) error {
	former := filepath.Join(dir, kept)
	if !ownStub(former) {
		return nil
	}
	if err := os.Remove(former); err != nil {
		return fmt.Errorf("remove a copy of the hook: %w", err)
	}
	return nil
}

func ownStub(path string) bool {
	text, err := os.ReadFile(path)
	return err == nil && isOurs(text)
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&0o100 != 0
}

// patience is how long to wait for another process that installs or uninstalls hooks.
const patience = 10 * time.Second

// locked makes a change in a folder while no other process of ours changes the hooks there. The lock of a folder that other repositories
// may use too is in that folder, and is removed afterwards. No lock is ever put into a worktree.
func locked(r *gitstate.Repo, dir string, change func() error) error {
	path, shared := r.CommonPath("resume", "hooks.lock"), !isInside(r, dir)
	if shared {
		path = filepath.Join(dir, ".git-resume.lock")
	}
	lock, err := flock.WaitFor(path, patience)
	if err != nil {
		return fmt.Errorf("wait for another change of the hooks: %w", err)
	}
	defer lock.Release()
	if shared {
		defer os.Remove(path) // a process that waits for this lock notices that its file is gone
	}
	return change()
}

// isInside reports whether a folder is in the git directory or in a worktree of the repository.
func isInside(r *gitstate.Repo, dir string) bool {
	dir = realPath(dir)
	tops := []string{r.CommonPath(), r.WorkTree}
	if filepath.Base(r.CommonPath()) == ".git" {
		tops = append(tops, filepath.Dir(r.CommonPath())) // the main worktree, if we are in a linked one
	}
	for _, top := range tops {
		if top != "" && strings.HasPrefix(dir+"/", realPath(top)+"/") {
			return true
		}
	}
	return false
}

// realPath returns a path without symbolic links, or the path itself if it cannot be resolved.
func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

func (m *manager) canAppendIn(r *gitstate.Repo) bool {
	text, _ := os.ReadFile(m.path(r)) // a file that is missing or cannot be read counts as empty
	return m.canAppend(string(text))
}

// globalFolder installs the hook for all repositories of this user. It is used if git is too old to support hooks in its settings. It
// writes our hook script into the folder that core.hooksPath names in the user's global settings. If these settings name no folder, it
// returns a *NoGlobalError.
func globalFolder(ctx context.Context, r *gitstate.Repo) error {
	dir, err := userFolder(ctx, r)
	if err != nil || dir == "" {
		return &NoGlobalError{Have: r.Version(ctx)}
	}
	return placeFile(r, dir)
}

// userFolder returns the folder that core.hooksPath names in the user's global settings.
func userFolder(ctx context.Context, r *gitstate.Repo) (string, error) {
	return r.Line(ctx, "config", "--global", "--type=path", "core.hooksPath")
}

func isUserFolder(ctx context.Context, r *gitstate.Repo, dir string) bool {
	users, err := userFolder(ctx, r)
	if err != nil {
		return false
	}
	one, errOne := os.Stat(users)
	two, errTwo := os.Stat(dir)
	return errOne == nil && errTwo == nil && os.SameFile(one, two)
}

// setAside renames another tool's hook to the name under which our stub runs it. The hook keeps its content and its mode.
func setAside(dir string) error {
	to := filepath.Join(dir, kept)
	if _, err := os.Lstat(to); err == nil {
		return fmt.Errorf("cannot move another tool's hook to '%s', because that file exists", to)
	}
	if err := os.Rename(filepath.Join(dir, Name), to); err != nil {
		return fmt.Errorf("move the existing hook aside: %w", err)
	}
	return nil
}

func writeStub(r *gitstate.Repo, path string) error {
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		err = r.Guard.PutBack(path, []byte(stub()), 0o755) // git warns about a hook that is not executable yet
	case err != nil || string(text) != stub():
		err = r.Guard.Replace(path, []byte(stub()))
	}
	// An interrupted install may have left the right text in a file that is not executable. git does not run such a file.
	if err == nil && !executable(path) {
		err = os.Chmod(path, 0o755)
	}
	if err != nil {
		return fmt.Errorf("write the hook: %w", err)
	}
	return nil
}

// Uninstall removes our hook and restores what was there before.
func Uninstall(ctx context.Context, r *gitstate.Repo, q Request) (State, error) {
	s, err := inspect(ctx, r)
	if err != nil {
		return s, err
	}
	if s.Way == BySetting && s.Global != q.Global {
		return s, &OtherScopeError{Global: s.Global}
	}
	if q.Global && (s.Way == ByManager || s.Way == ByFile && !isUserFolder(ctx, r, s.Dir)) {
		return s, &OtherScopeError{}
	}
	switch s.Way {
	case BySetting:
		err = removeSetting(ctx, r, s.Global)
	case ByManager:
		err = managerOf(r, s.Dir).remove(r)
	default:
		if _, there := os.Lstat(filepath.Join(s.Dir, kept)); s.Way == ByFile || there == nil {
			err = removeStub(r, s.Dir)
		}
	}
	if err != nil {
		return s, fmt.Errorf("remove the hook: %w", err)
	}
	s.Way, s.Chained, s.CallsItself = NotAtAll, false, false
	return s, nil
}

// OtherScopeError says that the user asked to uninstall the hook of this repository, but the hook is installed for all repositories. It is
// also returned for the reverse case.
type OtherScopeError struct{ Global bool }

func (e *OtherScopeError) Error() string {
	if e.Global {
		return "the hook is installed for all repositories, not for this one alone"
	}
	return "the hook is installed for this repository only, not for all"
}

// removeStub removes our stub from a folder of hooks, also a copy in the place of the former hook. It puts the former hook back, unless
// another hook has taken its place meanwhile.
func removeStub(r *gitstate.Repo, dir string) error {
	return locked(r, dir, func() error {
		path := filepath.Join(dir, Name)
		if err := removeCopy(dir); err != nil {
			return err
		}
		if _, err := os.Lstat(path); err == nil && !ownStub(path) {
			return nil
		}
		err := os.Rename(filepath.Join(dir, kept), path)
		if errors.Is(err, os.ErrNotExist) {
			err = os.Remove(path)
		}
		if errors.Is(err, os.ErrNotExist) {
			return nil // another process has uninstalled the hook
		}
		return err
	})
}

// probe makes git run all post-checkout hooks and checks the stub's answer. So we never report a hook as working if git does not run it.
func probe(ctx context.Context, r *gitstate.Repo) error {
	var said bytes.Buffer
	zero := strings.Repeat("0", 40)
	err := r.Hooks.Run(ctx, io.Writer(&said), []string{"GIT_RESUME_PROBE=1"}, Name, zero, zero, "0")
	if strings.Contains(said.String(), Alive) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.New("git reported no error, but the hook did not answer")
}
