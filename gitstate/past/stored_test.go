package past_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/repotest"
	"github.com/git-resume/git-resume/internal/gittest"
)

// A file can change twice within one tick of the clock. Its size and its time are then those in the index, and git only reads it again because
// it is not older than the index.
func TestStored_readsWhatIsAsNewAsTheIndex(t *testing.T) {
	r := gittest.Empty(t)
	r.Git("config", "core.trustctime", "false")
	then := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	file, index := filepath.Join(r.Dir, "f"), filepath.Join(r.Dir, ".git", "index")
	put := func(text string) {
		gittest.NoError(t, "write", os.WriteFile(file, []byte(text), 0o644))
		gittest.NoError(t, "set the time", os.Chtimes(file, then, then))
	}
	put("one\n")
	r.Git("add", "f")
	r.Git("commit", "-q", "-m", "x")
	put("two\n")
	gittest.NoError(t, "set the time", os.Chtimes(index, then, then))

	repo := repotest.Open(t, r.Dir, r.Env)
	scratch, err := past.NewScratch(repo)
	gittest.NoError(t, "scratch", err)
	defer scratch.Close()
	tree, left, err := scratch.Stored(t.Context(), repo, []string{"f"})
	gittest.NoError(t, "stored", err)
	if committed := r.Git("rev-parse", "HEAD^{tree}"); string(tree) == committed || len(left) > 0 {
		t.Errorf("the tree is %s, as in HEAD, and %q were not read", tree, left)
	}
}
