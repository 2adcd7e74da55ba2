//go:build unix

package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// These are the ids of two users and of their common group.
const (
	first, second, team = 23401, 23402, 23499
)

// The function "shared" makes a repository of the first user with the given options, in a folder that the group can use.
func shared(u *gittest.Users, mask, how string) *gittest.Repo {
	u.T.Helper()
	dir := u.Folder("work", first, team, 0o775|fs.ModeSetgid)
	r := u.Be(first, dir, team)
	must(r, mask, "git init -q -b main "+how+" repo")
	r = r.In(filepath.Join(dir, "repo"))
	must(r, mask, "git config user.name A && git config user.email a@example.com && echo 1 >README && git add -A && git commit -q -m first")
	return r
}

// The function "must" runs a line of shell with the given umask. The test fails if the line fails.
func must(r *gittest.Repo, mask, line string) string {
	r.T.Helper()
	out, code := r.Try("sh", "-c", "umask "+mask+"; "+line)
	if code != 0 {
		r.T.Errorf("%s: exit code %d\n%s", line, code, out)
	}
	return out
}

// perm returns the mode of a file, including the setgid bit.
func perm(t *testing.T, path string) string {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("%o", info.Mode().Perm())
	if info.Mode()&fs.ModeSetgid != 0 {
		text = "2" + text
	}
	return text
}

func TestShared_modesAreThoseOfGit(t *testing.T) {
	t.Parallel()
	for i, how := range []string{"", "--shared=umask", "--shared=group", "--shared=all", "--shared=0660", "--shared=0640", "--shared=0664"} {
		for j, mask := range []string{"022", "002", "077"} {
			if !gittest.Proving() && (i+j)%3 != 0 {
				continue // to save time, try only one umask with each option
			}
			t.Run(strings.TrimSpace(how+" "+mask), func(t *testing.T) {
				t.Parallel()
				r := shared(gittest.NewUsers(t), mask, how)
				must(r, mask, "git-resume start --here --name job --task one --task two && echo 2 >README && git-resume checkpoint && git-resume run --name other -- true")
				git := filepath.Join(r.Dir, ".git")
				folder := perm(t, filepath.Join(git, "refs", "notes", "resume"))
				refs, err := filepath.Glob(filepath.Join(git, "refs", "notes", "resume", "job-*"))
				if err != nil || len(refs) != 1 {
					t.Fatal(refs, err)
				}
				file := perm(t, refs[0])
				_ = filepath.WalkDir(filepath.Join(git, "resume"), func(path string, d fs.DirEntry, err error) error {
					if err != nil {
						t.Error(err)
						return nil
					}
					want := file
					if d.IsDir() {
						want = folder
					}
					if filepath.Base(filepath.Dir(path)) == "keys" {
						want = "600"
					}
					if got := perm(t, path); got != want {
						t.Errorf("%s has mode %s, want %s", path, got, want)
					}
					return nil
				})
			})
		}
	}
}

func TestShared_twoUsers(t *testing.T) {
	t.Parallel()
	for i, how := range []string{"--shared=group", "--shared=all", "--shared=0660"} {
		for j, mask := range []string{"022", "077"} {
			if !gittest.Proving() && (i+j)%2 == 1 {
				continue // to save time, try only half of the combinations
			}
			t.Run(how+" "+mask, func(t *testing.T) {
				t.Parallel()
				u := gittest.NewUsers(t)
				a := shared(u, mask, how)
				must(a, mask, "chmod g+rwxs . && chmod g+rw README") // git-resume does not change modes in the worktree, so the users must change them
				b := u.Be(second, a.Dir, team)
				must(b, mask, "git config --global safe.directory '*' && git config --global user.name B && git config --global user.email b@example.com")
				must(a, mask, "git config --global safe.directory '*'")
				must(a, mask, "git-resume start --here --name job --task one --task two && git-resume task start one")
				for i, r := range []*gittest.Repo{b, a, b} {
					must(r, mask, "git-resume status && git-resume log && git-resume status --check")
					must(r, mask, fmt.Sprintf("git-resume run --name n%d -- sh -c 'echo out'", i))
					must(r, mask, fmt.Sprintf("git-resume start --here --name own%d --task x && git-resume task start --run own%d x && git-resume checkpoint --run own%d && git-resume discard -y own%d && git-resume undo -y own%d", i, i, i, i, i))
					must(r, mask, "git-resume doctor >/dev/null; git gc -q")
				}
				must(b, mask, "git fsck")
			})
		}
	}
}
