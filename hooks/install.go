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

	"github.com/git-resume/git-resume/gitstate"
)

// Way says how git is made to run us.
type Way string

// The ways, best first.
const (
	NotAtAll  Way = ""
	BySetting Way = "setting"
	ByFile    Way = "file"
	ByManager Way = "manager"
)

// Request says where to install the hook.
type Request struct {
	// Global: for all repositories of this user.
	Global bool
	// Add allows us to add our lines to the hook manager's file, which is the user's own file.
	Add bool
}

// State says whether and how our hook is installed.
type State struct {
	Way Way
	// Global: the hook comes from the user's settings, not from the repository's.
	Global bool
	// Dir is where git looks for hooks; Path is our hook's file, if it has one.
	Dir, Path string
	// Current: the hook is the one that this version installs.
	Current bool
	// Chained: our stub runs another tool's hook first.
	Chained bool
	// Alive: we saw git run the hook.
	Alive bool
	// Shadowed: the stub lies in the repository's own hooks folder, but git looks for hooks elsewhere.
	Shadowed bool
	// Manager names the tool that owns the hooks, if we know it; Then is the command that makes it load our lines.
	Manager, Then string
}

// Installed reports whether our hook is installed in any way.
func (s State) Installed() bool { return s.Way != NotAtAll }

// ManagedError says that another tool owns the hooks and would overwrite ours, and that our Lines belong in its File.
type ManagedError struct {
	Manager, File string
	Lines         []string
	// Fit: the file has such a part already, so a person must fit the lines in.
	Fit bool
}

func (e *ManagedError) Error() string {
	return fmt.Sprintf("the hooks of this repository belong to %s", e.Manager)
}

// DeadError says that git does not run the hook although it is installed.
type DeadError struct{ Path, Why string }

func (e *DeadError) Error() string { return fmt.Sprintf("git does not run %s: %s", e.Path, e.Why) }

// NoGlobalError says that this git cannot run a hook in all repositories without replacing their own hooks.
type NoGlobalError struct{ Have string }

func (e *NoGlobalError) Error() string {
	return fmt.Sprintf("git %s cannot run a hook in all repositories beside their own; that needs %s", e.Have, configHooks)
}

// configHooks is the first version of git that takes hooks from its settings.
const configHooks = "2.54"

// Inspect says whether and how our hook is installed; it writes nothing, but asks git to run the hook once.
func Inspect(ctx context.Context, r *gitstate.Repo) (State, error) {
	s, err := inspect(ctx, r)
	if err == nil && s.Installed() {
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
		s.Way, s.Path, s.Current = BySetting, "", v == command
		s.Global = !localSetting(ctx, r)
		return s, nil
	}
	text, err := os.ReadFile(s.Path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return s, fmt.Errorf("read the hook: %w", err)
	}
	switch {
	case isOurs(text):
		s.Way, s.Current = ByFile, string(text) == stub
		_, err := os.Lstat(filepath.Join(dir, kept))
		s.Chained = err == nil
	case m != nil && m.has(r):
		s.Way, s.Path, s.Current = ByManager, m.path(r), true
	default:
		own, err := os.ReadFile(filepath.Join(r.CommonPath("hooks"), Name))
		s.Shadowed = err == nil && isOurs(own)
	}
	return s, nil
}

// Install makes git run us after a checkout, in addition to any hook that is already there, and proves that git does so.
// Installing again changes nothing.
func Install(ctx context.Context, r *gitstate.Repo, q Request) (State, error) {
	s, err := inspect(ctx, r)
	if err != nil {
		return s, err
	}
	if err := place(ctx, r, q, s); err != nil {
		return s, err
	}
	r = r.Again() // read again what was just set
	defer r.Close()
	if s, err = inspect(ctx, r); err != nil {
		return s, err
	}
	if s.Way == ByManager { // the manager runs our lines only after it has loaded them, so a hook that is not alive is no error here
		s.Alive = probe(ctx, r) == nil
		return s, nil
	}
	if err := probe(ctx, r); err != nil {
		return s, &DeadError{Path: s.Path, Why: err.Error()}
	}
	s.Alive = true
	return s, nil
}

