package packaging

import (
	"archive/zip"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestGoInstall_knowsItsVersion installs the real program from a folder that is laid out like a module proxy. It compiles the whole
// program, so it runs only when it is asked for. TestVersion_comesFromTheModule in cmd/git-resume is a cheaper test of the version.
func TestGoInstall_knowsItsVersion(t *testing.T) {
	if os.Getenv("GIT_RESUME_GO_INSTALL") == "" {
		t.Skip("compiles the whole program; set GIT_RESUME_GO_INSTALL=1")
	}
	t.Parallel()
	const module, tag = "github.com/git-resume/git-resume", "v0.9.0"
	dir := tempDir(t)
	place := filepath.Join(dir, "proxy", module, "@v")
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(place, "list"), tag+"\n")
	write(t, filepath.Join(place, tag+".mod"), string(mod))
	write(t, filepath.Join(place, tag+".info"), `{"Version":"`+tag+`"}`)
	packModule(t, filepath.Join(place, tag+".zip"), module+"@"+tag+"/")
	proxies, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	// The other modules come from the module cache of this machine. Its folder "download" has the layout of a proxy.
	cache := "file://" + filepath.Join(strings.TrimSpace(string(proxies)), "cache", "download")
	cmd := exec.Command("go", "install", "-tags", "urfave_cli_no_docs", module+"/cmd/git-resume@"+tag)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOBIN="+filepath.Join(dir, "bin"), "GOMODCACHE="+filepath.Join(dir, "modules"), "GOFLAGS=-modcacherw",
		"GOPROXY=file://"+filepath.Join(dir, "proxy")+","+cache, "GONOSUMDB=*", "GOSUMDB=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err := exec.Command(filepath.Join(dir, "bin", "git-resume"), "version").CombinedOutput()
	if err != nil || string(out) != "git-resume version "+tag+"\n" {
		t.Errorf("it says %q, %v", out, err)
	}
}

// packModule writes all regular files that git tracks in the project into a zip file, in the form that a module proxy serves.
func packModule(t *testing.T, file, prefix string) {
	t.Helper()
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := zip.NewWriter(f)
	list, err := exec.Command("git", "-C", root, "ls-files", "-z").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Split(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		info, err := os.Lstat(filepath.Join(root, name))
		if err != nil || info.Mode()&fs.ModeType != 0 {
			continue
		}
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		to, err := w.Create(prefix + name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := to.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}
