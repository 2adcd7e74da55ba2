package gitstate

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

func listDir(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	noError(t, "list", err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

func TestReplace_keepsModeAndLeavesNothing(t *testing.T) {
	t.Parallel()
	own := gittest.New(t)
	r := openAt(t, own)
	dir := filepath.Join(own.Dir, "state", "deep")
	private, fresh := filepath.Join(dir, "private"), filepath.Join(dir, "fresh")
	noError(t, "replace", r.Replace(fresh, []byte("new\n")))
	noError(t, "write", os.WriteFile(private, []byte("old\n"), 0o600))
	noError(t, "replace", r.Replace(private, []byte("new\n")))
	for path, mode := range map[string]fs.FileMode{private: 0o600, fresh: 0o666 &^ umask()} {
		info, err := os.Stat(path)
		noError(t, "stat", err)
		text, err := os.ReadFile(path)
		noError(t, "read", err)
		if info.Mode().Perm() != mode || string(text) != "new\n" {
			t.Errorf("%s has mode %o and holds %q", path, info.Mode().Perm(), text)
		}
	}
	if names := listDir(t, dir); names != "fresh private" {
		t.Errorf("the folder holds %s", names)
	}
	r.Close()
	if names := listDir(t, r.tempRoot()); names != "" {
		t.Errorf("temporary folders are left: %s", names)
	}
}

// otherDevice is a folder on another file system than a repository.
func otherDevice(t *testing.T, own *gittest.Repo) string {
	t.Helper()
	for _, place := range []string{"/dev/shm", "/tmp", "/var/tmp"} {
		dir, err := os.MkdirTemp(place, "git-resume-test-")
		if err != nil {
			continue
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		if err := os.Link(filepath.Join(own.Dir, "README"), filepath.Join(dir, "link")); errors.Is(err, syscall.EXDEV) {
			return dir
		}
	}
	t.Skip("there is no second file system")
	return ""
}

func TestReplace_onAnotherDevice(t *testing.T) {
	t.Parallel()
	own := gittest.New(t)
	dir := otherDevice(t, own)
	r := openAt(t, own)
	path := filepath.Join(dir, "file")
	for _, text := range []string{"one", "two"} {
		noError(t, "replace", r.Replace(path, []byte(text)))
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("it holds %q: %v", got, err)
		}
	}
	if names := listDir(t, dir); names != "file" {
		t.Errorf("the folder holds %s", names)
	}
	g, err := r.writing()
	noError(t, "mark", err)
	if text, err := os.ReadFile(g.path); err != nil || string(text) != "" {
		t.Errorf("the mark still names %q: %v", text, err)
	}
}

// TestReplace_killed kills a writer whose file is made and not in its place yet: the next writer clears it away,
// and not before the first one is dead.
func TestReplace_killed(t *testing.T) {
	t.Parallel()
	own := gittest.New(t)
	dir := otherDevice(t, own)
	own = own.With("GITSTATE_TEST_FILE=" + filepath.Join(dir, "odd\nname"))
	made := filepath.Join(dir, "made")
	w := startWriter(t, own, "beside", "", made)
	r := openAt(t, own)
	if _, err := r.writing(); err != nil {
		t.Fatal(err)
	}
	r.Close()
	if n := strings.Count(listDir(t, dir), ".tmp"); n != 1 {
		t.Fatalf("a living writer's file is gone: %q", listDir(t, dir))
	}
	w.kill(w.cmd.Process.Pid)
	r = openAt(t, own)
	if _, err := r.writing(); err != nil {
		t.Fatal(err)
	}
	if names := listDir(t, dir); names != "made" {
		t.Errorf("%q is left", names)
	}
}

// TestSweepTemps_onlyWhatIsOurs: whatever a mark says, nothing goes that does not have the form of a temporary file of ours.
func TestSweepTemps_onlyWhatIsOurs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name string) string {
		path := filepath.Join(dir, name)
		noError(t, "write", os.WriteFile(path, nil, 0o644))
		return path
	}
	ours := file(".plan.json.tmp12-0af")
	stay := []string{file("plan.json"), file("plan.json.tmp12-0af"), file(".plan.json.tmp"), file(".tmp"), file(".plan.tmp12-0af.json")}
	folder := filepath.Join(dir, ".folder.tmp1-1")
	noError(t, "mkdir", os.Mkdir(folder, 0o755))
	link := filepath.Join(dir, ".link.tmp1-1")
	noError(t, "link", os.Symlink(stay[0], link))
	mark := "index.lock\n" + tempLine + "relative/.x.tmp1-1\n" + tempLine + "\"\n"
	for _, path := range append(stay, ours, folder, link) {
		mark += tempLine + strconv.Quote(path) + "\n"
	}
	noError(t, "sweep", sweepTemps(mark))
	for _, path := range append(stay, folder, link) {
		if _, err := os.Lstat(path); err != nil {
			t.Errorf("%s is gone", path)
		}
	}
	if _, err := os.Lstat(ours); err == nil {
		t.Error("the temporary file is left")
	}
}

func FuzzMarkedTemps(f *testing.F) {
	f.Add("index.lock\ntemp \"/a/.b.tmp1-2\"\n")
	f.Add("temp \"/\\x00.tmp1-2\"\ntemp /a/.b.tmp1-2\ntemp `/.x.tmp1-1`")
	f.Fuzz(func(t *testing.T, mark string) {
		for _, path := range markedTemps(mark) {
			if !filepath.IsAbs(path) || !strings.Contains(filepath.Base(path), ".tmp") {
				t.Errorf("%q would be removed", path)
			}
		}
	})
}
