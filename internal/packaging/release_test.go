package packaging

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// release runs the program behind 'make release' in the machine's checkout. In this checkout, a small program replaces git-resume. The
// result maps the names of the released files to their contents.
func (m *machine) release(t *testing.T, platform string) map[string]string {
	t.Helper()
	out := filepath.Join(m.home, "dist")
	if got := m.callRelease(t, "--version", "v1.2.3-rc.1", "--out", out, "--platforms", platform); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	files := map[string]string{}
	entries, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(out, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(data)
	}
	return files
}

// callRelease runs the program behind 'make release'.
func (m *machine) callRelease(t *testing.T, args ...string) result {
	t.Helper()
	tool := filepath.Join(filepath.Dir(m.home), "build")
	if !exists(tool) {
		if out, err := exec.Command("go", "build", "-o", tool, "../release/build").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	// A release must not depend on the user's umask.
	return m.run(t, append([]string{"/bin/sh", "-c", `umask "$1"; shift; exec "$@"`, "sh", m.umask, tool, "--root", m.checkout}, args...)...)
}

// commit makes the machine's checkout a repository with one commit, which has the same id on every machine.
func (m *machine) commit(t *testing.T) {
	t.Helper()
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"commit", "-qm", "one"}} {
		args = append([]string{"/usr/bin/env", "GIT_COMMITTER_DATE=@1700000000 +0000", "GIT_AUTHOR_DATE=@1700000000 +0000",
			filepath.Join(m.bin, "git"), "-C", m.checkout, "-c", "user.name=A", "-c", "user.email=a@example.com"}, args...)
		if got := m.run(t, args...); got.code != 0 {
			t.Fatalf("%q: %+v", args, got)
		}
	}
}

func TestRelease_isTheSameEverywhere(t *testing.T) {
	if runtime.GOOS+runtime.GOARCH != "linuxamd64" {
		t.Skip("the sample is for the platform on which its program can be started")
	}
	one, other := newMachine(t), machineBeside(t)
	one.umask, other.umask = "022", "077"
	one.env = append(one.env, "TZ=UTC", "USER=one", "LC_ALL=C")
	other.env = append(other.env, "TZ=Asia/Tokyo", "USER=other", "GOFLAGS=-race -ldflags=-X=main.version=wrong", "GOAMD64=v3", "GOARM=5",
		"CGO_ENABLED=1", "SOURCE_DATE_EPOCH=7")
	one.commit(t)
	other.commit(t)
	files, again := one.release(t, "linux-amd64"), other.release(t, "linux-amd64")
	want := []string{
		"SHA256SUMS", "git-resume-1.2.3-rc.1-linux-amd64.tar.gz", "git-resume-1.2.3~rc.1-1.x86_64.rpm", "git-resume.rb",
		"git-resume_1.2.3~rc.1_amd64.deb", "install.sh",
	}
	if got := keys(files); !slices.Equal(got, want) {
		t.Fatalf("made %q, want %q", got, want)
	}
	for name, data := range files {
		if again[name] != data {
			t.Errorf("%s differs between two folders, users and times", name)
		}
		if line := fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(data)), name); name != "SHA256SUMS" && !strings.Contains(files["SHA256SUMS"], line) {
			t.Errorf("SHA256SUMS has no line %q", line)
		}
	}
	t.Run("archive", func(t *testing.T) { checkArchive(t, files["git-resume-1.2.3-rc.1-linux-amd64.tar.gz"]) })
	t.Run("deb", func(t *testing.T) { checkDeb(t, files["git-resume_1.2.3~rc.1_amd64.deb"]) })
	t.Run("rpm", func(t *testing.T) { checkRPM(t, files["git-resume-1.2.3~rc.1-1.x86_64.rpm"]) })
}

