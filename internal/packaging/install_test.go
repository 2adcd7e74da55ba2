package packaging

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// installed lists some of the files that install.sh must install, as paths below the prefix. The value is the mode that the file must have.
var installed = map[string]os.FileMode{
	"bin/git-resume":                                  0o755,
	"share/man/man1/git-resume.1":                     0o644,
	"share/man/man1/git-resume-status.1":              0o644,
	"share/man/man1/git-resume-undo.1":                0o644,
	"share/bash-completion/completions/git-resume":    0o644,
	"share/zsh/site-functions/_git-resume":            0o644,
	"share/fish/vendor_completions.d/git-resume.fish": 0o644,
	"share/fish/vendor_conf.d/git-resume.fish":        0o644,
}

func TestInstall_choosesTheFirstWritablePrefixOnPath(t *testing.T) {
	tests := []struct {
		name   string
		onPath []string // folders below the home folder that are on PATH
		file   string   // a regular file in the place of a folder that install.sh needs
		want   string   // the expected prefix, relative to the home folder
	}{
		{"only ~/.local/bin", []string{".local/bin"}, "", ".local"},
		{"only ~/bin", []string{"bin"}, "", "."},
		{"the order of the list wins over that of PATH", []string{"bin", "go/bin", ".local/bin"}, "", ".local"},
		{"a slash at the end is no difference", []string{"go/bin/"}, "", "go"},
		{"a prefix that cannot be written is passed over", []string{".local/bin", "go/bin"}, ".local", "go"},
		{"so is one whose share cannot be written", []string{".local/bin", "go/bin"}, ".local/share", "go"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := newMachine(t)
			for _, dir := range test.onPath {
				m.path = append(m.path, m.home+"/"+dir)
			}
			if test.file != "" {
				write(t, filepath.Join(m.home, test.file), "in the way\n")
			}
			got := m.mustInstall(t, "--dry-run")
			want := "would install " + filepath.Join(m.home, test.want, "bin/git-resume") + "\n"
			if !strings.Contains(got.stdout, want) {
				t.Errorf("want %q in\n%s", want, got.stdout)
			}
		})
	}
}

func TestInstall_isUndoneToTheLastByte(t *testing.T) {
	m := newMachine(t)
	prefix := filepath.Join(m.home, ".local")
	m.path = append(m.path, filepath.Join(prefix, "bin"))
	before := tree(t, m.home)

	got := m.mustInstall(t)
	for name, mode := range installed {
		info, err := os.Stat(filepath.Join(prefix, name))
		if err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v; want mode %v", name, info, err, mode)
		}
	}
	if want := "ready: git-resume version devel"; got.lastLine() != want || got.stderr != "" {
		t.Errorf("last line %q, want %q; stderr %q", got.lastLine(), want, got.stderr)
	}
	if call := m.run(t, filepath.Join(m.bin, "git"), "resume", "version"); call.code != 0 {
		t.Errorf("git resume version: %+v", call)
	}

	m.mustInstall(t) // after a second install, an uninstall must still remove the folders that the first install created
	if got := m.mustInstall(t, "--uninstall", "--dry-run"); !strings.Contains(got.stdout, "would remove "+prefix+"/bin/git-resume\n") {
		t.Errorf("dry run of the uninstall says\n%s", got.stdout)
	}
	m.mustInstall(t, "--uninstall")
	if after := tree(t, m.home); !slices.Equal(before, after) {
		t.Errorf("left behind: %q", after)
	}
	if again := m.mustInstall(t, "--uninstall"); !strings.Contains(again.stdout, "nothing to remove") {
		t.Errorf("second uninstall says\n%s", again.stdout)
	}
}

func TestInstall_withoutAPrefixOnPathEndsWithTheExportLine(t *testing.T) {
	m := newMachine(t)
	got := m.install(t)
	bin := filepath.Join(m.home, ".local/bin")
	if want := `export PATH="` + bin + `:$PATH"`; got.code != 3 || got.lastLine() != want {
		t.Fatalf("exit code %d, last line %q; want 3 and %q", got.code, got.lastLine(), want)
	}
	call := m.run(t, filepath.Join(m.bin, "sh"), "-c", got.lastLine()+"; git resume version")
	if call.code != 0 || call.stdout != "git-resume version devel\n" {
		t.Errorf("after the export line, git resume version: %+v", call)
	}
}

func TestInstall_dryRunTouchesNothing(t *testing.T) {
	m := newMachine(t)
	home, checkout := tree(t, m.home), tree(t, m.checkout)
	got := m.mustInstall(t, "--dry-run", "--prefix", filepath.Join(m.home, "a b"))
	for name := range installed {
		if want := "would install " + filepath.Join(m.home, "a b", name) + "\n"; !strings.Contains(got.stdout, want) {
			t.Errorf("want %q in\n%s", want, got.stdout)
		}
	}
	if after := tree(t, m.home); !slices.Equal(home, after) {
		t.Errorf("the home has now: %q", after)
	}
	if after := tree(t, m.checkout); !slices.Equal(checkout, after) {
		t.Errorf("the checkout has now: %q", after)
	}
}

