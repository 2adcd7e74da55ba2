// Package release makes the files that are published for a version: archives, Debian and RPM packages, a Homebrew formula and the list
// of checksums.
//
// The same input always gives the same bytes, as long as the version of Go is the same. This package does not build programs or read
// files. The package internal/release/build does that.
package release

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Platform is one system that a version is built for. OS and Arch are Go's names.
type Platform struct{ OS, Arch string }

// Platforms lists all systems that a version is built for.
var Platforms = []Platform{
	{"darwin", "amd64"}, {"darwin", "arm64"},
	{"linux", "amd64"}, {"linux", "arm64"}, {"linux", "arm"},
	{"windows", "amd64"}, {"windows", "arm64"},
}

// name returns the platform as it appears in file names. install.sh builds the same name from the output of uname.
func (p Platform) name() string {
	if p.Arch == "arm" {
		return p.OS + "-armv7"
	}
	return p.OS + "-" + p.Arch
}

func (p Platform) String() string { return p.name() }

// Program is the file name of the program on this platform.
func (p Platform) Program() string {
	if p.OS == "windows" {
		return "git-resume.exe"
	}
	return "git-resume"
}

// File is one file of an archive or a package. A path that ends with a slash is a folder.
type File struct {
	Path string
	Mode int64
	Data []byte
}

func (f File) isFolder() bool { return strings.HasSuffix(f.Path, "/") }

// Version is the version of git-resume that a release publishes.
type Version struct {
	// Number is the version without the leading v of its tag.
	Number string
	// Time is the time of the commit. All files in archives and packages get this time, so that the time of the build does not matter.
	Time time.Time
	// Git is the oldest git that the program works with.
	Git string
}

var versionForm = regexp.MustCompile(`^v(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-[0-9A-Za-z]+(\.[0-9A-Za-z]+)*)?$`)

// ParseVersion returns the number in the tag of a version.
func ParseVersion(tag string) (string, error) {
	if !versionForm.MatchString(tag) {
		return "", fmt.Errorf("'%s' is not the tag of a version, such as v0.9.0 or v0.9.0-rc.1", tag)
	}
	return tag[1:], nil
}

// packaged is the number as dpkg and rpm compare it: a tilde sorts 1.0~rc.1 before 1.0.
func (v Version) packaged() string { return strings.Replace(v.Number, "-", "~", 1) }

const (
	homepage    = "https://github.com/git-resume/git-resume"
	maintainer  = "git-resume maintainers <git-resume@users.noreply.github.com>"
	summary     = "continue interrupted work in a git repository"
	description = `A long job in a repository stops halfway: a coding agent's plan, a
migration, a release script, a rebase. 'git resume' finds the job, proves
what is done, shows what has changed since, and continues at the right task
in the right worktree. Nothing is lost.`
)

// Artifact is one published file.
type Artifact struct {
	Name string
	Data []byte
}

// Contents has the files of a release for one platform.
type Contents struct {
	Program []byte
	Script  []byte // install.sh
	Manual  []File // the manual pages, by their file names
	Bash    []byte
	Zsh     []byte
	Fish    []byte
	// FishConf is the file that fish 3.6 needs to complete 'git resume'.
	FishConf []byte
	Licence  []byte
	// Notices are the licences of everything that is linked into the program.
	Notices []byte
	// Texts are further files for the top folder of an archive.
	Texts []File
}

// Make returns everything that is published for one platform.
func Make(v Version, p Platform, c Contents) ([]Artifact, error) {
	archive, err := archiveOf(v, p, c)
	if err != nil {
		return nil, err
	}
	out := []Artifact{archive}
	if p.OS != "linux" {
		return out, nil
	}
	for _, pack := range []func(Version, Platform, Contents) (Artifact, error){debOf, rpmOf} {
		a, err := pack(v, p, c)
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	return out, nil
}

func sorted(files []File) []File {
	return slices.SortedFunc(slices.Values(files), func(a, b File) int { return strings.Compare(a.Path, b.Path) })
}
