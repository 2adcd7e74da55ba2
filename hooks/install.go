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

// State is what is known of our hook in a repository.
type State struct {
	// Dir is where git looks for hooks, Path our place in it.
	Dir, Path string
	Installed bool
	// Current: the stub is the one of this version.
	Current bool
	// Chained: another tool's hook is run first.
	Chained bool
	// Alive: git was seen to run it.
	Alive bool
	// Manager names the tool that owns the hooks folder, if it is known.
	Manager string
}

// ManagedError says that another tool owns the hooks folder and would overwrite ours:
// its own file is the place, and Lines are what belongs there.
type ManagedError struct {
	Manager, File string
	Lines         []string
}

func (e *ManagedError) Error() string {
	return fmt.Sprintf("the hooks of this repository belong to %s", e.Manager)
}

// DeadError says that git does not run the hook although it is in place.
type DeadError struct{ Path, Why string }

func (e *DeadError) Error() string { return fmt.Sprintf("git does not run %s: %s", e.Path, e.Why) }

// Look tells how our hook stands; it writes nothing but asks git to run it once.
func Look(ctx context.Context, r *gitstate.Repo) (State, error) {
	s, text, err := look(ctx, r)
	if err != nil || !s.Installed {
		return s, err
	}
	s.Current = string(text) == stub
	s.Alive = probe(ctx, r) == nil
	return s, nil
}

func look(ctx context.Context, r *gitstate.Repo) (State, []byte, error) {
	dir, err := r.HooksDir(ctx)
	if err != nil {
		return State{}, nil, err
	}
	s := State{Dir: dir, Path: filepath.Join(dir, Name), Manager: managerOf(r, dir)}
	text, err := os.ReadFile(s.Path)
	if errors.Is(err, os.ErrNotExist) {
		return s, nil, nil
	}
	if err != nil {
		return s, nil, fmt.Errorf("read the hook: %w", err)
	}
	s.Installed = isOurs(text)
	if _, err := os.Lstat(filepath.Join(dir, kept)); err == nil {
		s.Chained = true
	}
	return s, text, nil
}

// Install puts the stub in place, in front of whatever is there, and proves that git runs it.
// Done twice it changes nothing.
func Install(ctx context.Context, r *gitstate.Repo) (State, error) {
	s, text, err := look(ctx, r)
	if err != nil {
		return s, err
	}
	if s.Manager != "" && !s.Installed {
		return s, &ManagedError{Manager: s.Manager, File: managerFile(s.Manager), Lines: []string{`git-resume hook post-checkout "$@" || :`}}
	}
	if text != nil && !s.Installed {
		if err := setAside(s); err != nil {
			return s, err
		}
	}
	if string(text) != stub {
		if err := writeStub(s.Path); err != nil {
			return s, err
		}
	}
	if err := probe(ctx, r); err != nil {
		return s, &DeadError{Path: s.Path, Why: err.Error()}
	}
	return Look(ctx, r)
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

func writeStub(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return fmt.Errorf("make the hooks folder: %w", err)
	}
	if err := gitstate.WriteFile(path, []byte(stub)); err != nil {
		return fmt.Errorf("write the hook: %w", err)
	}
	if err := os.Chmod(path, 0o755); err != nil {
		return fmt.Errorf("write the hook: %w", err)
	}
	return nil
}

// Uninstall takes the stub away and puts back what was there before, to the byte.
func Uninstall(ctx context.Context, r *gitstate.Repo) (State, error) {
	s, _, err := look(ctx, r)
	if err != nil || !s.Installed {
		return s, err
	}
	if s.Chained {
		err = os.Rename(filepath.Join(s.Dir, kept), s.Path)
	} else {
		err = os.Remove(s.Path)
	}
	if err != nil {
		return s, fmt.Errorf("remove the hook: %w", err)
	}
	s.Installed, s.Chained = false, false
	return s, nil
}

// probe asks git to run the hook and looks for the stub's answer: "installed" is never said of a dead hook.
func probe(ctx context.Context, r *gitstate.Repo) error {
	var said bytes.Buffer
	zero := strings.Repeat("0", 40)
	err := r.RunHook(ctx, io.Writer(&said), []string{"GIT_RESUME_PROBE=1"}, Name, zero, zero, "0")
	if strings.Contains(said.String(), probeWord) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.New("it gave no answer")
}

// managers own hooks folders; each is known by the folder or by a file in the work tree.
var managers = []struct{ name, dir, file string }{
	{"husky", ".husky", ".husky/post-checkout"},
	{"lefthook", "", "lefthook.yml"},
	{"overcommit", "", ".overcommit.yml"},
}

// managerOf names the tool to which the hooks folder belongs, where another hook of ours would not live long.
func managerOf(r *gitstate.Repo, dir string) string {
	if r.WorkTree == "" {
		return ""
	}
	for _, m := range managers {
		if m.dir != "" && strings.HasPrefix(dir+"/", filepath.Join(r.WorkTree, m.dir)+"/") {
			return m.name
		}
		if m.dir == "" {
			if _, err := os.Stat(filepath.Join(r.WorkTree, m.file)); err == nil {
				return m.name
			}
		}
	}
	return ""
}

func managerFile(name string) string {
	for _, m := range managers {
		if m.name == name {
			return m.file
		}
	}
	return ""
}