func TestRelease_refusals(t *testing.T) {
	m := newMachine(t)
	m.umask = "022"
	m.commit(t)
	write(t, filepath.Join(m.home, "full/of"), "other things\n")
	for _, c := range []struct {
		name, says string
		args       []string
	}{
		{"no version", "no version was named", nil},
		{"no tag", "'0.9' is not the tag of a version", []string{"--version", "0.9"}},
		{"a shell's words", "is not the tag of a version", []string{"--version", "v1.2.3;id"}},
		{"a strange platform", "there is no platform 'linux-z80'", []string{"--version", "v1.2.3", "--platforms", "linux-z80"}},
		{"a folder in use", "holds no earlier release", []string{"--version", "v1.2.3", "--out", filepath.Join(m.home, "full")}},
	} {
		if got := m.callRelease(t, c.args...); got.code != 1 || !strings.Contains(got.stderr, c.says) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
	if got := m.run(t, filepath.Join(m.bin, "git"), "-C", m.checkout, "tag", "v1.2.3"); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	write(t, filepath.Join(m.checkout, "README.md"), "changed\n")
	if got := m.callRelease(t, "--version", "v1.2.3"); got.code != 1 || !strings.Contains(got.stderr, "changes that are not committed") {
		t.Errorf("a changed checkout: %+v", got)
	}
	if got := m.run(t, filepath.Join(m.bin, "git"), "-C", m.checkout, "-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-qam", "two"); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	if got := m.callRelease(t, "--version", "v1.2.3"); got.code != 1 || !strings.Contains(got.stderr, "git checkout v1.2.3") {
		t.Errorf("another commit than the tag's: %+v", got)
	}
	if !exists(filepath.Join(m.home, "full/of")) || exists(filepath.Join(m.home, "dist")) {
		t.Error("a refused release wrote or removed something")
	}
}

// archived are names that an archive must contain, below its top folder.
var archived = []string{"git-resume", "install.sh", "LICENSE", "THIRD-PARTY.txt", "README.md", "CHANGELOG.md", "man/git-resume.1", "man/git-resume-status.1",
	"completions/git-resume.bash", "completions/_git-resume", "completions/git-resume.fish", "completions/git-resume-conf.fish"}

func checkArchive(t *testing.T, data string) {
	files := untar(t, strings.NewReader(data))
	for _, name := range archived {
		if files["git-resume-1.2.3-rc.1-linux-amd64/"+name] == "" {
			t.Errorf("%s is missing among %q", name, keys(files))
		}
	}
	program := filepath.Join(t.TempDir(), "git-resume")
	write(t, program, files["git-resume-1.2.3-rc.1-linux-amd64/git-resume"])
	if err := os.Chmod(program, 0o755); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(program).CombinedOutput()
	if err != nil || string(out) != "git-resume version v1.2.3-rc.1\n" {
		t.Errorf("the program says %q, %v", out, err)
	}
}

// packaged are files that both the deb package and the rpm package must install.
var packaged = []string{"usr/bin/git-resume", "usr/share/man/man1/git-resume.1.gz", "usr/share/bash-completion/completions/git-resume",
	"usr/share/fish/vendor_completions.d/git-resume.fish", "usr/share/fish/vendor_conf.d/git-resume.fish"}

func checkDeb(t *testing.T, data string) {
	file := filepath.Join(t.TempDir(), "x.deb")
	write(t, file, data)
	parts := map[string]string{}
	for rest := strings.TrimPrefix(data, "!<arch>\n"); len(rest) >= 60; {
		var size int
		name := strings.TrimSpace(rest[:16])
		if _, err := fmt.Sscan(rest[48:58], &size); err != nil {
			t.Fatal(err)
		}
		parts[name] = rest[60 : 60+size]
		rest = rest[60+size+size%2:]
	}
	control := untar(t, strings.NewReader(parts["control.tar.gz"]))["./control"]
	for _, want := range []string{"Package: git-resume\n", "Version: 1.2.3~rc.1\n", "Architecture: amd64\n", "Depends: git (>= 1:2.31)\n", "\nDescription: "} {
		if !strings.Contains(control, want) {
			t.Errorf("want %q in\n%s", want, control)
		}
	}
	files := untar(t, strings.NewReader(parts["data.tar.gz"]))
	for _, name := range append([]string{"usr/share/zsh/vendor-completions/_git-resume", "usr/share/doc/git-resume/copyright", "usr/share/doc/git-resume/changelog.gz"}, packaged...) {
		if files["./"+name] == "" {
			t.Errorf("%s is missing among %q", name, keys(files))
		}
	}
	if dpkg, err := exec.LookPath("dpkg-deb"); err == nil {
		if out, err := exec.Command(dpkg, "--field", file, "Version").CombinedOutput(); string(out) != "1.2.3~rc.1\n" {
			t.Errorf("dpkg-deb: %s, %v", out, err)
		}
	}
}

// checkRPM checks that the package contains all expected file names. If rpm is installed, rpm must accept the checksums and show the
// required version of git.
func checkRPM(t *testing.T, data string) {
	at := 96 // an RPM starts with a lead of 96 bytes; then comes a header with checksums, and then a header with the description
	for range 2 {
		at += -at & 7 // each header starts at a multiple of 8
		at += 16 + 16*int(binary.BigEndian.Uint32([]byte(data[at+8:]))) + int(binary.BigEndian.Uint32([]byte(data[at+12:])))
	}
	r, err := gzip.NewReader(strings.NewReader(data[at:]))
	if err != nil {
		t.Fatal(err)
	}
	payload, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append([]string{"usr/share/zsh/site-functions/_git-resume", "usr/share/licenses/git-resume/LICENSE"}, packaged...) {
		if !strings.Contains(string(payload), "./"+name+"\x00") {
			t.Errorf("%s is missing", name)
		}
	}
	rpm, err := exec.LookPath("rpm")
	if err != nil {
		return
	}
	file := filepath.Join(t.TempDir(), "x.rpm")
	write(t, file, data)
	if out, err := exec.Command(rpm, "-K", file).CombinedOutput(); err != nil || !strings.Contains(string(out), "digests OK") {
		t.Errorf("rpm -K: %s, %v", out, err)
	}
	if out, err := exec.Command(rpm, "-qp", "--requires", file).CombinedOutput(); err != nil || !strings.Contains(string(out), "git >= 2.31\n") {
		t.Errorf("rpm -qp --requires: %s, %v", out, err)
	}
}

// untar returns the files of a compressed tar file by their names. It checks that their modes, owners and times are the same for everybody
// who builds that file.
func untar(t *testing.T, from io.Reader) map[string]string {
	t.Helper()
	r, err := gzip.NewReader(from)
	if err != nil {
		t.Fatal(err)
	}
	if r.Name != "" || !r.ModTime.IsZero() {
		t.Errorf("the header of gzip has the name %q and the time %v", r.Name, r.ModTime)
	}
	files := map[string]string{}
	for all := tar.NewReader(r); ; {
		h, err := all.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(all)
		if err != nil {
			t.Fatal(err)
		}
		files[h.Name] = string(data)
		mode := int64(0o644)
		if base := path.Base(h.Name); h.Typeflag == tar.TypeDir || base == "install.sh" || base == "git-resume" && !strings.Contains(h.Name, "completions") && !strings.Contains(h.Name, "overrides") {
			mode = 0o755
		}
		if h.Mode != mode || h.Uid != 0 || h.Gid != 0 || h.Uname != "root" || h.Gname != "root" || h.ModTime.Unix() != 1700000000 {
			t.Errorf("%s: mode %o, %s:%s, %v", h.Name, h.Mode, h.Uname, h.Gname, h.ModTime)
		}
	}
}

func keys[V any](m map[string]V) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
