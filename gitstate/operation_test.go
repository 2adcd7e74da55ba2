package gitstate

import (
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// TestOperation_everyOne stops in the middle of each operation of git, with refs in files and in tables.
func TestOperation_everyOne(t *testing.T) {
	t.Parallel()
	t.Run("files", func(t *testing.T) { everyOperation(t, gittest.Git{}) })
	newer, ok := gittest.Newer()
	if !ok {
		return
	}
	t.Run("newer git", func(t *testing.T) { everyOperation(t, newer) })
	t.Run("tables", func(t *testing.T) { everyOperation(t, newer, "--ref-format=reftable") })
}

func everyOperation(t *testing.T, g gittest.Git, initArgs ...string) {
	for _, c := range []struct {
		name string
		args []string
		want Operation
	}{
		{"merge", []string{"merge", "-q", "theirs"}, Merge},
		{"rebase", []string{"rebase", "-q", "theirs"}, Rebase},
		{"rebase by patches", []string{"rebase", "-q", "--apply", "theirs"}, Rebase},
		{"am", []string{"am", "-q", "../theirs.patch"}, Am},
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
			own := g.Fresh(t, "repo", initArgs...)
			own.Git("checkout", "-q", "-b", "theirs")
			own.Write("other", "theirs\n")
			own.Git("add", "-A")
			own.Git("commit", "-q", "-m", "theirs, clean")
			own.Write("README", "theirs\n")
			own.Git("commit", "-q", "-a", "-m", "theirs")
			own.Git("format-patch", "-q", "-1", "--output=../theirs.patch")
			own.Git("checkout", "-q", "main")
			for _, text := range []string{"ours\n", "ours again\n"} {
				own.Write("README", text)
				own.Git("commit", "-q", "-a", "-m", text)
			}
			own.Try("git", c.args...)
			if c.name == "pick" || c.name == "picks" || c.name == "revert" || c.name == "reverts" {
				own.Git("rev-parse", "--verify", map[Operation]string{CherryPick: "CHERRY_PICK_HEAD", Revert: "REVERT_HEAD"}[c.want])
			}
			equal(t, "operation", openAt(t, own).Operation(), c.want)
			if c.name == "reverts" {
				// Resolved by hand: the series goes on, and only its list tells what it is.
				own.Write("README", "resolved\n")
				own.Git("commit", "-q", "-a", "-m", "resolved")
				equal(t, "between two reverts", openAt(t, own).Operation(), Revert)
			}
		})
	}
}
