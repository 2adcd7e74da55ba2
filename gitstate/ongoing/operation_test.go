package ongoing

import (
	"testing"

	"github.com/git-resume/git-resume/gitstate/repotest"
	"github.com/git-resume/git-resume/internal/gittest"
)

func TestOperation_everyOne(t *testing.T) {
	t.Parallel()
	gittest.EachGit(t, everyOperation)
}

func everyOperation(t *testing.T, m gittest.Maker) {
	for _, c := range []struct {
		name string
		args []string
		want Operation
	}{
		{"merge", []string{"merge", "-q", "theirs"}, Merge},
		{"rebase", []string{"rebase", "-q", "theirs"}, Rebase},
		{"rebase by patches", []string{"rebase", "-q", "--apply", "theirs"}, Rebase},
		{"am", []string{"am", "-q", ".git/theirs.patch"}, Am},
		{"pick", []string{"cherry-pick", "theirs"}, CherryPick},
		{"picks", []string{"cherry-pick", "theirs~1", "theirs"}, CherryPick},
		{"revert", []string{"revert", "--no-edit", "HEAD~1"}, Revert},
		{"reverts", []string{"revert", "--no-edit", "HEAD~1", "HEAD"}, Revert},
		{"bisect", []string{"bisect", "start", "HEAD", "HEAD~2"}, Bisect},
		{"pick without a commit", []string{"cherry-pick", "-n", "theirs~1"}, NoOperation},
		{"squash", []string{"merge", "-q", "--squash", "theirs"}, NoOperation},
		{"nothing", []string{"status"}, NoOperation},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			own := m.Made(t, "two sides", twoSides)
			own.Try("git", c.args...)
			if c.name == "pick" || c.name == "picks" || c.name == "revert" || c.name == "reverts" {
				own.Git("rev-parse", "--verify", map[Operation]string{CherryPick: "CHERRY_PICK_HEAD", Revert: "REVERT_HEAD"}[c.want])
			}
			gittest.Equal(t, "operation", OperationIn(repotest.Open(t, own.Dir, own.Env)), c.want)
			if c.name == "reverts" {
				// The first conflict is resolved and committed. Now only the todo list shows that the operation is a
				// revert.
				own.Write("README", "resolved\n")
				own.Git("commit", "-q", "-a", "-m", "resolved")
				gittest.Equal(t, "between two reverts", OperationIn(repotest.Open(t, own.Dir, own.Env)), Revert)
			}
		})
	}
}

// twoSides makes two branches that conflict, and writes a patch of one of them into the git dir.
func twoSides(r *gittest.Repo) {
	r.Git("checkout", "-q", "-b", "theirs")
	r.Write("other", "theirs\n")
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "theirs, clean")
	r.Write("README", "theirs\n")
	r.Git("commit", "-q", "-a", "-m", "theirs")
	r.Git("format-patch", "-q", "-1", "--output=.git/theirs.patch")
	r.Git("checkout", "-q", "main")
	for _, text := range []string{"ours\n", "ours again\n"} {
		r.Write("README", text)
		r.Git("commit", "-q", "-a", "-m", text)
	}
}
