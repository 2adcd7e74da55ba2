package sourcetest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
)

// secret is a word in a file outside of the test repositories. No source may show it.
const secret = "hushhushoutside"

// LeadOut returns a change that replaces a file by a link to a file outside of the repository. The outside file looks like a list of tasks,
// and contains the secret. The function Find fails the test if its result contains the secret.
func LeadOut(path string) Mutation {
	return func(r *gittest.Repo) {
		r.T.Helper()
		to, at := filepath.Join(r.T.TempDir(), "outside"), filepath.Join(r.Dir, path)
		if err := os.WriteFile(to, []byte("# "+secret+"\n\n## Phase 1: "+secret+"\n\n- [ ] 1. "+secret+"\n- Status: "+secret+"\n"), 0o644); err != nil {
			r.T.Fatal(err)
		}
		if err := os.Remove(at); err != nil && !os.IsNotExist(err) {
			r.T.Fatal(err)
		}
		if err := os.Symlink(to, at); err != nil {
			r.T.Fatal(err)
		}
	}
}

// requireNoSecret fails the test if a result contains the secret.
func requireNoSecret(r *gittest.Repo, found []sources.Found) {
	r.T.Helper()
	data, err := json.Marshal(found)
	if err != nil {
		r.T.Fatal(err)
	}
	if strings.Contains(string(data), secret) {
		r.T.Errorf("a file outside of the repository is shown: %.600s", data)
	}
}
