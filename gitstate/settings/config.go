package settings

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
)

// Config holds all settings as git reports them for this repository.
type Config struct{ values map[string][]string }

// Settings reads the user's and the repository's settings. They are read only once.
type Settings struct {
	git    *process.Program
	mu     sync.Mutex
	config *Config
	// files is the text of all settings files; nil until they are read.
	files *string
}

// New returns Settings that have not read anything yet.
func New(git *process.Program) *Settings { return &Settings{git: git} }

// Config returns all settings, including those given by "git -c". They are kept for later calls.
func (r *Settings) Config(ctx context.Context) (*Config, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.config != nil {
		return r.config, nil
	}
	out, err := r.git.Git(ctx, process.Call{Args: []string{"config", "--list", "--includes", "-z"}})
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	r.config = parseConfig(string(out))
	return r.config, nil
}

func parseConfig(text string) *Config {
	c := &Config{values: map[string][]string{}}
	for entry := range strings.SplitSeq(text, "\x00") {
		if entry == "" {
			continue
		}
		key, value, set := strings.Cut(entry, "\n")
		if !set {
			value = "true" // a key without "=" means true
		}
		c.values[key] = append(c.values[key], value)
	}
	return c
}

// Get returns the last value of a key, and whether the key is set. The key's section and variable name must be in lower case.
func (c *Config) Get(key string) (string, bool) {
	all := c.values[key]
	if len(all) == 0 {
		return "", false
	}
	return all[len(all)-1], true
}

// All returns every value of a key, in order.
func (c *Config) All(key string) []string { return c.values[key] }

// HasSection reports whether any key begins with prefix.
func (c *Config) HasSection(prefix string) bool {
	for key := range c.values {
		if strings.HasPrefix(key, prefix) {
			return true
		}
	}
	return false
}

// Bool reads a yes/no setting. If the value is missing or invalid, Bool returns the value of the parameter "unset".
func (c *Config) Bool(key string, unset bool) bool {
	v, ok := c.Get(key)
	if !ok {
		return unset
	}
	if b, ok := locate.ParseBool(v); ok {
		return b
	}
	return unset
}

var errDuration = errors.New("not a duration such as 30m, 12h, 7d or 30.days")

// Duration reads a time span such as "36h", "7d" or "30.days" (see ParseDuration). If the setting is missing, Duration returns the value of
// the parameter "unset". An invalid value is an error.
func (c *Config) Duration(key string, unset time.Duration) (time.Duration, error) {
	v, ok := c.Get(key)
	if !ok {
		return unset, nil
	}
	d, err := ParseDuration(v)
	if err != nil {
		return unset, fmt.Errorf("setting '%s' is '%s': %w", key, v, err)
	}
	return d, nil
}

// ParseDuration reads "30m", "36h", "7d", "2w", "30.days" or "never". Here "never" means a hundred years, which is also the maximum.
func ParseDuration(v string) (time.Duration, error) {
	const (
		day  = 24 * time.Hour
		most = 100 * 365 * day
	)
	v = strings.TrimSpace(v)
	if v == "never" {
		return most, nil
	}
	if d, err := time.ParseDuration(v); err == nil && d >= 0 && d <= most {
		return d, nil
	}
	units := map[string]time.Duration{
		"d": day, "day": day, "days": day, "w": 7 * day, "week": 7 * day, "weeks": 7 * day,
		"hour": time.Hour, "hours": time.Hour, "minute": time.Minute, "minutes": time.Minute,
	}
	cut := strings.IndexFunc(v, func(r rune) bool { return r < '0' || r > '9' })
	if cut <= 0 {
		return 0, errDuration
	}
	n, err := strconv.Atoi(v[:cut])
	unit, ok := units[strings.Trim(v[cut:], ". ")]
	if err != nil || !ok || n > int(most/unit) {
		return 0, errDuration
	}
	return time.Duration(n) * unit, nil
}

// SHA256 reports whether the repository's object ids are SHA-256.
func (c *Config) SHA256() bool {
	v, _ := c.Get("extensions.objectformat")
	return v == "sha256"
}

