package release

import (
	"bytes"
	"crypto/md5"
	"fmt"
	"path"
	"strings"
)

// debArch maps Go's names of processors to Debian's.
var debArch = map[string]string{"amd64": "amd64", "arm64": "arm64", "arm": "armhf"}

// debOf makes a Debian package: an ar archive of a version number, a tar file about the package and a tar file with its files.
func debOf(v Version, p Platform, c Contents) (Artifact, error) {
	files, err := systemFiles(p, c, "usr/share/zsh/vendor-completions/_git-resume")
	if err != nil {
		return Artifact{}, err
	}
	more, err := debDocuments(v, c)
	if err != nil {
		return Artifact{}, err
	}
	files = sorted(append(files, more...))
	data, err := tarred(dotted(withFolders(files)), v.Time)
	if err == nil {
		data, err = compressed(data)
	}
	if err != nil {
		return Artifact{}, err
	}
	about, err := tarred([]File{{"./", 0o755, nil}, {"./control", 0o644, debControl(v, p, files)}, {"./md5sums", 0o644, md5sums(files)}}, v.Time)
	if err == nil {
		about, err = compressed(about)
	}
	if err != nil {
		return Artifact{}, err
	}
	parts := []File{{"debian-binary", 0o644, []byte("2.0\n")}, {"control.tar.gz", 0o644, about}, {"data.tar.gz", 0o644, data}}
	return Artifact{fmt.Sprintf("git-resume_%s_%s.deb", v.packaged(), debArch[p.Arch]), arArchive(parts, v)}, nil
}

// arArchive writes an ar archive: a line of fixed width before each file, and each file at an even offset.
func arArchive(files []File, v Version) []byte {
	var out bytes.Buffer
	out.WriteString("!<arch>\n")
	for _, f := range files {
		fmt.Fprintf(&out, "%-16s%-12d%-6d%-6d%-8o%-10d`\n", f.Path, v.Time.Unix(), 0, 0, 0o100000|f.Mode, len(f.Data))
		out.Write(f.Data)
		if len(f.Data)%2 == 1 {
			out.WriteByte('\n')
		}
	}
	return out.Bytes()
}

func debControl(v Version, p Platform, files []File) []byte {
	size := 0
	for _, f := range files {
		size += (len(f.Data) + 1023) / 1024
	}
	text := fmt.Sprintf(`Package: git-resume
Version: %s
Section: vcs
Priority: optional
Architecture: %s
Maintainer: %s
Installed-Size: %d
Depends: git (>= 1:%s)
Homepage: %s
Description: %s
`, v.packaged(), debArch[p.Arch], maintainer, size, v.Git, homepage, summary)
	return []byte(text + " " + strings.ReplaceAll(description, "\n", "\n ") + "\n")
}

func md5sums(files []File) []byte {
	var out bytes.Buffer
	for _, f := range files {
		fmt.Fprintf(&out, "%x  %s\n", md5.Sum(f.Data), f.Path)
	}
	return out.Bytes()
}

// debDocuments returns the files that every Debian package must have, the licences of the linked modules, and an exception for Debian's
// checker lintian.
func debDocuments(v Version, c Contents) ([]File, error) {
	changes, err := compressed(fmt.Appendf(nil, "git-resume (%s) unstable; urgency=medium\n\n  * Version %s. What changed:\n    %s/blob/v%s/CHANGELOG.md\n\n -- %s  %s\n",
		v.packaged(), v.Number, homepage, v.Number, maintainer, v.Time.UTC().Format("Mon, 02 Jan 2006 15:04:05 -0700")))
	if err != nil {
		return nil, err
	}
	notices, err := compressed(c.Notices)
	if err != nil {
		return nil, err
	}
	terms := fmt.Appendf(nil, "git-resume\nSource: %s\n\n%s\nThe terms of what is linked into the program are in THIRD-PARTY.txt.gz.\n", homepage, c.Licence)
	// The program is linked statically on purpose, so that it does not depend on the version of the distribution.
	override := []byte("git-resume: statically-linked-binary\n")
	return []File{
		{"usr/share/doc/git-resume/THIRD-PARTY.txt.gz", 0o644, notices},
		{"usr/share/doc/git-resume/changelog.gz", 0o644, changes},
		{"usr/share/doc/git-resume/copyright", 0o644, terms},
		{"usr/share/lintian/overrides/git-resume", 0o644, override},
	}, nil
}

// systemFiles lists what a package of a distribution installs. The argument "zsh" is the path of the completion for zsh, which differs
// between distributions.
func systemFiles(p Platform, c Contents, zsh string) ([]File, error) {
	files := []File{
		{"usr/bin/" + p.Program(), 0o755, c.Program},
		{"usr/share/bash-completion/completions/git-resume", 0o644, c.Bash},
		{zsh, 0o644, c.Zsh},
		{"usr/share/fish/vendor_completions.d/git-resume.fish", 0o644, c.Fish},
		{"usr/share/fish/vendor_conf.d/git-resume.fish", 0o644, c.FishConf},
	}
	for _, page := range c.Manual {
		packed, err := compressed(page.Data)
		if err != nil {
			return nil, err
		}
		files = append(files, File{"usr/share/man/man1/" + page.Path + ".gz", 0o644, packed})
	}
	return files, nil
}

// withFolders adds the folders that contain the files, each before its contents. When dpkg removes the package, it removes empty folders
// only if the package lists them.
func withFolders(files []File) []File {
	all, seen := []File{}, map[string]bool{}
	for _, f := range files {
		for dir := path.Dir(f.Path); dir != "." && !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
			all = append(all, File{dir + "/", 0o755, nil})
		}
	}
	return sorted(append(all, files...))
}

// dotted puts ./ before every path, as dpkg does, and names the top folder first.
func dotted(files []File) []File {
	out := []File{{"./", 0o755, nil}}
	for _, f := range files {
		f.Path = "./" + f.Path
		out = append(out, f)
	}
	return out
}
