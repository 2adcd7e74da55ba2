package release

import (
	"archive/zip"
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"
)

// sample returns a version for tests, with one manual page.
func sample() (Version, Contents) {
	v := Version{Number: "1.2.3", Time: time.Unix(1700000000, 0), Git: "2.31"}
	return v, Contents{Program: []byte("program"), Script: []byte("script"), Licence: []byte("terms"), Notices: []byte("notices"),
		Bash: []byte("bash"), Zsh: []byte("zsh"), Fish: []byte("fish"), FishConf: []byte("conf"), Manual: []File{{"git-resume.1", 0o644, []byte("page")}}}
}

func TestMake_namesOfAllPlatforms(t *testing.T) {
	t.Parallel()
	v, c := sample()
	var all []Artifact
	for _, p := range Platforms {
		made, err := Make(v, p, c)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, made...)
	}
	var names []string
	for _, a := range all {
		names = append(names, a.Name)
	}
	slices.Sort(names)
	want := []string{
		"git-resume-1.2.3-1.aarch64.rpm", "git-resume-1.2.3-1.armv7hl.rpm", "git-resume-1.2.3-1.x86_64.rpm",
		"git-resume-1.2.3-darwin-amd64.tar.gz", "git-resume-1.2.3-darwin-arm64.tar.gz",
		"git-resume-1.2.3-linux-amd64.tar.gz", "git-resume-1.2.3-linux-arm64.tar.gz", "git-resume-1.2.3-linux-armv7.tar.gz",
		"git-resume-1.2.3-windows-amd64.zip", "git-resume-1.2.3-windows-arm64.zip",
		"git-resume_1.2.3_amd64.deb", "git-resume_1.2.3_arm64.deb", "git-resume_1.2.3_armhf.deb",
	}
	if !slices.Equal(names, want) {
		t.Errorf("made %q, want %q", names, want)
	}
	if n := strings.Count(string(Sums(all)), "\n"); n != len(all) {
		t.Errorf("%d checksums for %d files", n, len(all))
	}
	formula := string(Formula(v, all))
	for _, name := range []string{"darwin-amd64", "darwin-arm64", "linux-amd64", "linux-arm64"} {
		if !strings.Contains(formula, "/releases/download/v1.2.3/git-resume-1.2.3-"+name+".tar.gz\"") {
			t.Errorf("the formula does not know %s:\n%s", name, formula)
		}
	}
}

func TestMake_zipForWindows(t *testing.T) {
	t.Parallel()
	v, c := sample()
	made, err := Make(v, Platform{"windows", "arm64"}, c)
	if err != nil || len(made) != 1 {
		t.Fatalf("%v, %v", made, err)
	}
	r, err := zip.NewReader(bytes.NewReader(made[0].Data), int64(len(made[0].Data)))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range r.File {
		names = append(names, strings.TrimPrefix(f.Name, "git-resume-1.2.3-windows-arm64/"))
		if !f.Modified.Equal(v.Time) {
			t.Errorf("%s has the time %v", f.Name, f.Modified)
		}
	}
	want := []string{"LICENSE", "THIRD-PARTY.txt", "completions/_git-resume", "completions/git-resume-conf.fish", "completions/git-resume.bash",
		"completions/git-resume.fish", "git-resume.exe", "install.sh", "man/git-resume.1"}
	if !slices.Equal(names, want) {
		t.Errorf("the archive holds %q, want %q", names, want)
	}
}

func TestParseVersion(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]string{
		"v0.9.0": "0.9.0", "v1.0.0-rc.1": "1.0.0-rc.1",
		"": "", "0.9.0": "", "v1": "", "v01.0.0": "", "v1.0.0-": "", "v1.0.0\n": "", "v1.0.0;id": "", "v1.0.0 -x": "", "v1.0.0/../x": "",
	} {
		if got, err := ParseVersion(tag); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v; want %q", tag, got, err, want)
		}
	}
}
