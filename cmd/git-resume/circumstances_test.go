package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// circumstance is a special way to store a repository or its files. A whole run must work there as it does everywhere else.
type circumstance struct {
	name string
	init []string
	// The function "needs" reports whether git can make such a repository; nil means that every git can.
	needs func(gittest.Git) bool
	unix  bool
	// settings has a key and a value in each line.
	settings string
	// first and changed map file names to the bytes of the files on disk: "first" for the first commit, and "changed" after the second
	// task.
	first, changed map[string]string
	// The function "more" is called after the merge. It checks what is special about this circumstance.
	more func(t *testing.T, r *gittest.Repo)
}

func reftables(g gittest.Git) bool { return g.AtLeast(2, 45) }

// deep is a path of more than 260 characters, which Windows refuses without core.longpaths.
var deep = strings.Repeat(strings.Repeat("long", 12)+"/", 6) + "file"

func circumstances() []circumstance {
	first, changed := map[string]string{"file": "one\n"}, map[string]string{"file": "one\ntwo\n", "new": "new\n"}
	return []circumstance{
		{name: "SHA-256", init: []string{"--object-format=sha256"}, first: first, changed: changed},
		{name: "reftable", init: []string{"--ref-format=reftable"}, needs: reftables, first: first, changed: changed},
		{name: "reftable and SHA-256", init: []string{"--ref-format=reftable", "--object-format=sha256"}, needs: reftables, first: first, changed: changed},
		{
			// Git for Windows makes these settings. Lines end with CRLF, links are files that contain their targets, and nothing is
			// executable.
			name: "settings of Windows", settings: "core.autocrlf true\ncore.symlinks false\ncore.fileMode false\ncore.longpaths true",
			first:   map[string]string{"text": "one\r\ntwo\r\n", "link": "text", deep: "deep\r\n"},
			changed: map[string]string{"text": "one\r\nthree\r\n", "link": "elsewhere", deep: "deeper\r\n", "new": "new\r\n"},
			more: func(t *testing.T, r *gittest.Repo) {
				if got := r.Git("ls-files", "-s", "link"); !strings.HasPrefix(got, "120000 ") {
					t.Errorf("the link is recorded as %q", got)
				}
				if got := r.Git("cat-file", "blob", "HEAD:text"); got != "one\nthree" {
					t.Errorf("the text is recorded as %q", got)
				}
			},
		},
		{
			name: "backslashes and long paths", unix: true,
			first:   map[string]string{`dir\file`: "one\n", `dir/sub\`: "one\n", deep: "deep\n"},
			changed: map[string]string{`dir\file`: "two\n", `dir/sub\`: "two\n", deep: "deeper\n", `C:\new\..\x`: "new\n", `\`: "new\n"},
		},
	}
}

func TestCircumstances_wholeRun(t *testing.T) {
	t.Parallel()
	for _, c := range circumstances() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.unix && os.PathSeparator != '/' {
				t.Skip("not on this system")
			}
			if c.needs != nil && !c.needs(gittest.Git{}) {
				t.Skip("this git cannot make it")
			}
			r := c.make(t)
			if out, code := r.Resume("start", "../home/plan.yaml"); code == 0 {
				t.Fatalf("the second task did not fail:\n%s", out)
			}
			r.MustResume("restore", "job@1", "--to", "../saved")
			c.has(t, filepath.Join(r.Root(), "saved"), "in the snapshot")
			r.Write("../home/ok", "")
			r.MustResume("--retry")
			r.MustResume("merge", "job")
			c.has(t, r.Dir, "after the merge")
			r.MustResume("undo", "--yes")
			if out := r.Git("status", "--porcelain"); out != "" {
				t.Errorf("after the undo: %s", out)
			}
			r.MustResume("undo", "--redo", "--yes")
			c.has(t, r.Dir, "after the redo")
			if out := r.Git("status", "--porcelain"); out != "" {
				t.Errorf("after the redo: %s", out)
			}
			if c.more != nil {
				c.more(t, r)
			}
			r.Fsck()
		})
	}
}

func (c circumstance) make(t *testing.T) *gittest.Repo {
	t.Helper()
	r := gittest.Empty(t, c.init...)
	for _, line := range strings.Fields(strings.ReplaceAll(c.settings, " ", "=")) {
		key, value, _ := strings.Cut(line, "=")
		r.Git("config", key, value)
	}
	for name, text := range c.first {
		r.Write(name, text)
	}
	r.Git("add", "-A")
	if c.first["link"] != "" {
		r.Git("update-index", "--cacheinfo", "120000,"+r.Git("hash-object", "-w", "--no-filters", "link")+",link")
	}
	r.Git("commit", "-q", "-m", "first")
	for name, text := range c.changed {
		r.Write("../home/changed/"+name, text)
	}
	r.Write("../home/plan.yaml", `name: job
tasks:
  - {id: a, run: "echo a > a"}
  - {id: b, run: 'cp -R "$HOME/changed/." . && test -e "$HOME/ok"'}
`)
	return r.WithBinary()
}

// The method "has" fails the test if a file in c.changed is missing in the folder or has other bytes there.
func (c circumstance) has(t *testing.T, dir, when string) {
	t.Helper()
	for name, want := range c.changed {
		got, err := fs.ReadFile(os.DirFS(dir), name)
		if err != nil || string(got) != want {
			t.Errorf("%s: %q is %q (%v), want %q", when, name, got, err, want)
		}
	}
}