func TestInstall_refusals(t *testing.T) {
	oldGo := "echo go version go1.20.3 linux/amd64\n"
	tests := []struct {
		name   string
		damage func(*testing.T, *machine)
		args   []string
		code   int
		says   []string
	}{
		{"no go", func(t *testing.T, m *machine) { m.lose(t, "go") }, nil, 1,
			[]string{"go is not on PATH", "built from source with Go 1.", "hint: "}},
		{"no git", func(t *testing.T, m *machine) { m.lose(t, "git") }, nil, 1,
			[]string{"git is not on PATH", "needs git 2.", "hint: install it"}},
		{"old git", func(t *testing.T, m *machine) {
			m.script(t, filepath.Join(m.bin, "git"), "echo git version 2.30.2\n")
		}, nil, 1, []string{"git 2.30.2 is too old", "needs git 2.", "hint: update it"}},
		{"old go", func(t *testing.T, m *machine) { m.script(t, filepath.Join(m.bin, "go"), oldGo) }, nil, 1,
			[]string{"Go 1.20.3 is too old", "with Go 1.", "hint: update it"}},
		{"a go that refuses the module", func(t *testing.T, m *machine) {
			m.script(t, filepath.Join(m.bin, "go"), "test \"$PWD\" = / || exit 1\n"+oldGo)
		}, nil, 1, []string{"Go 1.20.3 is too old"}},
		{"no HOME", func(_ *testing.T, m *machine) { m.env = append(m.env, "HOME=") }, nil, 1,
			[]string{"HOME is not set", "no home folder to install to", "hint: set it"}},
		{"unknown option", nil, []string{"--frobnicate"}, 2,
			[]string{"unknown option '--frobnicate'", "install.sh --help"}},
		{"stray argument", nil, []string{"/usr"}, 2, []string{"unexpected argument '/usr'"}},
		{"prefix without a folder", nil, []string{"--prefix"}, 2, []string{"--prefix needs a folder"}},
		{"empty prefix", nil, []string{"--prefix="}, 2, []string{"--prefix needs a folder"}},
		{"prefix below a file", func(t *testing.T, m *machine) {
			write(t, filepath.Join(filepath.Dir(m.home), "plain"), "")
		}, []string{"--prefix", "plain/x"}, 1, []string{"/plain' is not a folder", "hint: choose another prefix"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := newMachine(t)
			if test.damage != nil {
				test.damage(t, m)
			}
			got := m.install(t, test.args...)
			if got.code != test.code {
				t.Errorf("exit code %d, want %d", got.code, test.code)
			}
			for _, words := range test.says {
				if !strings.Contains(got.stderr, words) {
					t.Errorf("want %q in\n%s", words, got.stderr)
				}
			}
			if left := tree(t, m.home); len(left) > 0 {
				t.Errorf("made in the home: %q", left)
			}
		})
	}
}

func TestInstall_prefixThatIsNotWritable(t *testing.T) {
	m := newMachine(t)
	if os.Getuid() == 0 {
		t.Skip("root may write everywhere")
	}
	prefix := filepath.Join(m.home, "theirs")
	if err := os.Mkdir(prefix, 0o555); err != nil {
		t.Fatal(err)
	}
	got := m.install(t, "--prefix", prefix)
	if got.code != 1 || !strings.Contains(got.stderr, "not writable for you, and install.sh never uses sudo") {
		t.Errorf("%+v", got)
	}
}

func TestInstall_helpSaysHow(t *testing.T) {
	m := newMachine(t)
	for _, flag := range []string{"-h", "--help"} {
		if got := m.mustInstall(t, flag); !strings.HasPrefix(got.stdout, "usage: install.sh") || got.stderr != "" {
			t.Errorf("%s: %+v", flag, got)
		}
	}
}

func TestUninstall_leavesWhatIsNotOurs(t *testing.T) {
	m := newMachine(t)
	prefix := filepath.Join(m.home, "pre fix")
	mkdir(t, filepath.Join(prefix, "share/man/man1"))
	m.mustInstall(t, "--prefix="+prefix)
	write(t, filepath.Join(prefix, "bin/other"), "theirs\n")
	// An install that is killed in the middle leaves this file.
	write(t, filepath.Join(prefix, "bin/.git-resume.new"), "half")
	m.mustInstall(t, "--uninstall", "--prefix", prefix)
	want := []string{"bin", "bin/other\ttheirs\n", "share", "share/man", "share/man/man1"}
	if left := tree(t, prefix); !slices.Equal(left, want) {
		t.Errorf("left: %q, want %q", left, want)
	}
}

