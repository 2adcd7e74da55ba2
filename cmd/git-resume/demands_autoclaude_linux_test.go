package main

import "testing"

// TestDemands_autoClaudeWays checks what each way to continue offers, says and leaves behind.
func TestDemands_autoClaudeWays(t *testing.T) {
	t.Parallel()
	runScenarios(t, "auto-claude", []scenario{
		{`spec; plan completed in_progress pending pending; tree; age; mv $W .worktrees/elsewhere; W=.worktrees/elsewhere`, []row{
			{"82_one_that_was_moved_stays", []step{
				{0, "git resume auto-claude:001-login --yes --force", []string{`done: repair the worktree's registration`}},
				{0, "git resume undo --yes", []string{`^This undoes 'continue'`, `!remove +worktree`, `!that was made`}},
				{0, "git -C .worktrees/elsewhere log --format=%s -1", []string{`chunk-1-1`}},
				{0, "grep -c in_progress $S/*.json", nil}}},
		}},
	})
}
