package packaging

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/release"
)

// archive puts the archive of a release and its SHA256SUMS into the folder dir, and returns the path of the archive. The archive has a
// script instead of the program. archive also removes Go from the machine, so that install.sh must use the archive.
func (m *machine) archive(t *testing.T, dir string) string {
	t.Helper()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the sample is for linux-amd64")
	}
	m.lose(t, "go")
	return m.pack(t, dir, "git-resume-1.2.3-linux-amd64", "#!/bin/sh\necho git-resume version v1.2.3\n")
}

// pack makes the archive with this name, and its SHA256SUMS. The argument program is the text of the file git-resume in the archive.
func (m *machine) pack(t *testing.T, dir, name, program string) string {
	t.Helper()
	top := filepath.Join(filepath.Dir(m.home), "packed", name)
	write(t, filepath.Join(top, "git-resume"), program)
	if err := os.Chmod(filepath.Join(top, "git-resume"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"install.sh", "man", "completions"} {
		if got := m.run(t, "/bin/cp", "-r", filepath.Join(m.checkout, part), top); got.code != 0 {
			t.Fatalf("%+v", got)
		}
	}
	mkdir(t, dir)
	file := filepath.Join(dir, name+".tar.gz")
	if got := m.run(t, filepath.Join(m.bin, "tar"), "-czf", file, "-C", filepath.Dir(top), name); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "SHA256SUMS"), fmt.Sprintf("%064d  another\n%x  %s\n", 0, sha256.Sum256(data), filepath.Base(file)))
	return file
}

func TestInstall_fromAnArchiveWithoutGo(t *testing.T) {
	for _, way := range []string{"named", "beside the script", "unpacked"} {
		t.Run(way, func(t *testing.T) {
			m := newMachine(t)
			prefix := filepath.Join(m.home, "pre fix")
			m.path = append(m.path, filepath.Join(prefix, "bin"))
			args := []string{"--prefix", prefix}
			switch dir := filepath.Join(filepath.Dir(m.home), "down loads"); way {
			case "named":
				args = append(args, "--from", m.archive(t, dir))
			case "beside the script":
				m.archive(t, m.checkout)
			case "unpacked":
				file := m.archive(t, dir)
				if got := m.run(t, filepath.Join(m.bin, "tar"), "-xzf", file, "-C", dir); got.code != 0 {
					t.Fatalf("%+v", got)
				}
				m.checkout = strings.TrimSuffix(file, ".tar.gz")
			}
			got := m.mustInstall(t, args...)
			if lines := strings.Count(got.stdout, "\n"); lines > 5 || got.stderr != "" || got.lastLine() != "ready: git-resume version v1.2.3" {
				t.Errorf("%d lines: %+v", lines, got)
			}
			for name, mode := range installed {
				if info, err := os.Stat(filepath.Join(prefix, name)); err != nil || info.Mode().Perm() != mode {
					t.Errorf("%s: %v, %v", name, info, err)
				}
			}
			// The installed copy of the script removes everything, including itself.
			removed := m.run(t, filepath.Join(m.bin, "sh"), filepath.Join(prefix, "share/git-resume/install.sh"), "--uninstall")
			if left := tree(t, m.home); removed.code != 0 || len(left) > 0 {
				t.Errorf("%+v left %q", removed, left)
			}
		})
	}
}

func TestInstall_archiveThatIsNotRight(t *testing.T) {
	m := newMachine(t)
	file := m.archive(t, filepath.Join(filepath.Dir(m.home), "down"))
	sums := filepath.Join(filepath.Dir(file), "SHA256SUMS")
	right, err := os.ReadFile(sums)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(name, says string, args ...string) {
		t.Helper()
		got := m.install(t, append([]string{"--prefix", filepath.Join(m.home, "p")}, args...)...)
		if left := tree(t, m.home); got.code != 1 || !strings.Contains(got.stderr, says) || len(left) > 0 {
			t.Errorf("%s: %+v left %q", name, got, left)
		}
	}
	refused("no archive", "there is no archive", "--from", file+".gone")
	refused("another checksum", "nothing was installed", "--from", file, "--sha256", strings.Repeat("0", 64))
	refused("a way that others can change", "is not protected", "--from", "http://127.0.0.1:1/git-resume-1.2.3-linux-amd64.tar.gz")
	write(t, sums, "00  git-resume-1.2.3-linux-amd64.tar.gz.old\n")
	refused("no line", "SHA256SUMS has no line", "--from", file)
	if err := os.Remove(sums); err != nil {
		t.Fatal(err)
	}
	refused("no checksums", "there is no SHA256SUMS", "--from", file)
	write(t, sums, string(right))
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	write(t, file, string(data)+"x")
	refused("one byte more", "nothing was installed", "--from", file)

	// An archive with files outside its own folder must be refused, even if its checksum is right.
	if got := m.run(t, filepath.Join(m.bin, "tar"), "-czPf", file, filepath.Dir(m.home)+"/packed/../packed/git-resume-1.2.3-linux-amd64"); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	if data, err = os.ReadFile(file); err != nil {
		t.Fatal(err)
	}
	refused("names outside", "cannot be unpacked", "--from", file, "--sha256", fmt.Sprintf("%x", sha256.Sum256(data)))
}

