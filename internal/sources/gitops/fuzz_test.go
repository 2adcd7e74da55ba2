package gitops_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/sources/gitops"
	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

// FuzzNames creates files with random names and contents where git stores the state of operations. Finding the
// operations must neither crash nor take too long.
func FuzzNames(f *testing.F) {
	const zero, id = "0000000000000000000000000000000000000000", "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
	may := func(name string) bool {
		first, _, _ := strings.Cut(name, "/")
		return slices.Contains([]string{"rebase-merge", "rebase-apply", "sequencer", "NOTES_MERGE_WORKTREE", "bisect"}, first) ||
			!strings.Contains(name, "/") && (strings.HasPrefix(name, "MERGE_") || strings.HasPrefix(name, "BISECT_") || strings.HasPrefix(name, "NOTES_MERGE") ||
				name == "CHERRY_PICK_HEAD" || name == "REVERT_HEAD" || name == "REBASE_HEAD" || name == "AUTO_MERGE" || name == "SQUASH_MSG" || strings.HasSuffix(name, ".lock"))
	}
	sourcetest.Trees{
		Below: ".git", May: may, Names: []string{"git-rebase-todo", "todo", "MERGE_HEAD", "index.lock", "rebase-apply", "sequencer"},
		Archives: []string{
			"-- rebase-merge/git-rebase-todo --\npick " + id + " one\n-- rebase-merge/done --\npick " + id + "\n-- rebase-merge/head-name --\nrefs/heads/x\n-- rebase-merge/onto --\n" + id +
				"\n-- rebase-merge/orig-head --\n" + id + "\n-- rebase-merge/msgnum --\n1\n-- rebase-merge/end --\n2\n-- rebase-merge/stopped-sha --\n" + id + "\n-- rebase-merge/interactive --\n",
			"-- rebase-apply/next --\n1\n-- rebase-apply/last --\n2\n-- rebase-apply/applying --\n-- rebase-apply/0001 --\nFrom x\n",
			"-- sequencer/todo --\npick " + id + " x\nrevert " + id + "\n-- sequencer/head --\n" + zero + "\n-- sequencer/opts --\n[options]\n\tedit = true\n-- CHERRY_PICK_HEAD --\n" + id + "\n",
			"-- MERGE_HEAD --\n" + id + "\n" + zero + "\n-- MERGE_MSG --\nMerge\n-- MERGE_MODE --\nno-ff\n-- AUTO_MERGE --\n" + id + "\n-- index.lock --\n",
			"-- BISECT_LOG --\ngit bisect start\n# bad: [" + id + "] x\n-- BISECT_START --\nmain\n-- BISECT_TERMS --\nbad\ngood\n-- BISECT_NAMES --\n\n-- REVERT_HEAD --\nx\n",
		},
	}.Fuzz(f, gitops.Source{})
}
