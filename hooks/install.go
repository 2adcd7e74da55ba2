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

// Way is how git comes to run us.
type Way string

// The ways, in the order of choice.
const (
	NotAtAll  Way = ""
	BySetting Way = "setting"
	ByFile    Way = "file"
	ByManager Way = "manager"
)

// Request says where the hook shall be installed.
type Request struct {
	// Global: for all repositories of this user.
	Global bool
	// Add puts our lines into the file of the tool that owns the hooks, which is the user's own file.
	Add bool
}

// State is what is known of our hook.
type State struct {
	Way Way
	// Global: it comes from the user's settings, not from the repository's.
	Global bool
	// Dir is where git looks for hooks, Path the file that is ours, if one is.
	Dir, Path string
	// Current: it is the one of this version.
	Current bool
	// Chained: another tool's hook is run first.
	Chained bool
	// Alive: git was seen to run it.
	Alive bool
	// Shadowed: the stub lies in the repository's folder, but git looks elsewhere.
	Shadowed bool
	// Manager names the tool that owns the hooks, if it is known; Then is what makes it take notice.
	Manager, Then string
}

// Installed reports whether anything of ours is in place.
func (s State) Installed() bool { return s.Way != NotAtAll }

// ManagedError says that another tool owns the hooks and would overwrite ours:
// its own file is the place, and Lines are what belongs there.
type ManagedError struct {
	Manager, File string
	Lines         []string
	// Fit: the file has such a part already, so that a person must fit the lines in.
	Fit bool
}

func (e *ManagedError) Error() string {
	return fmt.Sprintf("the hooks of this repository belong to %s", e.Manager)
}

// DeadError says that git does not run the hook although it is in place.
type DeadError struct{ Path, Why string }

func (e *DeadError) Error() string { return fmt.Sprintf("git does not run %s: %s", e.Path, e.Why) }

// NoGlobalError says that this git has no hooks for all repositories that leave the repositories' own alone.
type NoGlobalError struct{ Have string }

func (e *NoGlobalError) Error() string {
	return fmt.Sprintf("git %s cannot run a hook in all repositories beside their own; that needs %s", e.Have, configHooks)
}

// configHooks is the git that takes hooks from its settings.
const configHooks = "2.54"

// Look tells how our hook stands; it writes nothing but asks git to run it once.
func Look(ctx context.Context, r *gitstate.Repo) (State, error) {
	s, err := look(ctx, r)
	if err == nil && s.Installed() {
		s.Alive = probe(ctx, r) == nil
	}
	return s, err
}

func look(ctx context.Context, r *gitstate.Repo) (State, error) {
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

// Install makes git run us after a checkout, beside whatever is there, and proves that it does.
// Done twice it changes nothing.
func Install(ctx context.Context, r *gitstate.Repo, q Request) (State, error) {
	s, err := look(ctx, r)
	if err != nil {
		return s, err
	}
	if err := place(ctx, r, q, s); err != nil {
		return s, err
	}
	r = r.Again() // what was just set is read anew
	defer r.Close()
	if s, err = look(ctx, r); err != nil {
		return s, err
	}
	if s.Way == ByManager { // whether it is run is the manager's business, once it took notice
		s.Alive = probe(ctx, r) == nil
		return s, nil
	}
	if err := probe(ctx, r); err != nil {
		return s, &DeadError{Path: s.Path, Why: err.Error()}
	}
	s.Alive = true
	return s, nil
}

// place chooses the way: a setting where git has that, else our own older stub, else another tool's file, else the folder.
func place(ctx context.Context, r *gitstate.Repo, q Request, s State) error {
	bySetting := r.AtLeast(ctx, configHooks)
	switch {
	case q.Global && !bySetting:
		return globalFolder(ctx, r)
	case s.Way == BySetting && s.Global == q.Global, s.Way == NotAtAll && bySetting, q.Global:
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
	text, _ := os.ReadFile(m.path(r)) // none: it is free
	return m.free(string(text))
}

// globalFolder serves a git without hooks in its settings: only a folder that the user made for all repositories will do.
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

// setAside keeps another tool's hook, byte for byte and with its mode, under a name that the stub runs.
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
	// An install that was killed may have left the right text in a file that git does not run.
	if info, err := os.Stat(path); err == nil && info.Mode()&0o100 != 0 {
		return nil
	}
	if err := os.Chmod(path, 0o755); err != nil {
		return fmt.Errorf("write the hook: %w", err)
	}
	return nil
}

// Uninstall takes away what is ours and leaves what was there before, to the byte.
func Uninstall(ctx context.Context, r *gitstate.Repo, q Request) (State, error) {
	s, err := look(ctx, r)
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

// OtherScopeError says that the hook is installed, but for the other reach than the one named.
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

// probe asks git to run the hook and looks for the stub's answer: "installed" is never said of a dead hook.
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
