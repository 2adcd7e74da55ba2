package commit

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/repotest"
	"github.com/git-resume/git-resume/internal/gittest"
)

// writeOwn writes the same commit as git. If git would change something in the commit, writeOwn refuses, and git must write it.
func TestWriteOwn_agreesWithGit(t *testing.T) {
	for _, c := range []struct {
		name    string
		env     []string
		message string
		asks    bool // true if git must write the commit
	}{
		{name: "settings", message: "subject\n\nbody\n"},
		{name: "no newline at the end", message: "subject"},
		{name: "other letters", env: []string{"GIT_AUTHOR_NAME=Zoë Ångström", "GIT_COMMITTER_EMAIL=z@x"}, message: "größer 日本\n"},
		{name: "zone", env: []string{"TZ=Asia/Kolkata"}, message: "x\n"},
		{name: "name that git cleans", env: []string{"GIT_AUTHOR_NAME=A. B."}, message: "x\n", asks: true},
		{name: "name in brackets", env: []string{"GIT_COMMITTER_NAME=A <b>"}, message: "x\n", asks: true},
		{name: "date", env: []string{"GIT_AUTHOR_DATE=@1 +0000"}, message: "x\n", asks: true},
		{name: "another encoding", message: "gr\xf6\xdfer\n", asks: true},
		{name: "no character", message: "x\ufffe\n", asks: true},
		{name: "no message", asks: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := gittest.New(t)
			r.Env = append(slices.DeleteFunc(r.Env, func(v string) bool {
				return strings.HasPrefix(v, "GIT_AUTHOR_") || strings.HasPrefix(v, "GIT_COMMITTER_")
			}), c.env...)
			r.Git("config", "user.name", "Some One")
			r.Git("config", "user.email", "one@example.com")
			repo := repotest.Open(t, r.Dir, r.Env)
			m := &maker{r: repo, q: Request{Now: time.Now}, head: object.ID(r.Git("rev-parse", "HEAD")), out: Result{Tree: object.ID(r.Git("rev-parse", "HEAD^{tree}"))}}
			config, err := repo.Settings.Config(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			id, ok := m.writeOwn(t.Context(), config, c.message)
			if ok == c.asks {
				t.Fatalf("written without git: %t", ok)
			}
			if !ok {
				return
			}
			r.Fsck()
			mine, err := repo.Objects.Commit(t.Context(), string(id))
			if err != nil {
				t.Fatal(err)
			}
			at := fmt.Sprintf("@%d %s", mine.Author.When.Unix(), mine.Author.When.Format("-0700"))
			r.Env = append(r.Env, "GIT_AUTHOR_DATE="+at, "GIT_COMMITTER_DATE="+at)
			if git := strings.TrimSpace(r.Pipe(c.message, "commit-tree", "-p", string(m.head), string(m.out.Tree))); git != string(id) {
				t.Fatalf("without git:\n%s\nwith git:\n%s", r.Git("cat-file", "-p", string(id)), r.Git("cat-file", "-p", git))
			}
		})
	}
}