func TestUninstall_withoutARecordRemovesNothing(t *testing.T) {
	m := newMachine(t)
	bin := filepath.Join(m.home, ".local/bin")
	m.path = append(m.path, bin)
	m.script(t, filepath.Join(bin, "git-resume"), "exit 0\n")
	got := m.mustInstall(t, "--uninstall")
	if !exists(filepath.Join(bin, "git-resume")) || !strings.Contains(got.stderr, "still on PATH") {
		t.Errorf("%+v", got)
	}
}

func TestInstall_replacesInOneStep(t *testing.T) {
	m := newMachine(t)
	bin := filepath.Join(m.home, ".local/bin")
	m.path = append(m.path, bin)
	m.script(t, filepath.Join(bin, "git-resume"), "echo old\n")
	// A hard link to the old file shows whether install.sh overwrites that file, which a running program may still be
	// using.
	held := filepath.Join(m.home, "held")
	if err := os.Link(filepath.Join(bin, "git-resume"), held); err != nil {
		t.Skip(err)
	}
	got := m.mustInstall(t)
	if !strings.Contains(got.stderr, "which this script had not installed") {
		t.Errorf("no word about the file that was there: %q", got.stderr)
	}
	if data, err := os.ReadFile(held); err != nil || string(data) != "#!/bin/sh\necho old\n" {
		t.Errorf("the old file was written to: %q, %v", data, err)
	}
}

func TestInstall_brokenProgramReplacesNothing(t *testing.T) {
	m := newMachine(t)
	bin := filepath.Join(m.home, ".local/bin")
	m.path = append(m.path, bin)
	m.script(t, filepath.Join(bin, "git-resume"), "echo old\n")
	write(t, filepath.Join(m.checkout, "cmd/git-resume/main.go"), "package main\n\nfunc main() { panic(\"broken\") }\n")
	got := m.install(t)
	if got.code != 1 || !strings.Contains(got.stderr, "nothing was replaced") {
		t.Errorf("%+v", got)
	}
	if call := m.run(t, filepath.Join(bin, "git-resume")); call.stdout != "old\n" {
		t.Errorf("the old program is gone: %+v", call)
	}
	if exists(filepath.Join(bin, ".git-resume.new")) {
		t.Error("the broken program was left behind")
	}
}

func TestInstall_warnsOfAnotherProgramInFront(t *testing.T) {
	m := newMachine(t)
	front := filepath.Join(m.home, "front")
	m.script(t, filepath.Join(front, "git-resume"), "echo another\n")
	m.path = append([]string{front}, append(m.path, filepath.Join(m.home, ".local/bin"))...)
	got := m.mustInstall(t)
	if want := "warning: '" + front + "/git-resume' comes first on PATH"; !strings.Contains(got.stderr, want) {
		t.Errorf("want %q in\n%s", want, got.stderr)
	}
}

func TestInstall_stagesForAPackage(t *testing.T) {
	m := newMachine(t)
	stage := filepath.Join(m.home, "sta ge")
	m.env = append(m.env, "DESTDIR="+stage, "PREFIX=/usr")
	got := m.mustInstall(t)
	if !exists(filepath.Join(stage, "usr/bin/git-resume")) || strings.Contains(got.stdout, "export PATH") {
		t.Errorf("%+v", got)
	}
	record, err := os.ReadFile(filepath.Join(stage, "usr/share/git-resume/installed"))
	if err != nil || strings.Contains(string(record), stage) {
		t.Errorf("the record must not know the stage: %q, %v", record, err)
	}
	m.mustInstall(t, "--uninstall")
	if left := tree(t, m.home); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

func TestInstall_versionIsThatOfTheCheckout(t *testing.T) {
	m := newMachine(t)
	m.path = append(m.path, filepath.Join(m.home, ".local/bin"))
	git := func(args ...string) {
		t.Helper()
		args = append([]string{filepath.Join(m.bin, "git"), "-C", m.checkout,
			"-c", "user.name=A", "-c", "user.email=a@example.com"}, args...)
		if got := m.run(t, args...); got.code != 0 {
			t.Fatalf("%q: %+v", args, got)
		}
	}
	git("init", "-q")
	git("add", ".")
	git("commit", "-qm", "one")
	git("tag", "v1.2.3")
	write(t, filepath.Join(m.checkout, "go.sum"), "")
	before := tree(t, m.checkout)

	// The user's environment, such as GOFLAGS or GIT_DIR, must have no effect.
	m.env = append(m.env, "GOFLAGS=-mod=vendor -ldflags=-X=main.version=wrong", "GOOS=plan9", "GIT_DIR=/nowhere")
	got := m.mustInstall(t)
	if want := "ready: git-resume version v1.2.3-dirty"; got.lastLine() != want {
		t.Errorf("last line %q, want %q", got.lastLine(), want)
	}
	if after := tree(t, m.checkout); !slices.Equal(before, after) {
		t.Error("the checkout was written to")
	}
}
