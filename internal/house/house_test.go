package house

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// root is the top of the source tree, relative to this package.
const root = "../.."

// TestHouse checks all source files against the rules in rules_test.go.
func TestHouse(t *testing.T) {
	t.Parallel()
	files := goFiles(t)
	if len(files) == 0 {
		t.Fatal("no Go files were found")
	}
	for _, fault := range faultsOf(files) {
		t.Error(fault)
	}
}

// TestHouse_speaksOfNoRegistry checks that no file that allFiles lists mentions the host of a package registry.
func TestHouse_speaksOfNoRegistry(t *testing.T) {
	t.Parallel()
	for _, path := range allFiles(t) {
		text, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		if host, ok := registryIn(string(text)); ok {
			t.Errorf("%s speaks of %s", path, host)
		}
	}
}

func goFiles(t *testing.T) []source {
	t.Helper()
	var out []source
	for _, path := range allFiles(t) {
		if !strings.HasSuffix(path, ".go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, source{path, string(text)})
	}
	return out
}

// allFiles lists the files of the project, except those in .git, testdata and vendor.
func allFiles(t *testing.T) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata" || d.Name() == "vendor") {
			return filepath.SkipDir
		}
		if d.Type().IsRegular() {
			out = append(out, filepath.ToSlash(rel))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestHouse_bites checks that the rules report files that break them.
func TestHouse_bites(t *testing.T) {
	t.Parallel()
	use := func(name string) string { return "// Package x is here.\npackage x\n\nimport _ \"" + name + "\"\n" }
	own := func(room string) string { return use(module + "/" + room) }
	body := func(imports, line string) string {
		return "// Package x is here.\npackage x\n\nimport " + imports + "\n\nfunc f() { " + line + " }\n"
	}
	for _, c := range []struct{ name, path, text, want string }{
		{"upwards", "gitstate/x.go", own("checkpoint"), "imports upwards: checkpoint"},
		{"upwards from the bottom", "internal/proc/x.go", own("gitstate"), "imports upwards: gitstate"},
		{"upwards in a test", "gitstate/x_test.go", own("internal/handler"), "imports upwards: internal/handler"},
		{"sideways", "worktree/x.go", own("conflicts"), "imports sideways: conflicts"},
		{"sideways again", "hooks/x.go", own("checkpoint"), "imports sideways: checkpoint"},
		{"plan and flock", "internal/plan/x.go", own("internal/flock"), "imports sideways: internal/flock"},
		{"engine to screen", "internal/handler/x.go", own("internal/screen"), "imports upwards: internal/screen"},
		{"source to engine", "internal/sources/x.go", own("internal/handler"), "imports upwards: internal/handler"},
		{"reader to reader", "internal/sources/boxes/x.go", own("internal/sources/longrun"), "imports sideways: internal/sources/longrun"},
		{"frame to reader", "internal/sources/x.go", own("internal/sources/longrun"), "imports upwards: internal/sources/longrun"},
		{"a new room", "cellar/x.go", own("gitstate"), "its room has no height"},
		{"of a new room", "checkpoint/x.go", own("cellar"), "imports cellar, which has no height"},
		{"test room in a program", "checkpoint/x.go", own("internal/gittest"), "imports internal/gittest, which is for tests"},
		{"processes", "gitstate/x.go", use("os/exec"), "imports os/exec, which lives in internal/proc"},
		{"go-git elsewhere", "checkpoint/x.go", use("github.com/go-git/go-git/v5/plumbing"), "lives in gitstate/object and gitstate/past and gitstate/refs alone"},
		{"go-git's companions elsewhere", "worktree/x.go", use("github.com/go-git/go-billy/v5"), "lives in gitstate/object and gitstate/past and gitstate/refs alone"},
		{"go-git whole", "gitstate/object/x.go", use("github.com/go-git/go-git/v5"), "which opens repositories"},
		{"go-git's storage", "gitstate/object/x.go", use("github.com/go-git/go-git/v5/storage/filesystem"), "which opens repositories"},
		{"go-git for more than names", "gitstate/refs/x.go", use("github.com/go-git/go-git/v5/plumbing/object"), "which is more than the names of refs"},
		{"go-git's short names", "checkpoint/x.go", "package checkpoint\n\nfunc f(r struct{ Branch name }) string { return r.Branch.Short() }\n", "calls Branch.Short, which loses signs of a name"},
		{"go-diff elsewhere", "gitstate/x.go", use("github.com/sergi/go-diff/diffmatchpatch"), "lives in conflicts/lines alone"},
		{"cli elsewhere", "internal/screen/x.go", use("github.com/urfave/cli/v2"), "lives in cmd/git-resume alone"},
		{"terminal elsewhere", "internal/handler/x.go", use("golang.org/x/term"), "lives in cmd/git-resume and internal/execution alone"},
		{"clock", "checkpoint/x.go", body(`"time"`, "time.Now()"), "uses time.Now"},
		{"clock as a value", "checkpoint/x.go", body(`"time"`, "_ = time.Now"), "uses time.Now"},
		{"clock under another name", "checkpoint/x.go", body(`clock "time"`, "clock.Now()"), "uses time.Now"},
		{"clock without a name", "checkpoint/x.go", body(`. "time"`, "Now()"), "without a name"},
		{"a second clock of the command", "cmd/git-resume/x.go", body(`"time"`, "time.Now()"), "uses time.Now"},
		{"hidden clock", "checkpoint/x.go", body(`"time"`, "time.Since(time.Time{})"), "uses time.Since"},
		{"environment", "gitstate/x.go", body(`"os"`, `os.Getenv("X")`), "uses os.Getenv"},
		{"environment, asked", "gitstate/x.go", body(`"os"`, `os.LookupEnv("X")`), "uses os.LookupEnv"},
		{"environment, whole", "internal/proc/x.go", body(`"os"`, "os.Environ()"), "uses os.Environ"},
		{"arguments", "internal/screen/x.go", body(`"os"`, "_ = os.Args"), "uses os.Args"},
		{"end", "internal/handler/x.go", body(`"os"`, "os.Exit(1)"), "uses os.Exit"},
		{"vague name", "internal/util/x.go", use("fmt"), "the name util says nothing"},
		{"vague package", "internal/plan/x.go", "// Package helpers is here.\npackage helpers\n", "the name helpers says nothing"},
		{"no comment", "hooks/x.go", "package hooks\n", "hooks: the package has no comment"},
		{"no Go", "hooks/x.go", "this is no Go", "expected 'package'"},
	} {
		found := faultsOf([]source{{c.path, c.text}})
		if !strings.Contains(strings.Join(found, "\n"), c.want) {
			t.Errorf("%s: found %q, want %q", c.name, found, c.want)
		}
	}
	if _, ok := registryIn("GOPROXY=https://" + registries[0]); !ok {
		t.Error("a registry's host was not seen")
	}
}

// TestHouse_letsBe checks that the rules report nothing for correct source files.
func TestHouse_letsBe(t *testing.T) {
	t.Parallel()
	good := []source{
		{"cmd/git-resume/x.go", "// Command git-resume is here.\npackage main\n\nimport (\n\t\"os\"\n\t\"time\"\n\n\t_ \"github.com/urfave/cli/v2\"\n\t_ \"golang.org/x/term\"\n\t_ \"" + module + "/internal/screen\"\n)\n\nfunc main() { time.Sleep(1); os.Exit(len(os.Args)) }\n"},
		{"cmd/git-resume/clock.go", "package main\n\nimport \"time\"\n\nfunc clock() time.Time { return time.Now() }\n"},
		{"internal/screen/x.go", "// Package screen is here.\npackage screen\n\nimport _ \"" + module + "/internal/handler\"\n"},
		{"gitstate/past/x.go", "// Package past is here.\npackage past\n\nimport (\n\t_ \"github.com/go-git/go-git/v5/plumbing/object\"\n\t_ \"" + module + "/internal/proc\"\n)\n\ntype timer struct{}\n\nfunc (timer) Now() {}\n\nfunc f(time timer) { time.Now() }\n"},
		{"gitstate/past/x_test.go", "package past_test\n\nimport (\n\t_ \"os/exec\"\n\t\"time\"\n\n\t_ \"" + module + "/gitstate/past\"\n\t_ \"" + module + "/internal/gittest\"\n)\n\nvar _ = time.Now()\n"},
		{"internal/proc/x.go", "// Package proc is here.\npackage proc\n\nimport _ \"os/exec\"\n"},
	}
	for _, fault := range faultsOf(good) {
		t.Error(fault)
	}
}