// Hasher returns the Hasher for the repository's object format. git takes the format from the repository's own settings, and uses SHA-1 if
// they do not mention it.
func (r *Settings) Hasher(ctx context.Context) (object.Hasher, error) {
	if !strings.Contains(r.Text(), "objectformat") {
		return object.Hasher{}, nil
	}
	c, err := r.Config(ctx)
	if err != nil {
		return object.Hasher{}, err
	}
	return object.NewHasher(c.SHA256()), nil
}

// userFiles lists the files that may contain the user's and the machine's settings.
func (r *Settings) userFiles() []string {
	var files []string
	if path, ok := r.git.Var("GIT_CONFIG_SYSTEM"); ok {
		files = append(files, path)
	} else if _, none := r.git.Var("GIT_CONFIG_NOSYSTEM"); !none {
		files = append(files, "/etc/gitconfig")
	}
	if path, ok := r.git.Var("GIT_CONFIG_GLOBAL"); ok {
		return append(files, path)
	}
	home, _ := r.git.Var("HOME")
	xdg, ok := r.git.Var("XDG_CONFIG_HOME")
	if !ok {
		xdg = filepath.Join(home, ".config")
	}
	return append(files, filepath.Join(home, ".gitconfig"), filepath.Join(xdg, "git", "config"))
}

// Mentions reports whether there may be a setting whose name contains this word or whose value is this word. It searches git's settings
// files itself, because asking git costs a process and most people have no such setting. If it cannot be certain, it returns true.
func (r *Settings) Mentions(word string) bool {
	r.mu.Lock()
	known := r.config
	r.mu.Unlock()
	if known != nil {
		for key, values := range known.values {
			if strings.Contains(key, word) || slices.Contains(values, word) {
				return true
			}
		}
		return false
	}
	for _, name := range []string{"GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT"} {
		if _, ok := r.git.Var(name); ok {
			return true
		}
	}
	text := r.Text()
	return strings.Contains(text, word) || strings.Contains(text, "include")
}

// Files lists the files from which git may read settings for this repository. It leaves out files that these files
// include.
func (r *Settings) Files() []string {
	return append(r.userFiles(), filepath.Join(r.git.CommonDir, "config"), filepath.Join(r.git.GitDir, "config.worktree"))
}

// Text returns the content of all settings files, in lower case and without the section of our own hook. The files are read only once.
func (r *Settings) Text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.files == nil {
		var all strings.Builder
		for _, f := range r.Files() {
			text, _ := locate.ReadFile(f) // a missing file adds nothing
			all.WriteString(withoutOwnHook(string(bytes.ToLower(text))))
		}
		text := all.String()
		r.files = &text
	}
	return *r.files
}

// withoutOwnHook removes the section of our hook, which git 2.54 or later reads. The hook is a long shell function, and the words in it
// are not settings. A header after a line that ends in a backslash is part of a value, so nothing is removed there.
func withoutOwnHook(text string) string {
	const header = "[hook \"git-resume\"]"
	if !strings.Contains(text, header) {
		return text
	}
	var out strings.Builder
	own, continued := false, false
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\r\n"); strings.HasPrefix(strings.TrimLeft(line, " \t"), "[") {
			own = !continued && strings.TrimSpace(line) == header
		}
		if !own {
			out.WriteString(line + "\n")
		}
		continued = strings.HasSuffix(line, "\\")
	}
	return out.String()
}

// Section returns all settings whose key begins with prefix.
func (c *Config) Section(prefix string) map[string][]string {
	out := map[string][]string{}
	for key, values := range c.values {
		if strings.HasPrefix(key, prefix) {
			out[key] = values
		}
	}
	return out
}

// Configure changes settings with "git config". If git is killed, the next writer clears the lock of the repository's settings file, but
// not the lock of the user's global file.
func (r *Settings) Configure(ctx context.Context, args ...string) error {
	_, err := r.git.Git(ctx, process.Call{Args: append([]string{"config"}, args...), Mode: process.Write, Locks: []string{r.git.CommonPath("config.lock")}})
	return err
}
