package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/release"
)

// source is the checkout that a version is made from.
type source struct {
	ctx    context.Context
	root   string
	env    []string
	script []byte   // the text of install.sh, which also says which git is the oldest supported one
	places []string // environment variables that say where Go finds its caches and modules
}

var oldestGit = regexp.MustCompile(`(?m)^min_git=([0-9.]+)$`)

// version returns the number of the version (from the tag), its time (from the current commit), and the number of the oldest git that it
// supports (from install.sh). It returns an error if the checkout has uncommitted changes, or if the tag belongs to another commit.
func (s *source) version(tag string) (release.Version, error) {
	number, err := release.ParseVersion(tag)
	if err != nil {
		return release.Version{}, err
	}
	changed, err := s.git("status", "--porcelain")
	if err != nil {
		return release.Version{}, err
	}
	if changed != "" {
		return release.Version{}, fmt.Errorf("the checkout has changes that are not committed, so nobody could make the same files again:\n%s", changed)
	}
	at, err := s.git("log", "-1", "--format=%ct %H")
	if err != nil {
		return release.Version{}, err
	}
	seconds, commit, _ := strings.Cut(at, " ")
	if tagged, err := s.git("rev-parse", "--verify", "--quiet", "refs/tags/"+tag+"^{commit}"); err == nil && tagged != commit {
		return release.Version{}, fmt.Errorf("%s is the tag of commit %s, but %s is checked out; use 'git checkout %s'", tag, tagged, commit, tag)
	}
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return release.Version{}, err
	}
	if s.script, err = s.read("install.sh"); err != nil {
		return release.Version{}, err
	}
	m := oldestGit.FindSubmatch(s.script)
	if m == nil {
		return release.Version{}, errors.New("install.sh has no line min_git=")
	}
	return release.Version{Number: number, Time: time.Unix(unix, 0).UTC(), Git: string(m[1])}, nil
}

// make builds the program for one platform and packs it.
func (s *source) make(v release.Version, p release.Platform) ([]release.Artifact, error) {
	c, err := s.contents()
	if err != nil {
		return nil, err
	}
	if c.Program, err = s.program(v, p); err != nil {
		return nil, err
	}
	if c.Notices, err = s.notices(p); err != nil {
		return nil, err
	}
	return release.Make(v, p, c)
}

// contents reads all files of a release except the program and the licences of its modules.
func (s *source) contents() (release.Contents, error) {
	c := release.Contents{Script: s.script}
	for name, to := range map[string]*[]byte{
		"LICENSE": &c.Licence, "completions/git-resume.bash": &c.Bash, "completions/_git-resume": &c.Zsh,
		"completions/git-resume.fish": &c.Fish, "completions/git-resume-conf.fish": &c.FishConf,
	} {
		var err error
		if *to, err = s.read(name); err != nil {
			return c, err
		}
	}
	for _, name := range []string{"README.md", "CHANGELOG.md"} {
		data, err := s.read(name)
		if err != nil {
			return c, err
		}
		c.Texts = append(c.Texts, release.File{Path: name, Mode: 0o644, Data: data})
	}
	pages, err := filepath.Glob(filepath.Join(s.root, "man", "*.1"))
	if err != nil {
		return c, err
	}
	for _, page := range pages {
		data, err := os.ReadFile(page)
		if err != nil {
			return c, err
		}
		c.Manual = append(c.Manual, release.File{Path: filepath.Base(page), Mode: 0o644, Data: data})
	}
	if len(c.Manual) == 0 {
		return c, errors.New("there are no manual pages in man/")
	}
	return c, nil
}

// program builds the program for one platform. install.sh builds with the same options.
func (s *source) program(v release.Version, p release.Platform) ([]byte, error) {
	dir, err := os.MkdirTemp("", "git-resume-release-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, p.Program())
	_, err = s.golang(p, "build", "-buildvcs=false", "-tags", "urfave_cli_no_docs", "-trimpath",
		"-ldflags", "-s -w -X main.version=v"+v.Number, "-o", file, "./cmd/git-resume")
	if err != nil {
		return nil, err
	}
	return os.ReadFile(file)
}

// kept lists the settings of Go that say where its files are and where modules come from. They do not change the result, so the user's
// values are used.
var kept = []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOSUMDB", "GOPRIVATE", "GONOSUMDB", "GONOPROXY"}

// golang runs go. Settings that could change the result have fixed values, even if the user has set others.
func (s *source) golang(p release.Platform, args ...string) (string, error) {
	if s.places == nil {
		values, err := s.run(s.env, "go", append([]string{"env"}, kept...)...)
		if err != nil {
			return "", err
		}
		for i, value := range strings.Split(values, "\n") {
			s.places = append(s.places, kept[i]+"="+value)
		}
	}
	env := append(slices.Clone(s.env), s.places...)
	env = append(env, "GOENV=off", "GOOS="+p.OS, "GOARCH="+p.Arch, "GOAMD64=v1", "GOARM=7", "GOARM64=v8.0", "CGO_ENABLED=0",
		"GOWORK=off", "GOFLAGS=-mod=readonly", "GOEXPERIMENT=", "GOFIPS140=off", "GODEBUG=")
	return s.run(env, "go", args...)
}

func (s *source) git(args ...string) (string, error) { return s.run(s.env, "git", args...) }

func (s *source) run(env []string, name string, args ...string) (string, error) {
	out, err := proc.Command{Name: name, Args: args, Dir: s.root, Env: env}.Run(s.ctx)
	return strings.TrimSuffix(string(out.Stdout), "\n"), err
}

func (s *source) read(name string) ([]byte, error) {
	return os.ReadFile(filepath.Join(s.root, filepath.FromSlash(name)))
}

// notices collects the licences of Go and of every module that is linked into the program, because their terms demand it.
func (s *source) notices(p release.Platform) ([]byte, error) {
	goroot, err := s.golang(p, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	list, err := s.golang(p, "list", "-deps", "-tags", "urfave_cli_no_docs",
		"-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}", "./cmd/git-resume")
	if err != nil {
		return nil, err
	}
	modules := slices.DeleteFunc(strings.Split(list, "\n"), func(line string) bool { return line == "" })
	slices.Sort(modules)
	var out bytes.Buffer
	out.WriteString("The program contains the work of others, under these terms.\n")
	for _, line := range append([]string{"The Go programming language\t" + goroot}, slices.Compact(modules)...) {
		name, dir, _ := strings.Cut(line, "\t")
		terms, err := termsIn(dir)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintf(&out, "\n== %s\n\n%s\n", name, terms)
	}
	return out.Bytes(), nil
}

// termsIn returns the files of a module that state its licence.
func termsIn(dir string) ([]byte, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var all [][]byte
	for _, e := range entries {
		stem, _, _ := strings.Cut(strings.ToUpper(e.Name()), ".")
		if !slices.Contains([]string{"LICENSE", "LICENCE", "COPYING", "NOTICE"}, stem) || !e.Type().IsRegular() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		all = append(all, bytes.TrimSpace(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))))
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no licence in '%s'", dir)
	}
	return bytes.Join(all, []byte("\n\n")), nil
}
