package dotgit

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// The expected modes come from git itself: calc_shared_perm and adjust_shared_perm in path.c.
func TestSharing_modes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value        string
		file, folder fs.FileMode // the expected modes if the umask is 022
	}{
		{"", 0o644, 0o755},
		{"umask", 0o644, 0o755},
		{"false", 0o644, 0o755},
		{"0", 0o644, 0o755},
		{"group", 0o664, 0o775 | fs.ModeSetgid},
		{"true", 0o664, 0o775 | fs.ModeSetgid},
		{"1", 0o664, 0o775 | fs.ModeSetgid},
		{"all", 0o664, 0o775 | fs.ModeSetgid},
		{"world", 0o664, 0o775 | fs.ModeSetgid},
		{"everybody", 0o664, 0o775 | fs.ModeSetgid},
		{"2", 0o664, 0o775 | fs.ModeSetgid},
		{"0660", 0o660, 0o770 | fs.ModeSetgid},
		{"0640", 0o640, 0o750 | fs.ModeSetgid},
		{"0600", 0o600, 0o700},
		{"0666", 0o666, 0o777 | fs.ModeSetgid},
		{"0777", 0o666, 0o777 | fs.ModeSetgid},
		{"0440", 0o644, 0o755}, // git refuses 0440, because the owner could not write
		{"9", 0o644, 0o755},
		{"nonsense", 0o644, 0o755},
	} {
		s := parseSharing(c.value)
		if got := s.File(0o644); got != c.file {
			t.Errorf("%q: a file has %o, want %o", c.value, got, c.file)
		}
		if got := s.Folder(0o755); got != c.folder {
			t.Errorf("%q: a folder has %v, want %v", c.value, got, c.folder)
		}
	}
	if got := parseSharing("all").File(0o600); got != 0o664 {
		t.Errorf("all, with a mask of 077: %o", got)
	}
	if got := parseSharing("group").File(0o444); got != 0o444 {
		t.Errorf("what nobody writes: %o", got)
	}
	if got := parseSharing("0660").File(0o755); got != 0o770 {
		t.Errorf("a program: %o", got)
	}
}

// repository makes a folder that looks like a git repository.
func repository(t *testing.T, settings string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"HEAD": "ref: refs/heads/main\n", "config": settings} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func modeOf(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode() & (fs.ModePerm | fs.ModeSetgid)
}

func TestSharing_isOfTheRepository(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there are no such modes")
	}
	dir := repository(t, "[core]\n\tsharedRepository = 0660\n")
	deep := filepath.Join(dir, "resume", "logs", "resume", "x")
	if err := errors.Join(MkdirAll(deep), MkdirAll(deep)); err != nil {
		t.Fatal(err)
	}
	f, err := Create(filepath.Join(deep, "log"))
	if err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	for path, want := range map[string]fs.FileMode{"resume": 0o770 | fs.ModeSetgid, "resume/logs/resume/x": 0o770 | fs.ModeSetgid, "resume/logs/resume/x/log": 0o660} {
		if got := modeOf(t, filepath.Join(dir, path)); got != want {
			t.Errorf("%s has %v, want %v", path, got, want)
		}
	}
	if _, err := Create(filepath.Join(deep, "log")); !errors.Is(err, os.ErrExist) {
		t.Errorf("made a second time: %v", err)
	}
	// A folder outside of a repository is not shared: only the umask decides its mode.
	aside := filepath.Join(t.TempDir(), "resume", "x")
	if err := MkdirAll(aside); err != nil {
		t.Fatal(err)
	}
	if got := modeOf(t, aside); got&fs.ModeSetgid != 0 {
		t.Errorf("a folder of somebody else has %v", got)
	}
	if err := MkdirAll(filepath.Join(deep, "log", "below")); err == nil {
		t.Error("a folder was made in a file")
	}
}

func TestMkdirAll_followsNoLink(t *testing.T) {
	t.Parallel()
	for _, link := range []string{"resume", "resume/a", "resume/a/b"} {
		dir, away := repository(t, ""), t.TempDir()
		at := filepath.Join(dir, filepath.FromSlash(link))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(away, at); err != nil {
			t.Skip("no links here")
		}
		var is *LinkError
		if err := MkdirAll(filepath.Join(dir, "resume", "a", "b", "c")); !errors.As(err, &is) || is.Path != at {
			t.Errorf("%s: %v", link, err)
		}
		if err := Plain(filepath.Join(dir, "resume", "a", "b", "file")); !errors.As(err, &is) {
			t.Errorf("%s: %v", link, err)
		}
		if made, _ := os.ReadDir(away); len(made) != 0 {
			t.Errorf("%s: made %v behind the link", link, made)
		}
	}
	// The path to the repository may contain symbolic links.
	dir := repository(t, "")
	way := filepath.Join(t.TempDir(), "way")
	if err := os.Symlink(dir, way); err != nil {
		t.Skip("no links here")
	}
	if err := MkdirAll(filepath.Join(way, "resume", "a")); err != nil {
		t.Error(err)
	}
}

func FuzzParseSharing(f *testing.F) {
	for _, v := range []string{"group", "0660", "all", "1", "07777777777", "-0660"} {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, value string) {
		s := parseSharing(value)
		if mode := s.File(0o600); mode&0o600 != 0o600 || mode&^0o666 != 0 {
			t.Errorf("%q gives a file %o", value, mode)
		}
	})
}
