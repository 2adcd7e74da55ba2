package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/git-resume/git-resume/completions"
	"github.com/git-resume/git-resume/internal/dotgit"
	"github.com/git-resume/git-resume/internal/handler/doctor"
	"github.com/git-resume/git-resume/internal/manual"
)

// installation checks whether git finds the program on PATH. It also checks and repairs the manual pages and the completions.
type installation struct{ call *program }

// The method "checks" returns the results of checking the installation, or nil if the path of our own program is unknown.
func (in installation) checks() []doctor.Check {
	self, err := os.Executable()
	if err != nil {
		return nil
	}
	if real, err := filepath.EvalSymlinks(self); err == nil {
		self = real
	}
	share := filepath.Join(filepath.Dir(filepath.Dir(self)), "share")
	pages := map[string]string{}
	for name, text := range manual.Pages() {
		pages[filepath.Join(share, "man", "man1", name)] = text
	}
	one := func(place string, text []byte) map[string]string {
		return map[string]string{filepath.Join(share, filepath.FromSlash(place)): string(text)}
	}
	return []doctor.Check{
		in.onPath(self),
		in.filesCheck("man page", "without this file, 'git resume --help' may fail", pages),
		in.filesCheck("bash", "without this file, bash may not complete 'git resume'", one("bash-completion/completions/git-resume", completions.Bash)),
		in.filesCheck("zsh", "without this file, zsh may not complete 'git resume'", one(zshPlace(share), completions.Zsh)),
		in.filesCheck("fish", "without this file, fish may not complete 'git resume'", map[string]string{
			filepath.Join(share, "fish/vendor_completions.d/git-resume.fish"): string(completions.Fish),
			filepath.Join(share, "fish/vendor_conf.d/git-resume.fish"):        string(completions.FishConf),
		}),
	}
}

// zshPlace returns the path of the completion for zsh, relative to a folder such as /usr/share. zsh reads two folders: the usual one, and
// one that Debian's packages use.
func zshPlace(share string) string {
	const usual, debian = "zsh/site-functions/_git-resume", "zsh/vendor-completions/_git-resume"
	if _, err := os.Stat(filepath.Join(share, filepath.FromSlash(usual))); err == nil {
		return usual
	}
	if _, err := os.Stat(filepath.Join(share, filepath.FromSlash(debian))); err == nil {
		return debian
	}
	return usual
}

// filesCheck checks whether all files exist and belong to this version. A missing file is accepted if a file with its name and ".gz"
// exists. The argument "without" says what may not work without one of the files.
func (in installation) filesCheck(name, without string, files map[string]string) doctor.Check {
	paths := slices.SortedFunc(maps.Keys(files), func(a, b string) int { // sort git-resume.1 before the longer names of the other pages
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
	c := doctor.Check{Name: name, Well: true, Text: paths[0], Fix: func(context.Context) error {
		for _, path := range paths {
			if err := in.putFile(path, files[path]); err != nil {
				return err
			}
		}
		return nil
	}}
	for _, path := range paths {
		have, err := os.ReadFile(path)
		switch _, packed := os.Stat(path + ".gz"); {
		case err != nil && packed == nil: // the file with ".gz" exists, because a distribution has installed the manual page compressed
		case err != nil:
			c.Well, c.Text = false, fmt.Sprintf("missing at %s: %s", path, without)
			return c
		case string(have) != files[path]:
			c.Well, c.Text = false, fmt.Sprintf("%s differs from the file that belongs to this version of git-resume", path)
			return c
		}
	}
	return c
}

// putFile writes a file if it is missing or has other content. It does nothing if there is a compressed copy with the suffix .gz, because
// then a package of the operating system has installed the file.
func (in installation) putFile(path, text string) error {
	if have, err := os.ReadFile(path); err == nil && string(have) == text {
		return nil
	}
	if _, err := os.Stat(path + ".gz"); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	write := dotgit.WriteFile
	if in.call.repo != nil { // the method Replace makes its temporary file in our own folder, so a killed process leaves none next to the target
		write = in.call.repo.Guard.Replace
	}
	if err := write(path, []byte(text)); err != nil {
		return err
	}
	return os.Chmod(path, 0o644)
}

// programFile is the file name of the program.
var programFile = map[bool]string{true: "git-resume.exe", false: "git-resume"}[runtime.GOOS == "windows"]

// onPath checks whether git would start this program or another program of the same name.
func (in installation) onPath(self string) doctor.Check {
	c := doctor.Check{Name: "program"}
	for _, dir := range filepath.SplitList(in.call.getenv("PATH")) {
		path := filepath.Join(dir, programFile)
		info, err := os.Stat(path)
		if err != nil || info.IsDir() || runtime.GOOS != "windows" && info.Mode()&0o111 == 0 {
			continue
		}
		if real, err := filepath.EvalSymlinks(path); err == nil && real == self {
			c.Well, c.Text = true, path
			return c
		}
		c.Text, c.Help = fmt.Sprintf("'git resume' runs %s instead of this program, %s", path, self), "put the folder of this program first in PATH"
		return c
	}
	c.Text, c.Help = fmt.Sprintf("%s is not on PATH, so git cannot find 'git resume'", self), "add the folder of this program to PATH"
	return c
}