// TestInstall_programThatDoesNotStart checks the hint of install.sh if the new program does not start. If the archive is for another
// machine, the hint says so. Otherwise it says that the file system may be mounted noexec. A working program that was installed before must
// stay.
func TestInstall_programThatDoesNotStart(t *testing.T) {
	m := newMachine(t)
	foreign := "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xf3\x7f\x01\x00\x00\x00" + strings.Repeat("\x00", 64)
	prefix := filepath.Join(m.home, "p")
	m.script(t, filepath.Join(prefix, "bin/git-resume"), "echo old\n")
	for _, c := range []struct{ system, processor, archive, hint string }{
		{"Linux", "x86_64", "linux-arm64", "'git-resume-1.2.3-linux-arm64' is not for this machine, which is linux-amd64: take the archive whose name ends with -linux-amd64.tar.gz"},
		{"Linux", "aarch64", "linux-amd64", "not for this machine, which is linux-arm64: take the archive whose name ends with -linux-arm64.tar.gz"},
		{"Darwin", "arm64", "linux-arm64", "not for this machine, which is darwin-arm64: take the archive whose name ends with -darwin-arm64.tar.gz"},
		{"Linux", "riscv64", "linux-amd64", "not for this machine, which is linux-riscv64: there is no archive for it; build git-resume from a checkout, which needs Go"},
		{"Linux", "x86_64", "linux-amd64", "is mounted noexec, choose another prefix"},
	} {
		m.script(t, filepath.Join(m.bin, "uname"), fmt.Sprintf("case $1 in -s) echo %s ;; -m) echo %s ;; esac\n", c.system, c.processor))
		file := m.pack(t, filepath.Join(filepath.Dir(m.home), c.processor), "git-resume-1.2.3-"+c.archive, foreign)
		got := m.install(t, "--prefix", prefix, "--from", file)
		if got.code != 1 || !strings.Contains(got.stderr, "nothing was replaced") || strings.Count(got.stderr, "hint: ") != 1 || !strings.Contains(got.stderr, c.hint) {
			t.Errorf("%+v: %+v", c, got)
		}
		if call := m.run(t, filepath.Join(prefix, "bin/git-resume")); call.stdout != "old\n" {
			t.Errorf("%+v: the old program is gone: %+v", c, call)
		}
	}
}

// TestInstall_knowsEveryArchive: install.sh knows exactly the systems that have an archive, except Windows.
func TestInstall_knowsEveryArchive(t *testing.T) {
	script, err := os.ReadFile(filepath.Join(root, "install.sh"))
	if err != nil {
		t.Fatal(err)
	}
	var archives []string
	for _, p := range release.Platforms {
		if p.OS != "windows" {
			archives = append(archives, p.String())
		}
	}
	slices.Sort(archives)
	var known []string
	for line := range strings.Lines(string(script)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "linux-") && strings.HasSuffix(line, ")") {
			known = strings.Split(strings.TrimSuffix(line, ")"), " | ")
		}
	}
	slices.Sort(known)
	if !slices.Equal(known, archives) {
		t.Errorf("install.sh knows %q, and there are %q", known, archives)
	}
}

func TestInstall_fromAURL(t *testing.T) {
	m := newMachine(t)
	m.provide(t, "curl")
	prefix := filepath.Join(m.home, "p")
	m.path = append(m.path, filepath.Join(prefix, "bin"))
	file := m.archive(t, filepath.Join(filepath.Dir(m.home), "down"))
	server := httptest.NewServer(http.FileServer(http.Dir(filepath.Dir(file))))
	defer server.Close()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m.mustInstall(t, "--prefix", prefix, "--from", server.URL+"/"+filepath.Base(file), "--sha256", fmt.Sprintf("%x", sha256.Sum256(data)))
	m.mustInstall(t, "--prefix", prefix, "--uninstall")
	if got := m.install(t, "--prefix", prefix, "--from", server.URL+"/gone.tar.gz", "--sha256", "0"); got.code != 1 || !strings.Contains(got.stderr, "cannot fetch") {
		t.Errorf("a file that the server does not have: %+v", got)
	}
	// Now install without --sha256: install.sh then reads the file SHA256SUMS in the folder that contains the archive.
	got := m.mustInstall(t, "-v", "--prefix", prefix, "--from", "file://"+strings.ReplaceAll(file, " ", "%20"))
	if names := strings.Count(got.stdout, "installed "+prefix); names < len(installed) {
		t.Errorf("-v names %d files:\n%s", names, got.stdout)
	}
	m.mustInstall(t, "--prefix", prefix, "--uninstall")
	if left := tree(t, m.home); !slices.Equal(left, nil) {
		t.Errorf("left: %q", left)
	}
}
