package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/git-resume/git-resume/internal/gittest"
)

// day matches a date as the states of other systems have it.
var day = regexp.MustCompile(`20[0-9]{2}-[01][0-9]-[0-3][0-9]`)

// After a checkout, work of every system is flagged on the branch that has its state, with the position that status names, and anything else
// is silent.
func TestHook_flagsBuilds(t *testing.T) {
	t.Parallel()
	const ago = `, \d+[hd] ago \(git resume\)`
	for _, c := range []struct{ state, want string }{
		{"longrun/run", `resume: photo-album stopped at plan 2 of 3 here` + ago},
		{"longrun/question", `resume: photo-album is waiting for you at 1 here` + ago},
		{"longrun/done", ``},
		{"agentmemory/execution", `resume: user-auth stopped at phase 2, T002 here` + ago},
		{"agentmemory/planned", `resume: user-auth is waiting for you at phase 1, approval here` + ago},
		{"agentmemory/done", `resume: user-auth stopped at phase 3, cleanup here` + ago},
		{"orchestrate/sdc", `resume: sdc-20261114-001 stopped at phase 3 \(Implement\) here` + ago},
		{"orchestrate/epic-3", `resume: epic-3 stopped at wave 2 here` + ago},
		{"specloop/tasks", `resume: 005-user-auth-tasks stopped at task 1 of 6 here` + ago},
		{"specloop/clarifying", `resume: 005-user-auth is waiting for you at iteration 2 of 10, step B1 here` + ago},
		{"specloop/blank", ``},
	} {
		t.Run(strings.ReplaceAll(c.state, "/", "_"), func(t *testing.T) {
			t.Parallel()
			files, err := txtar.ParseFile(filepath.Join("../../internal/sources", filepath.Dir(c.state), "testdata", filepath.Base(c.state)+".txtar"))
			gittest.NoError(t, "read", err)
			r := gittest.New(t)
			yesterday := time.Now().Add(-24 * time.Hour).Format(time.DateOnly)
			for _, f := range files.Files { // the states are from fixed days
				r.Write(day.ReplaceAllString(f.Name, yesterday), day.ReplaceAllString(string(f.Data), yesterday))
			}
			r.Git("add", "-A", "-f")
			r.Git("commit", "-q", "-m", "state")
			old := time.Now().Add(-3 * time.Hour)
			gittest.NoError(t, "age", filepath.WalkDir(r.Dir, func(path string, d fs.DirEntry, err error) error {
				if err == nil && d.IsDir() && d.Name() == ".git" {
					return fs.SkipDir
				}
				if err == nil && !d.IsDir() {
					return os.Chtimes(path, old, old)
				}
				return err
			}))
			r.MustResume("hooks", "install")
			r.Git("branch", "other")
			// Both in one session whose first process lives, as in a terminal. Where the tests run, that process may have ended.
			said, code := r.Try("setsid", "--wait", "sh", "-c", "git switch -q other; echo -; git switch -q main; exit $?")
			said, again, _ := strings.Cut(said, "-\n")
			if said = strings.TrimSpace(said); code != 0 || !regexp.MustCompile("^"+c.want+"$").MatchString(said) {
				t.Errorf("after a checkout: %q, want %q (exit code %d)", said, c.want, code)
			}
			if again != "" {
				t.Errorf("said again: %q", again)
			}
			// Files that a clone has just written are no sign of anybody at work.
			r.Git("clone", "-q", ".", "../clone")
			r.Git("-C", "../clone", "config", "core.hooksPath", filepath.Join(r.Dir, ".git", "hooks"))
			if said := r.Git("-C", "../clone", "switch", "-q", "-c", "x"); !regexp.MustCompile("^" + c.want + "$").MatchString(said) {
				t.Errorf("in a clone: %q, want %q", said, c.want)
			}
		})
	}
}