// place keeps the way that is already installed; otherwise it uses a setting if git supports that,
// then the file of a hook manager, then git's hooks folder.
func place(ctx context.Context, r *gitstate.Repo, q Request, s State) error {
	bySetting := r.AtLeast(ctx, configHooks)
	switch {
	case q.Global && !bySetting:
		return globalFolder(ctx, r)
	case s.Way == BySetting && s.Global && s.Current && !q.Global:
		return nil // git runs it in all repositories already
	case s.Way == BySetting, s.Way == NotAtAll && bySetting, q.Global:
		return setSetting(ctx, r, q.Global)
	case s.Way == ByFile:
		return writeStub(r, s.Path)
	case s.Way == ByManager:
		return nil
	}
	if m := managerOf(r, s.Dir); m != nil {
		if !q.Add {
			return &ManagedError{Manager: m.name, File: m.file, Lines: m.text(), Fit: !m.freeIn(r)}
		}
		return m.add(r)
	}
	if _, err := os.Lstat(s.Path); err == nil {
		if err := setAside(s); err != nil {
			return err
		}
	}
	return writeStub(r, s.Path)
}

func (m *manager) freeIn(r *gitstate.Repo) bool {
	text, _ := os.ReadFile(m.path(r)) // a missing file has room
	return m.free(string(text))
}

// globalFolder serves a git without hooks in its settings: only a folder that the user made for all repositories can be used.
func globalFolder(ctx context.Context, r *gitstate.Repo) error {
	dir, err := r.Line(ctx, "config", "--global", "--type=path", "core.hooksPath")
	if err != nil || dir == "" {
		return &NoGlobalError{Have: r.Version(ctx)}
	}
	s := State{Dir: dir, Path: filepath.Join(dir, Name)}
	text, err := os.ReadFile(s.Path)
	if err == nil && !isOurs(text) {
		if err := setAside(s); err != nil {
			return err
		}
	}
	return writeStub(r, s.Path)
}

// setAside moves another tool's hook, byte for byte and with its mode, to the name under which the stub runs it.
func setAside(s State) error {
	to := filepath.Join(s.Dir, kept)
	if _, err := os.Lstat(to); err == nil {
		return fmt.Errorf("'%s' is in the way: it is what an earlier install kept", to)
	}
	if err := os.Rename(s.Path, to); err != nil {
		return fmt.Errorf("keep the hook that is there: %w", err)
	}
	return nil
}

func writeStub(r *gitstate.Repo, path string) error {
	if text, err := os.ReadFile(path); err != nil || string(text) != stub {
		if err := r.Guard.Replace(path, []byte(stub)); err != nil {
			return fmt.Errorf("write the hook: %w", err)
		}
	}
	// An install that was killed may have left the right text in a file that is not executable, so that git does not run it.
	if info, err := os.Stat(path); err == nil && info.Mode()&0o100 != 0 {
		return nil
	}
	if err := os.Chmod(path, 0o755); err != nil {
		return fmt.Errorf("write the hook: %w", err)
	}
	return nil
}

// Uninstall removes our hook and leaves, byte for byte, what was there before.
func Uninstall(ctx context.Context, r *gitstate.Repo, q Request) (State, error) {
	s, err := inspect(ctx, r)
	if err != nil {
		return s, err
	}
	if s.Way == BySetting && s.Global != q.Global {
		return s, &OtherScopeError{Global: s.Global}
	}
	switch s.Way {
	case BySetting:
		err = removeSetting(ctx, r, s.Global)
	case ByManager:
		err = managerOf(r, s.Dir).remove(r)
	case ByFile:
		err = removeStub(s)
	}
	if err != nil {
		return s, fmt.Errorf("remove the hook: %w", err)
	}
	s.Way, s.Chained = NotAtAll, false
	return s, nil
}

// OtherScopeError says that the hook is installed for all repositories where only this one was named, or the reverse.
type OtherScopeError struct{ Global bool }

func (e *OtherScopeError) Error() string {
	if e.Global {
		return "the hook is installed for all repositories, not for this one"
	}
	return "the hook is installed for this repository, not for all"
}

func removeStub(s State) error {
	if s.Chained {
		return os.Rename(filepath.Join(s.Dir, kept), s.Path)
	}
	return os.Remove(s.Path)
}

// probe asks git to run the hook and looks for the stub's answer, so that we never call a dead hook installed.
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
	return errors.New("it gave no answer")
}
